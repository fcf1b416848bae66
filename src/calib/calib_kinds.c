/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of links, and the pairs that stand for them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calib/calib_internal.h"

enum { MAX_PAIRS = 32 };

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
                      .inside = !is_above_hosts(c, e->parent),
                      .elect = -1};
  kind.from = arena_alloc(&c->arena, MAX_PAIRS * sizeof *kind.from);
  kind.to = arena_alloc(&c->arena, MAX_PAIRS * sizeof *kind.to);
  if (!kind.from || !kind.to || !ARRAY_GROW(&c->kinds, c->n_kinds, &c->cap_kinds)) {
    c->failed = true;
    return;
  }
  c->kinds[c->n_kinds++] = kind;
}

static bool has_ranks(const berth_calib_t *c, int element)
{
  int pu;
  return pus_below(c, element, false, &pu, 1) > 0;
}

/* Pairs of neighbours below one parent, disjoint: both ends of the kind, or, where a parent has one
 * such child alone, that one and another. */
static void add_pairs(const berth_calib_t *c, link_kind_t *kind, int parent, bool same)
{
  const berth_topo_t *t = c->t;
  int end = parent + berth_topo_element(t, parent)->size, waiting = -1, other = -1, wanted = -1;
  for (int e = parent + 1; e < end && kind->n_pairs < MAX_PAIRS;
       e += berth_topo_element(t, e)->size) {
    if (!has_ranks(c, e)) continue;
    bool is_kind = berth_topo_element(t, e)->type == kind->child_type;
    if (same && is_kind && waiting >= 0) {
      kind->from[kind->n_pairs] = waiting;
      kind->to[kind->n_pairs++] = e;
      waiting = -1;
    } else if (is_kind) {
      waiting = wanted = e;
    } else {
      other = e;
    }
  }
  if (!same && wanted >= 0 && other >= 0 && kind->n_pairs < MAX_PAIRS) {
    kind->from[kind->n_pairs] = wanted;
    kind->to[kind->n_pairs++] = other;
  }
}

static void find_pairs(berth_calib_t *c, link_kind_t *kind)
{
  int n = berth_topo_n_elements(c->t);
  for (int same = 1; same >= 0 && kind->n_pairs == 0; same--) {
    kind->same = same;
    for (int e = 0; e < n && kind->n_pairs < MAX_PAIRS; e++)
      if (berth_topo_element(c->t, e)->type == kind->parent_type) add_pairs(c, kind, e, same);
  }
  kind->found = kind->n_pairs > 0;
}

void kinds_find(berth_calib_t *c)
{
  int n = berth_topo_n_elements(c->t);
  for (int e = 1; e < n; e++) add_kind(c, e);
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++) find_pairs(c, &c->kinds[k]);
}

/* The first PU below one element, and the last one of the first host below another: on machines
 * where hosts share cores these differ. */
berth_calib_flow_t pair_flow(const berth_calib_t *c, int from, int to)
{
  berth_calib_flow_t f;
  pus_below(c, from, false, &f.src, 1);
  pus_below(c, to, false, &f.dst, 1);
  int host = berth_topo_pu(c->t, f.dst)->host, next = f.dst + 1;
  const berth_element_t *e = berth_topo_element(c->t, to);
  for (; next < e->first_pu + e->n_pus && berth_topo_pu(c->t, next)->host == host; next++)
    if (c->has_rank[next]) f.dst = next;
  return f;
}

/* Where a kind has several pairs above hosts, all of them at once show which is an ordinary one. */
void kinds_elect(berth_calib_t *c)
{
  for (size_t k = 0; k < c->n_kinds; k++) {
    link_kind_t *kind = &c->kinds[k];
    if (kind->inside || kind->n_pairs < 3) continue;
    berth_calib_flow_t flows[MAX_PAIRS];
    char what[128];
    for (size_t i = 0; i < kind->n_pairs; i++) flows[i] = pair_flow(c, kind->from[i], kind->to[i]);
    snprintf(what, sizeof what, "%zu pairs at once", kind->n_pairs);
    kind->elect =
        probe_add(c, BERTH_CALIB_STREAM, several_size(0), kind->n_pairs, flows, 2, 0.01, what);
  }
}

/* The pair of the median rate. */
static size_t elected(const berth_calib_t *c, const link_kind_t *kind)
{
  double rate[MAX_PAIRS], sorted[MAX_PAIRS];
  if (kind->elect < 0 || c->probes[kind->elect].n == 0) return 0;
  for (size_t i = 0; i < kind->n_pairs; i++)
    sorted[i] = rate[i] = probe_rate(c, kind->elect, i, 1).median;
  calib_statistics(sorted, kind->n_pairs);
  for (size_t i = 0; i < kind->n_pairs; i++)
    if (rate[i] == sorted[kind->n_pairs / 2]) return i;
  return 0;
}

/* A line for one direction or both: each has the lower end of the link that is measured, or -1. */
static void add_kind_line(berth_calib_t *c, int k, berth_calib_flow_t pair, int out, int in)
{
  line_t l = {
      .kind = k, .odd = -1, .holds = {out >= 0, in >= 0}, .element = {out, in}, .pair = pair};
  line_t *added = c->failed ? NULL : line_add(c, l);
  if (added) line_add_points(c, added, true);
}

/* Both ends of a pair are of the kind, or else one is measured both ways. */
static void add_kind_lines(berth_calib_t *c, int k)
{
  const link_kind_t *kind = &c->kinds[k];
  size_t i = elected(c, kind);
  int from = kind->from[i], to = kind->to[i];
  if (kind->same) {
    add_kind_line(c, k, pair_flow(c, from, to), from, to);
    return;
  }
  add_kind_line(c, k, pair_flow(c, from, to), from, -1);
  add_kind_line(c, k, pair_flow(c, to, from), -1, from);
}

void kinds_add_lines(berth_calib_t *c)
{
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++)
    if (c->kinds[k].found) add_kind_lines(c, (int)k);
}
