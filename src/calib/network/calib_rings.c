/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds limits of switches above hosts, by rings that keep all ports busy.
 *
 * In a ring, each port sends to the next two. So every port is loaded in both directions. The
 * ports' capacities are known before. If a ring carries less than its ports would share out, and
 * loses it as a limit of the switch would make it, the switch has a limit. If a port carries
 * more than its capacity, the capacity was measured wrong. */
#include "calib/network/calib_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A smaller loss than the first is ordinary, a larger one than the second is a limit. */
static const double doubtful = 0.03, ring_tolerance = 0.07;
enum { MAX_FLOWS = 8, MAX_PUS = 32 };

static double sum_of(const double *rate, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += rate[i];
  return sum;
}

typedef struct flow_list {
  berth_calib_flow_t *flows;
  size_t n, cap;
} flow_list_t;

/* The PUs behind a port: below a child, or beyond the up port (element -1). */
static size_t port_pus(const berth_calib_t *c, const ring_t *r, int element, int *pus)
{
  if (element < 0) return pus_outside(c, r->element, 0, true, pus, MAX_PUS);
  return pus_below(c, element, pus_is_above_hosts(c, element), pus, MAX_FLOWS);
}

/* Pairs between the PUs behind two ports, all different as long as that is possible. `turn` says
 * which come first, so that the way back uses other pairs. */
static size_t arc_flows(const berth_calib_t *c, const ring_t *r, arc_t a, size_t turn,
                        berth_calib_flow_t *flows)
{
  int src[MAX_PUS], dst[MAX_PUS];
  size_t n = port_pus(c, r, a.from, src), m = port_pus(c, r, a.to, dst);
  for (size_t i = 0; i < a.n; i++) {
    size_t s = a.from < 0 ? i + turn : i;
    flows[i] = (berth_calib_flow_t){src[s % n], pu_last(c, dst[(i + turn) % m])};
  }
  return a.n;
}

static bool is_host_port(const berth_calib_t *c, int element)
{
  return element >= 0 && !pus_is_above_hosts(c, element);
}

/* The number of pairs of an arc between two children: several if both are switches. */
static size_t pairs_across(const berth_calib_t *c, const ring_t *r, int from, int to)
{
  int pus[MAX_PUS];
  size_t n = port_pus(c, r, from, pus), m = port_pus(c, r, to, pus), max = n > m ? n : m;
  size_t enough = is_host_port(c, from) || is_host_port(c, to) ? 1 : MAX_FLOWS / 2;
  if (r->n_ports == 2) enough *= 2;
  return max < enough ? max : enough;
}

static bool add_arc(berth_calib_t *c, ring_t *r, flow_list_t *list, arc_t a, size_t turn)
{
  berth_calib_flow_t flows[MAX_FLOWS];
  size_t n = arc_flows(c, r, a, turn, flows);
  if (!array_reserve(&list->flows, &list->cap, list->n + n, sizeof *list->flows)) return false;
  memcpy(list->flows + list->n, flows, n * sizeof *flows);
  a.first = list->n;
  r->arcs[r->n_arcs++] = a;
  list->n += n;
  return true;
}

/* The ports with ranks behind them. The up port is -1 and comes last. */
static size_t find_ports(const berth_calib_t *c, int element, bool whole, int *ports)
{
  const berth_topo_t *t = c->t;
  int end = element + berth_topo_element(t, element)->size, pu;
  size_t n = 0;
  for (int e = element + 1; e < end; e += berth_topo_element(t, e)->size)
    if (pus_below(c, e, false, &pu, 1) > 0) ports[n++] = e;
  if (whole && n > 0 && pus_outside(c, element, 0, true, &pu, 1) > 0) ports[n++] = -1;
  return n;
}

/* The joint rate of all flows if only ports limit them, and the slowest flow's rate. */
static double load_of(berth_calib_t *c, const flow_list_t *list, double *slowest)
{
  const sharing_t s = {.but = -1};
  double *rate = malloc((list->n + 1) * sizeof *rate);
  bool enough = rate && share_rates(c, &s, list->flows, list->n, NULL, rate);
  double load = enough ? sum_of(rate, list->n) : 0;
  *slowest = INFINITY;
  for (size_t f = 0; enough && f < list->n; f++) *slowest = fmin(*slowest, rate[f]);
  if (!enough) c->failed = true;
  free(rate);
  return load;
}

/* Flows are timed in the same window, so that their rates add up. Each must have some dozen
 * messages in it. */
static size_t ring_size(const flow_list_t *list, double load)
{
  const double messages = 16, time_s = 1;
  double each = load / (double)list->n;
  size_t size = probe_several_size(each > 0 ? 1e3 * each : 1e9);
  while (each > 0 && size > 4 << 10 && messages * (double)size > time_s * each) size /= 2;
  return size;
}

static int add_ring_probe(berth_calib_t *c, const ring_t *r, const flow_list_t *list)
{
  double slowest, load = load_of(c, list, &slowest);
  size_t size = ring_size(list, isinf(load) ? 0 : load);
  const char *what =
      pus_label(c, &c->arena, "%s, all %zu ports%s", pus_element_label(c, &c->arena, r->element),
                r->n_ports, r->whole ? "" : " of its children");
  double expected = slowest > 0 && !isinf(slowest) ? (double)size / slowest : 0.01;
  return probe_add_refined(c, BERTH_CALIB_STREAM, size, list->n, list->flows, expected, what);
}

/* How many of each child's pairs go through the up port while `local` stay below: enough to fill
 * the up port when the children's ports are full. */
static size_t pairs_up(const berth_calib_t *c, const ring_t *r, const int *ports, size_t local)
{
  double up = 0, all = 0;
  for (int d = OUT; d <= IN; d++) up = fmax(up, line_link_rate(c, r->element, d).median);
  for (size_t i = 0; i + 1 < r->n_ports; i++) all += line_link_rate(c, ports[i], OUT).median;
  double share = all > 0 ? fmin(up / all, 0.9) : 0.5;
  double pairs = ceil(1.25 * share / (1 - share) * (double)local);
  return (size_t)fmin(fmax(pairs, 1), MAX_FLOWS);
}

/* Arcs from each child to the next two. If there is an up port, to the next one, and through the
 * up port and back, which fills more ports at once. */
static bool add_arcs(berth_calib_t *c, ring_t *r, flow_list_t *list, const int *ports)
{
  bool enough = true;
  size_t n = r->n_ports - (ports[r->n_ports - 1] < 0);
  bool has_up = n < r->n_ports;
  size_t steps = n < 3 || has_up ? n > 1 : 2, up = 0, local = 0;
  for (size_t i = 0; i < n && enough; i++)
    for (size_t step = 1; step <= steps && enough; step++) {
      arc_t a = {.from = ports[i], .to = ports[(i + step) % n]};
      a.n = pairs_across(c, r, a.from, a.to);
      local = step * a.n;
      enough = add_arc(c, r, list, a, n == 2 ? i : 0);
    }
  if (has_up) up = pairs_up(c, r, ports, local > 0 ? local : 1);
  for (size_t i = 0; i < n && up > 0 && enough; i++)
    enough = add_arc(c, r, list, (arc_t){.from = ports[i], .to = -1, .n = up}, i * up) &&
             add_arc(c, r, list, (arc_t){.from = -1, .to = ports[i], .n = up}, (i + 1) * up);
  return enough;
}

/* Arcs between all ports: from every host below one to a host behind the other. */
static bool add_all_arcs(berth_calib_t *c, ring_t *r, flow_list_t *list, const int *ports)
{
  bool enough = true;
  for (size_t i = 0; i < r->n_ports && enough; i++)
    for (size_t k = 0; k < r->n_ports && enough; k++) {
      if (i == k) continue;
      int pus[MAX_PUS];
      arc_t a = {.from = ports[i], .to = ports[k]};
      size_t n = is_host_port(c, a.from) ? 1 : port_pus(c, r, a.from, pus);
      size_t m = is_host_port(c, a.to) ? 1 : port_pus(c, r, a.to, pus);
      a.n = n > m ? n : m;
      if (a.n > MAX_FLOWS) a.n = MAX_FLOWS;
      enough = add_arc(c, r, list, a, i + k);
    }
  return enough;
}

/* If ports have many rates, a ring leaves some idle. Uses all arcs if they fill the ports
 * better. */
static bool add_fullest_arcs(berth_calib_t *c, ring_t *r, flow_list_t *list, const int *ports)
{
  const size_t few = 12;
  const double fuller = 1.02;
  ring_t all = *r;
  flow_list_t flows = {0};
  bool enough = add_arcs(c, r, list, ports);
  if (!enough || !r->whole || r->n_ports > few) return enough;
  all.arcs = arena_alloc(&c->arena, r->n_ports * r->n_ports * sizeof *all.arcs);
  enough = all.arcs && add_all_arcs(c, &all, &flows, ports);
  double slowest;
  if (enough && load_of(c, &flows, &slowest) > fuller * load_of(c, list, &slowest)) {
    flow_list_t other = *list;
    *list = flows;
    flows = other;
    *r = all;
  }
  free(flows.flows);
  return enough;
}

/* Skips a ring of children alone if nothing is above: the whole ring says the same. */
static void add_ring(berth_calib_t *c, int element, bool whole, int *ports)
{
  size_t n = find_ports(c, element, whole, ports);
  flow_list_t list = {0};
  ring_t r = {.element = element, .whole = whole, .n_ports = n, .probe = -1};
  if (n < 2 || (!whole && find_ports(c, element, true, ports) == n)) return;
  r.arcs = arena_alloc(&c->arena, 4 * n * sizeof *r.arcs);
  bool enough = r.arcs != NULL;
  enough = enough && add_fullest_arcs(c, &r, &list, ports);
  r.leaves = ports[n - 1] < 0;
  if (enough) r.probe = add_ring_probe(c, &r, &list);
  if (!enough || !ARRAY_ADD(&c->rings, &c->n_rings, &c->cap_rings, r)) c->failed = true;
  free(list.flows);
}

/* Children have higher numbers than their parents, so backwards is bottom up. */
void rings_add(berth_calib_t *c)
{
  int n = berth_topo_n_elements(c->t);
  int *ports = malloc(((size_t)n + 1) * sizeof *ports);
  if (!ports) c->failed = true;
  for (int e = n; ports && e-- > 0 && !c->failed;)
    for (int whole = 0; whole < 2 && pus_is_above_hosts(c, e) && !c->failed; whole++)
      add_ring(c, e, whole, ports);
  free(ports);
}

/* The maximum rate of one flow by the curves at its ends; 0 if unknown. */
static double pair_rate(const berth_calib_t *c, berth_calib_flow_t f, size_t size)
{
  step_t steps[2 * BERTH_MAX_DEPTH];
  double min = INFINITY;
  size_t n = share_path_find(c, f, steps);
  for (size_t i = 0; i < n; i++) {
    calib_stat_t s = line_link_pair_rate(c, steps[i].element, steps[i].direction, size);
    if (s.n > 0) min = fmin(min, s.median);
  }
  return isinf(min) ? 0 : min;
}

/* The rates of a ring's flows if its switch has that limit (0: none). The caller frees them;
 * NULL if memory is out. */
static double *predict(const berth_calib_t *c, const ring_t *r, double limit)
{
  const probe_t *p = &c->probes[r->probe];
  double *rate = malloc(2 * p->n_flows * sizeof *rate);
  if (!rate) return NULL;
  double *cap = rate + p->n_flows;
  const sharing_t s = {.limits = true, .both_ways = true, .but = r->element, .but_limit = limit};
  for (size_t f = 0; f < p->n_flows; f++) cap[f] = pair_rate(c, p->flows[f], p->size);
  if (share_rates(c, &s, p->flows, p->n_flows, cap, rate)) return rate;
  free(rate);
  return NULL;
}

/* Whether a limit explains the arcs' rates clearly better than none does. A port that can't do
 * both ways at once slows its own arcs; a limit slows all fast arcs. */
static bool is_spread_as_limit(const berth_calib_t *c, const ring_t *r, const double *free_rate,
                               const double *limited)
{
  const double better = 0.75;
  double off_free = 0, off_limited = 0;
  for (size_t k = 0; k < r->n_arcs; k++) {
    const arc_t *a = &r->arcs[k];
    double found = probe_best(c, r->probe, a->first, a->n).median;
    off_free += fabs(found - sum_of(free_rate + a->first, a->n));
    off_limited += fabs(found - sum_of(limited + a->first, a->n));
  }
  return off_limited < better * off_free;
}

/* The spread of the ports' rates that the ring is compared with. */
static double ports_spread(const berth_calib_t *c, const ring_t *r)
{
  double spread = 0;
  for (size_t k = 0; k < r->n_arcs; k++) {
    const arc_t *a = &r->arcs[k];
    const port_t *p = port_find(c, a->from < 0 ? r->element : a->from, a->from < 0 ? IN : OUT);
    if (p) spread = fmax(spread, port_rate(c, p).spread);
  }
  return isinf(spread) ? 1 : spread;
}

static calib_stat_t ring_total(const berth_calib_t *c, const ring_t *r)
{
  return probe_best(c, r->probe, 0, c->probes[r->probe].n_flows);
}

static void judge(const berth_calib_t *c, ring_t *r)
{
  calib_stat_t total = ring_total(c, r);
  r->ports = r->ports_spread = r->limit = 0;
  r->verdict = LIMIT_UNSURE;
  double *free_rate = total.n == 0 ? NULL : predict(c, r, 0);
  double *limited = free_rate ? predict(c, r, total.median) : NULL;
  if (limited) {
    r->ports = sum_of(free_rate, c->probes[r->probe].n_flows);
    r->ports_spread = ports_spread(c, r);
    double missing = 1 - total.median / r->ports, spread = total.spread + r->ports_spread;
    if (missing <= doubtful || (missing <= ring_tolerance && missing <= spread))
      r->verdict = LIMIT_NONE;
    else if (missing > ring_tolerance && missing > spread && total.spread < calib_wide_spread &&
             is_spread_as_limit(c, r, free_rate, limited))
      r->verdict = LIMIT_FOUND;
    if (r->verdict == LIMIT_FOUND) r->limit = total.median;
  }
  free(free_rate);
  free(limited);
}

/* Whether a message between two PUs crosses a switch: one of them is below it, or both are below
 * different children. */
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

/* The rate that a ring sent through a switch. */
static double through_switch(const berth_calib_t *c, const ring_t *r, int element)
{
  const probe_t *p = &c->probes[r->probe];
  double sum = 0;
  for (size_t f = 0; f < p->n_flows && p->n > 0; f++)
    if (crosses(c->t, element, p->flows[f])) sum += probe_best(c, r->probe, f, 1).median;
  return sum;
}

/* The maximum rate of all rings through a switch. */
static double max_through(const berth_calib_t *c, int element)
{
  double max = 0;
  for (size_t i = 0; i < c->n_rings; i++) max = fmax(max, through_switch(c, &c->rings[i], element));
  return max;
}

/* Whether all messages of a ring also cross another switch that never carried more: the limit
 * may be that one's. */
static bool is_ambiguous(const berth_calib_t *c, const ring_t *r)
{
  const double more = 1.02;
  for (size_t i = 0; i < c->n_rings; i++) {
    int other = c->rings[i].element;
    if (other == r->element || rings_switch_limit(c, other) > 0) continue;
    if (through_switch(c, r, other) * more < r->limit) continue;
    if (max_through(c, other) < more * r->limit) return true;
  }
  return false;
}

/* Drops limits that another ring exceeded. */
static void doubt_limits(berth_calib_t *c)
{
  const double beyond = 1.04;
  for (size_t i = 0; i < c->n_rings; i++)
    for (size_t k = 0; k < c->n_rings && c->rings[i].verdict == LIMIT_FOUND; k++)
      if (through_switch(c, &c->rings[k], c->rings[i].element) > beyond * c->rings[i].limit) {
        c->rings[i].verdict = LIMIT_UNSURE;
        c->rings[i].limit = 0;
      }
  for (size_t i = 0; i < c->n_rings; i++)
    if (c->rings[i].verdict == LIMIT_FOUND && is_ambiguous(c, &c->rings[i]))
      c->rings[i].verdict = LIMIT_UNSURE;
}

enum { PASSES = 4 };

/* Rings of children come first, bottom up: their traffic stays in the switch, so nothing unknown
 * is on its path. Then the rings that leave the switch, which know these limits. Then all again,
 * because a limit may belong to another switch that was found later. */
void rings_find_limits(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_rings; i++) {
    c->rings[i].limit = 0;
    c->rings[i].verdict = LIMIT_UNSURE;
  }
  for (int pass = 0; pass < PASSES; pass++)
    for (size_t i = 0; i < c->n_rings; i++) {
      ring_t *r = &c->rings[i];
      bool leaves = r->leaves;
      if (pass > 1 || leaves == pass) judge(c, r);
    }
  doubt_limits(c);
}

const ring_t *rings_switch_ring(const berth_calib_t *c, int element)
{
  const ring_t *found = NULL;
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    if (r->element != element) continue;
    bool says_more = !found || r->verdict == LIMIT_FOUND ||
                     (found->verdict != LIMIT_FOUND && r->verdict == LIMIT_UNSURE) ||
                     (r->whole && r->verdict == found->verdict);
    if (says_more) found = r;
  }
  return found;
}

double rings_switch_limit(const berth_calib_t *c, int element)
{
  const ring_t *r = rings_switch_ring(c, element);
  return r && r->verdict == LIMIT_FOUND ? r->limit : 0;
}

/* Adds up what a sample of a ring sent through each port. */
static void add_up_ports(const berth_calib_t *c, const probe_t *probe, size_t sample,
                         double *through)
{
  for (size_t i = 0; i < c->n_ports; i++) through[i] = 0;
  for (size_t f = 0; f < probe->n_flows; f++) {
    step_t steps[2 * BERTH_MAX_DEPTH];
    size_t n = share_path_find(c, probe->flows[f], steps);
    double rate = (double)probe->size / probe->samples[sample * probe->n_flows + f];
    for (size_t i = 0; i < n; i++) {
      const port_t *p = port_find(c, steps[i].element, steps[i].direction);
      if (p) through[p - c->ports] += rate;
    }
  }
}

/* Marks ports that carried more than their capacity in each sample of a ring. In a single
 * sample, flows may have been timed one after another. */
static void find_contradictions(berth_calib_t *c, const ring_t *r, double *through)
{
  const double beyond = 0.04;
  const probe_t *probe = &c->probes[r->probe];
  double *min = through + c->n_ports;
  for (size_t i = 0; i < c->n_ports; i++) min[i] = INFINITY;
  for (size_t s = 0; s < probe->n; s++) {
    add_up_ports(c, probe, s, through);
    for (size_t i = 0; i < c->n_ports; i++) min[i] = fmin(min[i], through[i]);
  }
  for (size_t i = 0; i < c->n_ports && probe->n > 1; i++) {
    calib_stat_t s = port_rate(c, &c->ports[i]);
    double max = s.median * (1 + beyond + (isinf(s.spread) ? 0 : s.spread));
    if (s.n > 0 && min[i] > max) c->ports[i].contradicted = true;
  }
}

void rings_check(berth_calib_t *c)
{
  double *through = malloc((2 * c->n_ports + 1) * sizeof *through);
  if (!through) c->failed = true;
  for (size_t i = 0; i < c->n_ports; i++) c->ports[i].contradicted = false;
  for (size_t i = 0; i < c->n_rings && through; i++) find_contradictions(c, &c->rings[i], through);
  free(through);
}

void rings_look_again(berth_calib_t *c)
{
  const size_t more = 3;
  rings_check(c);
  rings_find_limits(c);
  for (size_t i = 0; i < c->n_rings; i++) {
    const ring_t *r = &c->rings[i];
    double missing = r->ports > 0 ? 1 - ring_total(c, r).median / r->ports : 0;
    if (fabs(missing) > doubtful) c->probes[r->probe].need = c->probes[r->probe].n + more;
  }
  for (size_t i = 0; i < c->n_ports; i++)
    for (size_t k = 0; k < c->ports[i].n_views && c->ports[i].contradicted; k++) {
      probe_t *p = &c->probes[c->ports[i].view[k].probe];
      if (p->need <= p->n) p->need = p->n + more;
    }
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
