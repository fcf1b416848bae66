/* SPDX-License-Identifier: BSD-3-Clause */
/* Switches above hosts with all of their ports busy. A ring, each port sending to the next, loads
 * every port in both directions: where every flow is as fast as its kind promises, all ports are
 * ordinary and the switch limits nothing. Where not, each arc alone tells slow ports (then the
 * same ports with other partners tell which end) from a switch that carries less than its ports. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calib/calib_internal.h"

/* What deviates by less is taken as ordinary. */
static const double tolerance = 0.05, ring_tolerance = 0.07;
enum { MAX_FLOWS = 8 };

typedef struct flow_list {
  berth_calib_flow_t *flows;
  size_t n, cap;
} flow_list_t;

/* PUs behind a port: below a child, or beyond the up port (element -1). */
static size_t port_pus(const berth_calib_t *c, const ring_t *r, int element, int *pus)
{
  if (element < 0) return pus_outside(c, r->element, 0, true, pus, MAX_FLOWS);
  return pus_below(c, element, is_above_hosts(c, element), pus, MAX_FLOWS);
}

/* As many pairs as there are PUs on both sides; a host has few that matter. */
static size_t arc_flows(const berth_calib_t *c, const ring_t *r, int from, int to,
                        berth_calib_flow_t *flows)
{
  int src[MAX_FLOWS], dst[MAX_FLOWS];
  size_t n = port_pus(c, r, from, src), m = port_pus(c, r, to, dst);
  bool host = (from >= 0 && !is_above_hosts(c, from)) || (to >= 0 && !is_above_hosts(c, to));
  size_t most = n < m || from < 0 ? n : m;
  if (to >= 0 && from >= 0 && m < most) most = m;
  if (host && most > 2) most = 2;
  for (size_t i = 0; i < most; i++) flows[i] = (berth_calib_flow_t){src[i % n], dst[i % m]};
  return most;
}

static bool add_arc(berth_calib_t *c, ring_t *r, flow_list_t *list, int from, int to)
{
  berth_calib_flow_t flows[MAX_FLOWS];
  size_t n = arc_flows(c, r, from, to, flows);
  if (!array_reserve(&list->flows, &list->cap, list->n + n, sizeof *list->flows)) return false;
  memcpy(list->flows + list->n, flows, n * sizeof *flows);
  r->arcs[r->n_arcs++] = (arc_t){from, to, list->n, n, -1, -1, -1};
  list->n += n;
  return true;
}

/* The ports that have ranks behind them, -1 for the up port, which comes last. */
static size_t find_ports(const berth_calib_t *c, int element, int *ports)
{
  const berth_topo_t *t = c->t;
  int end = element + berth_topo_element(t, element)->size, pu;
  size_t n = 0;
  for (int e = element + 1; e < end; e += berth_topo_element(t, e)->size)
    if (pus_below(c, e, false, &pu, 1) > 0) ports[n++] = e;
  if (n > 0 && pus_outside(c, element, 0, true, &pu, 1) > 0) ports[n++] = -1;
  return n;
}

/* Seconds that a message of that size takes one of n flows of a port that they share. */
static double expected_time(const berth_calib_t *c, const arc_t *a, size_t size)
{
  int element = a->from >= 0 ? a->from : a->to;
  calib_stat_t rate = link_rate(c, element, a->from >= 0 ? OUT : IN);
  return rate.n > 0 ? (double)(size * a->n) / rate.median : 0.01;
}

static size_t ring_size(const berth_calib_t *c, int element)
{
  calib_stat_t rate = link_pair_rate(c, element, OUT, (size_t)1 << 20);
  return several_size(rate.n > 0 ? rate.median : 1e9);
}

static int add_ring_probe(berth_calib_t *c, const ring_t *r, const flow_list_t *list)
{
  char what[700];
  size_t size = ring_size(c, r->arcs[0].from >= 0 ? r->arcs[0].from : r->arcs[0].to);
  snprintf(what, sizeof what, "%s, all %zu ports", element_label(c, &c->arena, r->element),
           r->n_arcs);
  int probe = probe_add(c, BERTH_CALIB_STREAM, size, list->n, list->flows, 3,
                        expected_time(c, &r->arcs[0], size), what);
  if (!c->failed) c->probes[probe].refined = true;
  return probe;
}

static void add_ring(berth_calib_t *c, int element, int *ports)
{
  size_t n = find_ports(c, element, ports);
  flow_list_t list = {0};
  ring_t r = {.element = element, .probe = -1, .up = -1};
  if (n < 2) return;
  r.arcs = arena_alloc(&c->arena, n * sizeof *r.arcs);
  bool enough = r.arcs != NULL;
  for (size_t i = 0; i < n && enough; i++)
    enough = add_arc(c, &r, &list, ports[i], ports[(i + 1) % n]);
  if (enough) r.probe = add_ring_probe(c, &r, &list);
  if (!enough || !ARRAY_GROW(&c->rings, c->n_rings, &c->cap_rings))
    c->failed = true;
  else
    c->rings[c->n_rings++] = r;
  free(list.flows);
}

/* Children have higher numbers than their parents, so backwards is bottom up. */
void rings_add(berth_calib_t *c)
{
  int n = berth_topo_n_elements(c->t);
  int *ports = malloc(((size_t)n + 1) * sizeof *ports);
  if (!ports) c->failed = true;
  for (int e = n; ports && e-- > 0 && !c->failed;)
    if (is_above_hosts(c, e)) add_ring(c, e, ports);
  free(ports);
}

/* What an arc should carry by what is known of its ports and pairs. n is 0 when unknown. */
static calib_stat_t arc_expected(const berth_calib_t *c, const ring_t *r, const arc_t *a,
                                 size_t size)
{
  int out = a->from >= 0 ? a->from : r->element, in = a->to >= 0 ? a->to : r->element;
  int out_way = a->from >= 0 ? OUT : IN, in_way = a->to >= 0 ? IN : OUT;
  calib_stat_t x = link_rate(c, out, out_way), y = link_rate(c, in, in_way);
  calib_stat_t p = link_pair_rate(c, out, out_way, size), q = link_pair_rate(c, in, in_way, size);
  if (x.n == 0 || y.n == 0 || p.n == 0 || q.n == 0) return (calib_stat_t){0};
  calib_stat_t least = x.median < y.median ? x : y, pair = p.median < q.median ? p : q;
  pair.median *= (double)a->n;
  return pair.median < least.median ? pair : least;
}

/* What is left of an arc's rate when the other directions of its ports are busy, too. */
static double both_ways(const berth_calib_t *c, const ring_t *r, const arc_t *a)
{
  const line_t *x = line_of_link(c, a->from >= 0 ? a->from : r->element, OUT);
  const line_t *y = line_of_link(c, a->to >= 0 ? a->to : r->element, OUT);
  double most = fmax(x ? line_reverse(c, x).median : 0, y ? line_reverse(c, y).median : 0);
  return most < 0.5 ? 1 / (1 + most) : 1;
}

static bool deviates(calib_stat_t found, calib_stat_t expected, double allowed)
{
  if (found.n == 0 || expected.n == 0) return false;
  double away = fabs(found.median / expected.median - 1);
  return away > allowed && away > found.spread + expected.spread;
}

static const char *port_label(berth_calib_t *c, int element)
{
  return element < 0 ? "outside" : element_label(c, &c->arena, element);
}

static void add_alone(berth_calib_t *c, ring_t *r, arc_t *a)
{
  const probe_t *p = &c->probes[r->probe];
  char what[900];
  snprintf(what, sizeof what, "%s, %s to %s alone", element_label(c, &c->arena, r->element),
           port_label(c, a->from), port_label(c, a->to));
  a->alone = probe_add(c, BERTH_CALIB_STREAM, p->size, a->n, p->flows + a->first, 2,
                       expected_time(c, a, p->size), what);
}

/* The arcs through the up port, which are the last two: both together they may be slower than each
 * alone because of something beyond. */
static void add_up(berth_calib_t *c, ring_t *r)
{
  const arc_t *leaving = r->n_arcs < 2 ? NULL : &r->arcs[r->n_arcs - 2];
  if (!leaving || leaving->to >= 0) return;
  const probe_t *p = &c->probes[r->probe];
  char what[700];
  snprintf(what, sizeof what, "%s, its up port", element_label(c, &c->arena, r->element));
  r->up = probe_add(c, BERTH_CALIB_STREAM, p->size, leaving[0].n + leaving[1].n,
                    p->flows + leaving->first, 2, expected_time(c, leaving, p->size), what);
}

void rings_add_alone(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_rings; i++) {
    ring_t *r = &c->rings[i];
    bool any = false;
    for (size_t k = 0; k < r->n_arcs && !c->failed; k++) {
      arc_t *a = &r->arcs[k];
      calib_stat_t expected = arc_expected(c, r, a, c->probes[r->probe].size);
      expected.median *= both_ways(c, r, a);
      if (!deviates(probe_rate(c, r->probe, a->first, a->n), expected, ring_tolerance)) continue;
      any = true;
      add_alone(c, r, a);
    }
    if (any && !c->failed) add_up(c, r);
  }
}

static bool is_slow_alone(const berth_calib_t *c, const ring_t *r, const arc_t *a)
{
  return a->alone >= 0 && deviates(probe_total(c, a->alone),
                                   arc_expected(c, r, a, c->probes[r->probe].size), tolerance);
}

/* Flows of an ordinary arc's end with an end of `a`; -1 where there is no such arc. */
static int add_other(berth_calib_t *c, const ring_t *r, const arc_t *a, bool other_receiver)
{
  for (size_t k = 0; k < r->n_arcs; k++) {
    const arc_t *b = &r->arcs[k];
    int from = other_receiver ? a->from : b->from, to = other_receiver ? b->to : a->to;
    if (b == a || is_slow_alone(c, r, b) || from == to || from < 0 || to < 0) continue;
    berth_calib_flow_t flows[MAX_FLOWS];
    size_t n = arc_flows(c, r, from, to, flows), size = c->probes[r->probe].size;
    char what[900];
    snprintf(what, sizeof what, "%s to %s", element_label(c, &c->arena, from),
             element_label(c, &c->arena, to));
    return probe_add(c, BERTH_CALIB_STREAM, size, n, flows, 2, expected_time(c, a, size), what);
  }
  return -1;
}

void rings_add_ends(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    for (size_t k = 0; k < r->n_arcs && !c->failed; k++) {
      arc_t *a = &r->arcs[k];
      if (!is_slow_alone(c, r, a)) continue;
      if (a->from >= 0) a->other_receiver = add_other(c, r, a, true);
      if (a->to >= 0) a->other_sender = add_other(c, r, a, false);
    }
  }
}

static bool known_odd(const berth_calib_t *c, int element, int direction)
{
  const line_t *l = line_of_link(c, element, direction);
  return l && l->odd == element;
}

/* Measures one direction of an odd element's link with a partner: the arc's other end, or, where
 * that is the up port, another child, or what is outside. */
static void add_odd(berth_calib_t *c, const ring_t *r, int element, int direction, int partner)
{
  int pu;
  for (size_t k = 0; k < r->n_arcs && partner < 0; k++)
    if (r->arcs[k].from != element) partner = r->arcs[k].from;
  if (partner < 0 && pus_outside(c, r->element, 0, true, &pu, 1) > 0)
    partner = berth_topo_pu(c->t, pu)->element;
  line_t *l = partner < 0 ? NULL : line_add_odd(c, element, direction, partner);
  if (l) line_add_points(c, l, true);
  if (l) line_add_capacities(c, l);
}

static bool stays_slow(const berth_calib_t *c, int probe, calib_stat_t expected)
{
  return deviates(probe_total(c, probe), expected, tolerance);
}

/* An end whose arc stays slow with another partner is odd. Without another partner for either it is
 * the sender: what one end cannot send the other cannot get, so that either says the same. */
static void find_odd(berth_calib_t *c, const ring_t *r, const arc_t *a)
{
  calib_stat_t expected = arc_expected(c, r, a, c->probes[r->probe].size);
  bool sender =
      a->other_receiver >= 0 ? stays_slow(c, a->other_receiver, expected) : a->other_sender < 0;
  bool receiver = a->other_sender >= 0 ? stays_slow(c, a->other_sender, expected) : a->from < 0;
  if (a->from >= 0 && sender && !known_odd(c, a->from, OUT)) add_odd(c, r, a->from, OUT, a->to);
  if (a->to >= 0 && receiver && !known_odd(c, a->to, IN)) add_odd(c, r, a->to, IN, a->from);
}

void rings_find_odd(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_rings; i++)
    for (size_t k = 0; k < c->rings[i].n_arcs && !c->failed; k++)
      if (is_slow_alone(c, &c->rings[i], &c->rings[i].arcs[k]))
        find_odd(c, &c->rings[i], &c->rings[i].arcs[k]);
}

/* What the arc carries when the switch has nothing else to do; by its ports where that was not
 * measured (yet). */
static calib_stat_t arc_free(const berth_calib_t *c, const ring_t *r, const arc_t *a)
{
  size_t first = r->n_arcs < 2 ? 0 : r->arcs[r->n_arcs - 2].first;
  calib_stat_t up = {0}, alone = probe_total(c, a->alone);
  if (r->up >= 0 && (a->from < 0 || a->to < 0)) up = probe_rate(c, r->up, a->first - first, a->n);
  if (up.n > 0) return up;
  return alone.n > 0 ? alone : arc_expected(c, r, a, c->probes[r->probe].size);
}

static double limit_of(const berth_calib_t *c, int element)
{
  for (size_t i = 0; element >= 0 && i < c->n_rings; i++)
    if (c->rings[i].element == element) return c->rings[i].limit;
  return 0;
}

/* How much of its free rate an arc keeps when a switch below its port carries all of the ring's
 * traffic through that port and has a limit of its own. */
static double kept(const berth_calib_t *c, const ring_t *r, int port)
{
  double limit = limit_of(c, port), crossing = 0;
  if (limit <= 0) return 1;
  for (size_t k = 0; k < r->n_arcs; k++)
    if (r->arcs[k].from == port || r->arcs[k].to == port)
      crossing += arc_free(c, r, &r->arcs[k]).median;
  return crossing > limit ? limit / crossing : 1;
}

/* What arcs should carry together and what they did; false where something isn't known. */
static bool add_up_arcs(const berth_calib_t *c, const ring_t *r, bool up_too, double *free_rate,
                        double *found, double *spread)
{
  *free_rate = *found = *spread = 0;
  for (size_t k = 0; k < r->n_arcs; k++) {
    const arc_t *a = &r->arcs[k];
    bool up = a->from < 0 || a->to < 0;
    if (up && !up_too) continue;
    calib_stat_t rate = arc_free(c, r, a);
    if (rate.n == 0) return false;
    /* the arcs through the up port were measured both ways, if at all */
    double share = up && probe_total(c, r->up).n > 0 ? 1 : both_ways(c, r, a);
    *free_rate += rate.median * share * fmin(kept(c, r, a->from), kept(c, r, a->to));
    *found += probe_rate(c, r->probe, a->first, a->n).median;
    *spread = fmax(*spread, rate.spread);
  }
  return true;
}

/* Arcs through the up port may be slow because of something beyond; as long as they were not
 * measured by themselves, the others must be slow, too. */
static void find_limit(const berth_calib_t *c, ring_t *r)
{
  calib_stat_t total = probe_total(c, r->probe);
  double found, spread;
  r->ports = r->ports_spread = r->limit = 0;
  r->unsure = false;
  if (total.n == 0 || !add_up_arcs(c, r, true, &r->ports, &found, &spread)) return;
  r->ports_spread = spread;
  double missing = 1 - total.median / r->ports, free_rate;
  if (probe_total(c, r->up).n == 0 && r->arcs[r->n_arcs - 1].from < 0 &&
      add_up_arcs(c, r, false, &free_rate, &found, &spread) && free_rate > 0)
    missing = fmin(missing, 1 - found / free_rate);
  if (missing <= ring_tolerance) return;
  r->unsure = total.spread > calib_wide_spread || missing <= total.spread + spread;
  if (!r->unsure) r->limit = total.median;
}

/* Rings stand bottom up, so that limits below are known. */
void rings_find_limits(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_rings; i++) c->rings[i].limit = 0;
  for (size_t i = 0; i < c->n_rings; i++) find_limit(c, &c->rings[i]);
}

/* Whether a message between two PUs crosses a switch: it has one of them below it, or both, but not
 * below the same child. */
static bool crosses(const berth_topo_t *t, int element, berth_calib_flow_t f)
{
  const berth_element_t *e = berth_topo_element(t, element);
  bool src = f.src >= e->first_pu && f.src < e->first_pu + e->n_pus;
  bool dst = f.dst >= e->first_pu && f.dst < e->first_pu + e->n_pus;
  if (src != dst || !src) return src != dst;
  for (int child = element + 1; child < element + e->size;
       child += berth_topo_element(t, child)->size) {
    const berth_element_t *x = berth_topo_element(t, child);
    if (f.src >= x->first_pu && f.src < x->first_pu + x->n_pus)
      return f.dst < x->first_pu || f.dst >= x->first_pu + x->n_pus;
  }
  return false;
}

bool rings_limit_flows(const berth_calib_t *c, const berth_calib_flow_t *flows, size_t n,
                       double rate)
{
  const double near = 0.9;
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    size_t crossing = 0;
    for (size_t f = 0; r->limit > 0 && f < n; f++) crossing += crosses(c->t, r->element, flows[f]);
    if (crossing > 0 && rate * (double)crossing / (double)n > near * r->limit) return true;
  }
  return false;
}
