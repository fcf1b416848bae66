/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures what a link loses when both directions are busy.
 *
 * Acknowledgements of one direction take a part of the other. Inside hosts, the cores that copy
 * both ways are the limit, so links aren't measured there. */
#include "calib/network/calib_network.h"

#include <math.h>

static double rate_both_ways(const berth_calib_t *c, int element)
{
  calib_stat_t out = line_link_rate(c, element, OUT), in = line_link_rate(c, element, IN);
  return out.n > 0 && in.n > 0 ? out.median + in.median : 0;
}

/* The flows of both capacities at once, or a pair's if there are no more. */
static size_t find_flows(const berth_calib_t *c, int element, berth_calib_flow_t *flows)
{
  size_t n = line_fan(c, element, OUT, flows);
  return n + line_fan(c, element, IN, flows + n);
}

static void add_probe(berth_calib_t *c, line_t *l, int element, const berth_calib_flow_t *flows,
                      size_t n)
{
  double each = rate_both_ways(c, element) / (double)n;
  size_t size = c->probes[port_find(c, element, OUT)->view[0].probe].size; /* as for each alone */
  const char *label = pus_element_label(c, &c->arena, element);
  l->both = probe_add_refined(c, BERTH_CALIB_STREAM, size, n, flows, (double)size / each,
                              pus_label(c, &c->arena, "%s, both ways", label));
  l->both_element = element;
}

static bool is_measured(const berth_calib_t *c, const line_t *l)
{
  return l->odd < 0 && l->holds[OUT] && l->holds[IN] && !c->kinds[l->kind].inside;
}

static bool is_ordinary(const berth_calib_t *c, int element)
{
  for (int d = OUT; d <= IN; d++) {
    const line_t *l = line_of_link(c, element, d);
    const port_t *p = port_find(c, element, d);
    if (!l || l->odd >= 0 || !p || port_doubt(c, p)) return false;
  }
  return true;
}

/* An element of a kind with ordinary ports in both directions, preferably the line's own; -1 if
 * there is none. */
static int find_ordinary(const berth_calib_t *c, const line_t *l, int but)
{
  for (int d = OUT; d <= IN; d++)
    if (l->element[d] != but && is_ordinary(c, l->element[d])) return l->element[d];
  for (int e = 0; e < berth_topo_n_elements(c->t); e++)
    if (e != but && kind_of_link(c, e) == l->kind && is_ordinary(c, e)) return e;
  return -1;
}

void reverse_add(berth_calib_t *c, line_t *l)
{
  berth_calib_flow_t flows[2 * MAX_SEVERAL];
  if (!is_measured(c, l)) return;
  int e = find_ordinary(c, l, -1);
  size_t n = e < 0 ? 0 : find_flows(c, e, flows);
  if (n > 0 && rate_both_ways(c, e) > 0) add_probe(c, l, e, flows, n);
}

static bool is_limited(const berth_calib_t *c, int element, const berth_calib_flow_t *flows,
                       size_t n)
{
  return rings_limit_flows(c, flows, n, rate_both_ways(c, element));
}

void reverse_add_elsewhere(berth_calib_t *c, line_t *l)
{
  berth_calib_flow_t flows[2 * MAX_SEVERAL];
  const probe_t *known = l->both < 0 ? NULL : &c->probes[l->both];
  if (!is_measured(c, l) || !known || known->n == 0) return;
  bool limited = is_limited(c, l->both_element, known->flows, known->n_flows);
  if (!limited && reverse_line(c, l).n > 0) return;
  for (int e = 0; e < berth_topo_n_elements(c->t); e++) {
    if (e == l->both_element || kind_of_link(c, e) != l->kind || !is_ordinary(c, e)) continue;
    size_t n = find_flows(c, e, flows);
    if (n == 0 || is_limited(c, e, flows, n)) continue;
    add_probe(c, l, e, flows, n);
    return;
  }
  if (limited) l->both = -1;
}

calib_stat_t reverse_line(const berth_calib_t *c, const line_t *l)
{
  const double plausible = 0.055; /* more means that a switch limits both */
  calib_stat_t both = probe_total(c, l->both);
  if (both.n == 0) return (calib_stat_t){0};
  calib_stat_t out = line_link_rate(c, l->both_element, OUT),
               in = line_link_rate(c, l->both_element, IN);
  if (out.n == 0 || in.n == 0) return (calib_stat_t){0};
  both.median = fmax(0, (out.median + in.median) / both.median - 1);
  both.spread += out.spread + in.spread;
  return both.median < plausible ? both : (calib_stat_t){0};
}
