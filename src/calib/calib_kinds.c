/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of links, the pairs that stand for them, and what is measured with them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calib/calib_internal.h"

enum { MAX_PAIRS = 32, MAX_SEVERAL = 16 };

int kind_of_link(const calib_t *c, int element)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  if (e->parent < 0) return -1;
  int parent_type = berth_topo_element(c->t, e->parent)->type;
  for (size_t k = 0; k < c->n_kinds; k++)
    if (c->kinds[k].parent_type == parent_type && c->kinds[k].child_type == e->type) return (int)k;
  return -1;
}

static void add_kind(calib_t *c, int element)
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

static bool has_ranks(const calib_t *c, int element)
{
  int pu;
  return pus_below(c, element, false, &pu, 1) > 0;
}

/* Pairs of neighbours below one parent, disjoint: both ends of the kind, or, where a parent has one
 * such child alone, that one and another. */
static void add_pairs(const calib_t *c, link_kind_t *kind, int parent, bool same)
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

static void find_pairs(calib_t *c, link_kind_t *kind)
{
  int n = berth_topo_n_elements(c->t);
  for (int same = 1; same >= 0 && kind->n_pairs == 0; same--) {
    kind->same = same;
    for (int e = 0; e < n && kind->n_pairs < MAX_PAIRS; e++)
      if (berth_topo_element(c->t, e)->type == kind->parent_type) add_pairs(c, kind, e, same);
  }
  kind->found = kind->n_pairs > 0;
}

void kinds_find(calib_t *c)
{
  int n = berth_topo_n_elements(c->t);
  for (int e = 1; e < n; e++) add_kind(c, e);
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++) find_pairs(c, &c->kinds[k]);
}

/* The first PU below one element, and the last one of the first host below another: on machines
 * where hosts share cores these differ. */
static calib_flow_t pair_flow(const calib_t *c, int from, int to)
{
  calib_flow_t f;
  pus_below(c, from, false, &f.src, 1);
  pus_below(c, to, false, &f.dst, 1);
  int host = berth_topo_pu(c->t, f.dst)->host, next = f.dst + 1;
  const berth_element_t *e = berth_topo_element(c->t, to);
  for (; next < e->first_pu + e->n_pus && berth_topo_pu(c->t, next)->host == host; next++)
    if (c->has_rank[next]) f.dst = next;
  return f;
}

/* Where a kind has several pairs above hosts, all of them at once show which is an ordinary one. */
void kinds_elect(calib_t *c)
{
  for (size_t k = 0; k < c->n_kinds; k++) {
    link_kind_t *kind = &c->kinds[k];
    if (kind->inside || kind->n_pairs < 3) continue;
    calib_flow_t flows[MAX_PAIRS];
    char what[128];
    for (size_t i = 0; i < kind->n_pairs; i++) flows[i] = pair_flow(c, kind->from[i], kind->to[i]);
    snprintf(what, sizeof what, "%zu pairs at once", kind->n_pairs);
    kind->elect = probe_add(c, CALIB_STREAM, several_size(0), kind->n_pairs, flows, 2, 0.01, what);
  }
}

/* The pair of the median rate. */
static size_t elected(const calib_t *c, const link_kind_t *kind)
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

static const char *line_label(calib_t *c, const line_t *l)
{
  const berth_topo_t *t = c->t;
  char text[600];
  snprintf(text, sizeof text, "%s to %s",
           element_label(c, &c->arena, berth_topo_pu(t, l->pair.src)->element),
           element_label(c, &c->arena, berth_topo_pu(t, l->pair.dst)->element));
  const char *copy = arena_strdup(&c->arena, text);
  return copy ? copy : "";
}

static line_t *add_line(calib_t *c, line_t l)
{
  l.point = arena_alloc(&c->arena, calib_n_sizes * sizeof *l.point);
  if (!l.point || !ARRAY_GROW(&c->lines, c->n_lines, &c->cap_lines)) {
    c->failed = true;
    return NULL;
  }
  for (size_t i = 0; i < calib_n_sizes; i++) l.point[i] = -1;
  l.latency = l.capacity[OUT] = l.capacity[IN] = l.both = -1;
  c->lines[c->n_lines] = l;
  return &c->lines[c->n_lines++];
}

void line_add_points(calib_t *c, line_t *l, bool coarse)
{
  const char *label = line_label(c, l);
  char what[700];
  bool inside = c->kinds[l->kind].inside;
  if (l->latency < 0) {
    snprintf(what, sizeof what, "%s, latency", label);
    l->latency = probe_add(c, CALIB_PINGPONG, 1, 1, &l->pair, 3, inside ? 2e-6 : 50e-6, what);
    if (!c->failed) c->probes[l->latency].refined = true;
  }
  for (size_t i = 0; i < calib_n_sizes && !c->failed; i++) {
    if (l->point[i] >= 0 || (coarse && !calib_is_coarse(i))) continue;
    snprintf(what, sizeof what, "%s, %zu B", label, calib_size(i));
    l->point[i] = probe_add(c, CALIB_STREAM, calib_size(i), 1, &l->pair, 3, 0, what);
    if (c->failed) return;
    probe_t *p = &c->probes[l->point[i]];
    p->refined = true;
    p->line = (int)(l - c->lines);
    p->point = (int)i;
  }
}

double line_guess(const calib_t *c, const line_t *l, size_t size_index)
{
  for (size_t i = size_index; i-- > 0;) {
    calib_stat_t s = probe_time(c, l->point[i]);
    if (s.n > 0) return s.median * (double)calib_size(size_index) / (double)calib_size(i);
  }
  calib_stat_t latency = probe_time(c, l->latency);
  return (latency.n ? latency.median : 20e-6) * (1 + (double)calib_size(size_index) / 1e4);
}

/* The elements of a pair, one line for both directions or one for each. */
static void add_kind_lines(calib_t *c, int k)
{
  const link_kind_t *kind = &c->kinds[k];
  size_t i = elected(c, kind);
  line_t l = {.kind = k, .odd = -1, .holds = {true, kind->same}};
  l.element[OUT] = kind->from[i];
  l.element[IN] = kind->to[i];
  l.pair = pair_flow(c, kind->from[i], kind->to[i]);
  line_t *added = add_line(c, l);
  if (added) line_add_points(c, added, true);
  if (kind->same || !added) return;
  l.holds[OUT] = false;
  l.holds[IN] = true;
  l.element[IN] = kind->from[i];
  l.pair = pair_flow(c, kind->to[i], kind->from[i]);
  if ((added = add_line(c, l))) line_add_points(c, added, true);
}

void lines_add_kinds(calib_t *c)
{
  for (size_t k = 0; k < c->n_kinds && !c->failed; k++)
    if (c->kinds[k].found) add_kind_lines(c, (int)k);
}

line_t *line_add_odd(calib_t *c, int element, int direction, int partner)
{
  line_t l = {.kind = kind_of_link(c, element), .odd = element};
  l.holds[direction] = true;
  l.element[OUT] = l.element[IN] = element;
  l.pair = direction == OUT ? pair_flow(c, element, partner) : pair_flow(c, partner, element);
  return add_line(c, l);
}

/* Several PUs below an element to several outside of it, or back. A PU may send several flows. */
static size_t fan(const calib_t *c, int element, int direction, calib_flow_t *flows)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  bool network = e->parent < 0 || is_above_hosts(c, e->parent);
  int top = network ? 0 : berth_topo_host(c->t, e->host)->element;
  int inner[MAX_SEVERAL], outer[MAX_SEVERAL];
  size_t n_inner = pus_below(c, element, is_above_hosts(c, element), inner, MAX_SEVERAL);
  size_t n_outer = pus_outside(c, element, top, network, outer, MAX_SEVERAL), n = n_outer;
  if (n_inner == 0) return 0;
  if (n > n_inner && n > 2) n = n_inner > 2 ? n_inner : 2;
  for (size_t i = 0; i < n; i++) {
    int in = inner[i % n_inner], out = outer[i];
    flows[i] = direction == OUT ? (calib_flow_t){in, out} : (calib_flow_t){out, in};
  }
  return n;
}

void line_add_capacities(calib_t *c, line_t *l)
{
  static const char *const names[] = {"out", "in"};
  for (int d = OUT; d <= IN && !c->failed; d++) {
    calib_flow_t flows[MAX_SEVERAL];
    char what[700];
    if (!l->holds[d]) continue;
    size_t n = fan(c, l->element[d], d, flows);
    if (n < 2) continue; /* a pair is all there is */
    const size_t last = calib_n_sizes - 1;
    calib_stat_t t = probe_time(c, l->point[last]);
    double rate = t.n ? (double)calib_size(last) / t.median : 1e9;
    size_t size = several_size(rate);
    snprintf(what, sizeof what, "%s, %s, %zu pairs", element_label(c, &c->arena, l->element[d]),
             names[d], n);
    l->capacity[d] =
        probe_add(c, CALIB_STREAM, size, n, flows, 3, (double)n * (double)size / rate, what);
    if (!c->failed) c->probes[l->capacity[d]].refined = true;
  }
}

/* The flows of a link's capacity in both directions at once, or a pair's where there are no more:
 * what each direction loses then is what acknowledges the other. Inside hosts the cores that copy
 * both ways are the limit, which is no matter of links. */
void line_add_both(calib_t *c, line_t *l)
{
  calib_flow_t flows[2 * MAX_SEVERAL];
  char what[700];
  if (!l->holds[OUT] || !l->holds[IN] || c->kinds[l->kind].inside) return;
  l->n_out = fan(c, l->element[OUT], OUT, flows);
  size_t n = l->n_out + fan(c, l->element[OUT], IN, flows + l->n_out);
  double rate = link_rate(c, l->element[OUT], OUT, false, (size_t)1 << 20).median;
  if (n == 0 || !(rate > 0)) return;
  size_t size = several_size(rate);
  snprintf(what, sizeof what, "%s, both ways", element_label(c, &c->arena, l->element[OUT]));
  l->both =
      probe_add(c, CALIB_STREAM, size, n, flows, 3, (double)l->n_out * (double)size / rate, what);
  if (!c->failed) c->probes[l->both].refined = true;
}

calib_stat_t line_reverse(const calib_t *c, const line_t *l)
{
  const double plausible = 0.055; /* more is a switch that limits both */
  calib_stat_t both = probe_total(c, l->both);
  calib_stat_t out = link_rate(c, l->element[OUT], OUT, false, (size_t)1 << 20);
  calib_stat_t in = link_rate(c, l->element[OUT], IN, false, (size_t)1 << 20);
  if (both.n == 0 || out.n == 0 || in.n == 0) return (calib_stat_t){0};
  both.median = fmax(0, (out.median + in.median) / both.median - 1);
  both.spread += out.spread + in.spread;
  return both.median < plausible ? both : (calib_stat_t){0};
}

const line_t *line_of_link(const calib_t *c, int element, int direction)
{
  const line_t *found = NULL;
  int kind = kind_of_link(c, element);
  for (size_t i = 0; i < c->n_lines; i++) {
    const line_t *l = &c->lines[i];
    if (l->kind != kind || !l->holds[direction]) continue;
    if (l->odd == element) return l;
    if (l->odd < 0) found = l;
  }
  return found;
}

calib_stat_t line_time(const calib_t *c, const line_t *l, size_t size_index)
{
  calib_stat_t stream = probe_time(c, l->point[size_index]), latency = probe_time(c, l->latency);
  return stream.n > 0 && latency.n > 0 && latency.median > stream.median ? latency : stream;
}

bool line_is_usable(const calib_t *c, const line_t *l)
{
  for (size_t i = 0; i < calib_n_sizes; i++)
    if (calib_is_coarse(i) && (l->point[i] < 0 || c->probes[l->point[i]].n == 0)) return false;
  return true;
}

/* A pair's bandwidth at a size; between points by the next larger one that was measured. */
static calib_stat_t pair_rate(const calib_t *c, const line_t *l, size_t size)
{
  for (size_t i = 0; i < calib_n_sizes; i++) {
    calib_stat_t t = calib_size(i) < size ? (calib_stat_t){0} : line_time(c, l, i);
    if (t.n > 0) return (calib_stat_t){(double)calib_size(i) / t.median, t.spread, t.n};
  }
  return (calib_stat_t){0};
}

calib_stat_t link_rate(const calib_t *c, int element, int direction, bool pair, size_t size)
{
  const line_t *l = line_of_link(c, element, direction);
  if (!l) return (calib_stat_t){0};
  calib_stat_t one = pair_rate(c, l, size);
  if (pair) return one;
  calib_stat_t several = probe_total(c, l->capacity[direction]);
  return several.n > 0 && several.median > one.median ? several : one;
}
