/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds kinds of links, and pairs of PUs that represent them. */
#include "calib/network/calib_network.h"

#include <math.h>

#include "base/array.h"

int kind_of_link(const berth_calib_t *c, int element)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  if (e->parent < 0) return -1;
  int parent_type = berth_topo_element(c->t, e->parent)->type;
  for (size_t k = 0; k < c->n_kinds; k++)
    if (c->kinds[k].parent_type == parent_type && c->kinds[k].child_type == e->type) return (int)k;
  return -1;
}

static void add_kind(berth_calib_t *c, int element)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  if (e->parent < 0 || kind_of_link(c, element) >= 0) return;
  link_kind_t kind = {.parent_type = berth_topo_element(c->t, e->parent)->type,
                      .child_type = e->type,
                      .inside = !pus_is_above_hosts(c, e->parent),
                      .from = -1,
                      .to = -1,
                      .pilot = -1};
  if (!ARRAY_ADD(&c->kinds, &c->n_kinds, &c->cap_kinds, kind)) c->failed = true;
}

static bool has_ranks(const berth_calib_t *c, int element)
{
  int pu;
  return pus_below(c, element, false, &pu, 1) > 0;
}

/* A pair of neighbours below one parent. Both are of the kind or, with `same` false, only one of
 * them. */
static void find_pair_below(const berth_calib_t *c, link_kind_t *kind, int parent, bool same)
{
  const berth_topo_t *t = c->t;
  int end = parent + berth_topo_element(t, parent)->size, first = -1, other = -1;
  for (int e = parent + 1; e < end && kind->from < 0; e += berth_topo_element(t, e)->size) {
    if (!has_ranks(c, e)) continue;
    bool is_kind = berth_topo_element(t, e)->type == kind->child_type;
    if (is_kind && first < 0)
      first = e;
    else if (is_kind == same)
      other = e;
    if (first < 0 || other < 0) continue;
    kind->from = first;
    kind->to = other;
  }
}

static void find_pair(berth_calib_t *c, link_kind_t *kind)
{
  int n = berth_topo_n_elements(c->t);
  for (int same = 1; same >= 0 && kind->from < 0; same--) {
    kind->same = same;
    for (int e = 0; e < n && kind->from < 0; e++)
      if (berth_topo_element(c->t, e)->type == kind->parent_type) find_pair_below(c, kind, e, same);
  }
}

void kinds_find(berth_calib_t *c)
{
  int n = berth_topo_n_elements(c->t);
  for (int e = 1; e < n; e++) add_kind(c, e);
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++) find_pair(c, &c->kinds[k]);
}

void kinds_look(berth_calib_t *c)
{
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++) {
    link_kind_t *kind = &c->kinds[k];
    if (kind->inside || kind->from < 0) continue;
    berth_calib_flow_t pair = port_pair_flow(c, kind->from, kind->to);
    const char *label = pus_pair_label(c, &c->arena, pair);
    const char *what = pus_label(c, &c->arena, "%s, a first look", label);
    kind->pilot = probe_add(c, BERTH_CALIB_STREAM, 64 << 10, 1, &pair, 1, 0.01, what);
  }
}

/* Adds a line for one direction or both. `out` and `in` are the lower ends of the measured
 * links, or -1. */
static void add_kind_line(berth_calib_t *c, int k, berth_calib_flow_t pair, int out, int in)
{
  line_t l = {
      .kind = k, .odd = -1, .holds = {out >= 0, in >= 0}, .element = {out, in}, .pair = pair};
  line_t *added = c->failed ? NULL : line_add(c, l);
  if (added) line_add_points(c, added, true);
}

/* Whether a port may represent its kind. */
static bool is_usual(const berth_calib_t *c, int element, int direction)
{
  const port_t *p = port_find(c, element, direction);
  if (!p || port_doubt(c, p)) return false;
  double usual = c->kinds[p->kind].usual[direction];
  return usual > 0 && fabs(port_rate(c, p).median / usual - 1) <= calib_alike;
}

/* A usual sender and receiver among neighbours, with nothing slower in between. Returns false if
 * there are none. */
static bool find_usual_pair(const berth_calib_t *c, const link_kind_t *kind, int parent,
                            berth_calib_flow_t *pair, int *from, int *to)
{
  const berth_topo_t *t = c->t;
  double enough = fmin(kind->usual[OUT], kind->usual[IN]) * (1 - 2 * calib_alike);
  int end = parent + berth_topo_element(t, parent)->size;
  for (int a = parent + 1; a < end; a += berth_topo_element(t, a)->size) {
    if (berth_topo_element(t, a)->type != kind->child_type || !is_usual(c, a, OUT)) continue;
    for (int b = parent + 1; b < end; b += berth_topo_element(t, b)->size) {
      if (a == b || berth_topo_element(t, b)->type != kind->child_type || !is_usual(c, b, IN))
        continue;
      *pair = port_pair_flow(c, a, b);
      *from = a;
      *to = b;
      if (share_path(c, *pair) >= enough) return true;
    }
  }
  return false;
}

/* Uses any usual port for a direction; the first one if none is usual. */
static void add_direction(berth_calib_t *c, int k, int direction)
{
  int found = c->kinds[k].from;
  for (size_t i = c->n_ports; i-- > 0;) {
    const port_t *p = &c->ports[i];
    if (p->kind == k && p->direction == direction && is_usual(c, p->element, direction))
      found = p->element;
  }
  add_kind_line(c, k, port_pair(c, found, direction), direction == OUT ? found : -1,
                direction == IN ? found : -1);
}

static void add_inside_lines(berth_calib_t *c, int k)
{
  const link_kind_t *kind = &c->kinds[k];
  berth_calib_flow_t pair = port_pair_flow(c, kind->from, kind->to);
  if (kind->same) {
    add_kind_line(c, k, pair, kind->from, kind->to);
    return;
  }
  add_kind_line(c, k, pair, kind->from, -1);
  add_kind_line(c, k, port_pair_flow(c, kind->to, kind->from), -1, kind->from);
}

/* Both ends of a pair in one line, else one line per direction. */
static void add_network_lines(berth_calib_t *c, int k)
{
  const link_kind_t *kind = &c->kinds[k];
  berth_calib_flow_t pair;
  int from, to;
  for (int e = 0; e < berth_topo_n_elements(c->t) && kind->same; e++) {
    if (berth_topo_element(c->t, e)->type != kind->parent_type ||
        !find_usual_pair(c, kind, e, &pair, &from, &to))
      continue;
    add_kind_line(c, k, pair, from, to);
    return;
  }
  add_direction(c, k, OUT);
  if (!c->failed) add_direction(c, k, IN);
}

void kinds_add_lines(berth_calib_t *c)
{
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++) {
    if (c->kinds[k].from < 0) continue;
    if (c->kinds[k].inside)
      add_inside_lines(c, (int)k);
    else
      add_network_lines(c, (int)k);
  }
}
