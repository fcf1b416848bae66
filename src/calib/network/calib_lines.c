/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines: latency and curve of a pair, and the joint bandwidth of several pairs. */
#include "calib/network/calib_network.h"

#include <math.h>

#include "base/array.h"

const double calib_wide_spread = 0.25;

line_t *line_add(berth_calib_t *c, line_t l)
{
  l.point = arena_alloc(&c->arena, calib_n_sizes * sizeof *l.point);
  if (!l.point || !ARRAY_GROW(&c->lines, c->n_lines, &c->cap_lines)) {
    c->failed = true;
    return NULL;
  }
  for (size_t i = 0; i < calib_n_sizes; i++) l.point[i] = -1;
  l.latency = l.capacity[OUT] = l.capacity[IN] = l.both = l.both_element = -1;
  c->lines[c->n_lines] = l;
  return &c->lines[c->n_lines++];
}

static int add_point(berth_calib_t *c, const line_t *l, size_t i)
{
  const char *pair = pus_pair_label(c, &c->arena, l->pair);
  const char *what = pus_label(c, &c->arena, "%s, %zu B", pair, calib_size(i));
  int probe = probe_add_refined(c, BERTH_CALIB_STREAM, calib_size(i), 1, &l->pair, 0, what);
  if (c->failed) return -1;
  c->probes[probe].line = (int)(l - c->lines);
  c->probes[probe].point = (int)i;
  return probe;
}

static int add_latency(berth_calib_t *c, const line_t *l)
{
  const char *pair = pus_pair_label(c, &c->arena, l->pair);
  double expected = c->kinds[l->kind].inside ? 2e-6 : 50e-6;
  return probe_add_refined(c, BERTH_CALIB_PINGPONG, 1, 1, &l->pair, expected,
                           pus_label(c, &c->arena, "%s, latency", pair));
}

void line_add_points(berth_calib_t *c, line_t *l, bool coarse)
{
  if (l->latency < 0) l->latency = add_latency(c, l);
  for (size_t i = 0; i < calib_n_sizes && !c->failed; i++)
    if (l->point[i] < 0 && (!coarse || calib_is_coarse(i))) l->point[i] = add_point(c, l, i);
}

double line_guess(const berth_calib_t *c, const line_t *l, size_t size_index)
{
  for (size_t i = size_index; i-- > 0;) {
    calib_stat_t s = probe_time(c, l->point[i], 0);
    if (s.n > 0) return s.median * (double)calib_size(size_index) / (double)calib_size(i);
  }
  const port_t *p = port_find(c, l->element[l->holds[OUT] ? OUT : IN], l->holds[OUT] ? OUT : IN);
  double rate = p ? port_rate(c, p).median : 0, size = (double)calib_size(size_index);
  calib_stat_t latency = probe_time(c, l->latency, 0);
  if (rate > 0) return latency.median + size / rate;
  return (latency.n ? latency.median : 20e-6) * (1 + size / 1e4);
}

/* A PU may send several flows. */
size_t line_fan(const berth_calib_t *c, int element, int direction, berth_calib_flow_t *flows)
{
  const berth_element_t *e = berth_topo_element(c->t, element);
  bool network = e->parent < 0 || pus_is_above_hosts(c, e->parent);
  int top = network ? 0 : berth_topo_host(c->t, e->host)->element;
  int inner[MAX_SEVERAL], outer[MAX_SEVERAL];
  size_t n_inner = pus_below(c, element, pus_is_above_hosts(c, element), inner, MAX_SEVERAL);
  size_t n_outer = pus_outside(c, element, top, network, outer, MAX_SEVERAL), n = n_outer;
  if (n_inner == 0) return 0;
  if (n > n_inner && n > 2) n = n_inner > 2 ? n_inner : 2;
  for (size_t i = 0; i < n; i++) {
    int in = inner[i % n_inner], out = outer[i];
    if (network && direction == OUT) out = pu_last(c, out);
    flows[i] = direction == OUT ? (berth_calib_flow_t){in, out} : (berth_calib_flow_t){out, in};
  }
  return n;
}

static int add_capacity(berth_calib_t *c, const line_t *l, int direction)
{
  const size_t last = calib_n_sizes - 1;
  berth_calib_flow_t flows[MAX_SEVERAL];
  size_t n = line_fan(c, l->element[direction], direction, flows);
  if (n < 2) return -1; /* there is only one pair */
  calib_stat_t t = probe_time(c, l->point[last], 0);
  double rate = t.n ? (double)calib_size(last) / t.median : 1e9;
  size_t size = probe_several_size(rate);
  const char *what = pus_label(c, &c->arena, "%s, %s, %zu pairs",
                               pus_element_label(c, &c->arena, l->element[direction]),
                               direction == OUT ? "uplink" : "downlink", n);
  return probe_add_refined(c, BERTH_CALIB_STREAM, size, n, flows, (double)n * (double)size / rate,
                           what);
}

void line_add_capacities(berth_calib_t *c, line_t *l)
{
  for (int d = OUT; d <= IN && !c->failed; d++)
    if (l->holds[d] && c->kinds[l->kind].inside) l->capacity[d] = add_capacity(c, l, d);
}

const line_t *line_of_link(const berth_calib_t *c, int element, int direction)
{
  const port_t *p = port_find(c, element, direction);
  int kind = kind_of_link(c, element);
  if (p && p->line >= 0) return &c->lines[p->line];
  for (size_t i = 0; i < c->n_lines; i++) {
    const line_t *l = &c->lines[i];
    if (l->kind == kind && l->holds[direction] && l->odd < 0) return l;
  }
  return NULL;
}

calib_stat_t line_several(const berth_calib_t *c, const line_t *l, int direction)
{
  return c->kinds[l->kind].inside ? probe_total(c, l->capacity[direction]) : l->several[direction];
}

/* If the latency is larger than the stream's time, its samples and spread count, too. But one
 * sample of the size says nothing about the next one. */
calib_stat_t line_time(const berth_calib_t *c, const line_t *l, size_t size_index)
{
  calib_stat_t latency = probe_time(c, l->latency, 0);
  calib_stat_t time = probe_time(c, l->point[size_index], latency.median);
  if (time.n > 0 && time.median <= latency.median) {
    time.spread = fmax(time.spread, latency.spread);
    if (time.n > 1) time.n = latency.n;
  }
  return time;
}

static calib_stat_t raw_rate(const berth_calib_t *c, const line_t *l, size_t size_index)
{
  calib_stat_t s = line_time(c, l, size_index);
  if (s.n > 0) s.median = (double)calib_size(size_index) / s.median;
  return s;
}

/* The larger rate of the two neighbouring sizes that were measured; INFINITY at an end of the
 * curve. */
static double rate_beside(const berth_calib_t *c, const line_t *l, size_t size_index)
{
  calib_stat_t below = {0}, above = {0};
  for (size_t i = size_index; i-- > 0 && below.n == 0;) below = raw_rate(c, l, i);
  for (size_t i = size_index + 1; i < calib_n_sizes && above.n == 0; i++) above = raw_rate(c, l, i);
  return below.n > 0 && above.n > 0 ? fmax(below.median, above.median) : INFINITY;
}

calib_stat_t line_rate(const berth_calib_t *c, const line_t *l, size_t size_index)
{
  calib_stat_t s = raw_rate(c, l, size_index);
  if (s.n > 0 && s.spread > calib_wide_spread)
    s.median = fmin(s.median, rate_beside(c, l, size_index));
  return s;
}

void line_check_peaks(berth_calib_t *c, line_t *l)
{
  const double ordinary = 0.05;
  const size_t times = 5;
  for (size_t i = 0; i < calib_n_sizes; i++) {
    calib_stat_t s = raw_rate(c, l, i);
    if (s.n > 0 && s.median > rate_beside(c, l, i) * (1 + fmax(ordinary, s.spread)))
      probe_look_again(c, l->point[i], times);
  }
}

calib_stat_t line_largest(const berth_calib_t *c, const line_t *l)
{
  calib_stat_t largest = {0};
  for (size_t i = 0; i < calib_n_sizes; i++) {
    calib_stat_t s = line_rate(c, l, i);
    if (s.median > largest.median) largest = s;
  }
  return largest;
}

bool line_is_usable(const berth_calib_t *c, const line_t *l)
{
  for (size_t i = 0; i < calib_n_sizes; i++)
    if (calib_is_coarse(i) && (l->point[i] < 0 || c->probes[l->point[i]].n == 0)) return false;
  return true;
}

/* A size between two points uses the next larger one that was measured. */
calib_stat_t line_link_pair_rate(const berth_calib_t *c, int element, int direction, size_t size)
{
  const line_t *l = line_of_link(c, element, direction);
  for (size_t i = 0; l && i < calib_n_sizes; i++) {
    calib_stat_t s = calib_size(i) < size ? (calib_stat_t){0} : line_rate(c, l, i);
    if (s.n > 0) return s;
  }
  return (calib_stat_t){0};
}

calib_stat_t line_link_rate(const berth_calib_t *c, int element, int direction)
{
  const line_t *l = line_of_link(c, element, direction);
  const port_t *p = port_find(c, element, direction);
  calib_stat_t one = line_link_pair_rate(c, element, direction, (size_t)1 << 20), several = {0};
  if (p && port_rate(c, p).n > 0) return port_rate(c, p);
  if (l) several = line_several(c, l, direction);
  return several.n > 0 && several.median > one.median ? several : one;
}
