/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures hosts inside, with rings of 2, 3, … n PUs in which each sends to the next.
 *
 * Each ring is done in two orders: neighbours first, and spread over the part's members. */
#include "calib/network/calib_network.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

enum { MAX_RING = 512 };
const double calib_series_tolerance = 0.07;

/* Lists the PUs below an element so that its members fill evenly, and theirs likewise. */
static size_t scattered(const berth_calib_t *c, int element, int *out, size_t max)
{
  const berth_topo_t *t = c->t;
  int end = element + berth_topo_element(t, element)->size;
  size_t n = 0;
  if (berth_topo_element(t, element)->type < 0) return pus_below(c, element, false, out, max);
  for (size_t round = 0;; round++) {
    size_t before = n;
    for (int e = element + 1; e < end && n < max; e += berth_topo_element(t, e)->size) {
      int *member = malloc(max * sizeof *member);
      size_t m = member ? scattered(c, e, member, max) : 0;
      if (round < m) out[n++] = member[round];
      free(member);
    }
    if (n == before) return n;
  }
}

static void find_ring(const int *pus, int n, berth_calib_flow_t flows[MAX_RING])
{
  for (int i = 0; i < n; i++) flows[i] = (berth_calib_flow_t){pus[i], pus[(i + 1) % n]};
}

static calib_stat_t rate_inside(const berth_calib_t *c, int pu, size_t size)
{
  return line_link_pair_rate(c, berth_topo_pu(c->t, pu)->element, OUT, size);
}

const char *inside_series_label(berth_calib_t *c, arena_t *arena, const series_t *s)
{
  return pus_label(c, arena, "%s, %d PUs%s", pus_element_label(c, arena, s->element), s->n,
                   s->scattered ? ", scattered" : "");
}

static void add_series(berth_calib_t *c, int element, const int *pus, int n, bool is_scattered)
{
  berth_calib_flow_t flows[MAX_RING];
  double rate = rate_inside(c, pus[0], 1 << 20).median;
  size_t size = probe_several_size(rate > 0 ? rate : 1e9);
  find_ring(pus, n, flows);
  series_t s = {element, n, is_scattered, -1};
  s.probe = probe_add_refined(c, BERTH_CALIB_STREAM, size, (size_t)n, flows,
                              rate > 0 ? 2 * (double)size / rate : 1e-3,
                              inside_series_label(c, &c->arena, &s));
  if (c->failed || !ARRAY_ADD(&c->series, &c->n_series, &c->cap_series, s)) c->failed = true;
}

/* The numbers 2, 3, 4, 6, 8, 12, … and `all`. */
static int next_number(int n, int all)
{
  int next = n < 4 ? n + 1 : (n & (n - 1)) == 0 ? n + n / 2 : n / 3 * 4;
  return n < all && next > all ? all : next;
}

static void add_part(berth_calib_t *c, int element)
{
  int pus[MAX_RING], spread[MAX_RING];
  int n = (int)pus_below(c, element, false, pus, MAX_RING);
  int m = (int)scattered(c, element, spread, MAX_RING);
  bool two_orders = berth_topo_element(c->t, element)->height > 1 && n == m;
  for (int k = 2; k <= n && !c->failed; k = next_number(k, n)) {
    add_series(c, element, pus, k, false);
    if (two_orders && k < n) add_series(c, element, spread, k, true);
  }
}

/* Whether a part of that type has its series. Parts with one rank have none. */
static bool type_is_done(const berth_calib_t *c, int type)
{
  for (size_t i = 0; i < c->n_series; i++)
    if (berth_topo_element(c->t, c->series[i].element)->type == type) return true;
  return false;
}

void inside_series_add(berth_calib_t *c)
{
  const berth_topo_t *t = c->t;
  for (int e = 0; e < berth_topo_n_elements(t) && !c->failed; e++) {
    int two[2], type = berth_topo_element(t, e)->type;
    if (type < 0 || pus_is_above_hosts(c, e) || type_is_done(c, type)) continue;
    if (pus_below(c, e, false, two, 2) == 2) add_part(c, e);
  }
}

/* The part's capacity is the largest total. Its ports would allow every PU a pair's bandwidth in
 * both directions. */
limit_t inside_series_limit(const berth_calib_t *c, int type, calib_stat_t *total, double *ports)
{
  calib_stat_t best = {0}, allowed = {0};
  for (size_t i = 0; i < c->n_series; i++) {
    const series_t *s = &c->series[i];
    calib_stat_t found = probe_total(c, s->probe);
    if (berth_topo_element(c->t, s->element)->type != type || found.n == 0) continue;
    if (found.median > best.median) best = found;
    const probe_t *p = &c->probes[s->probe];
    calib_stat_t pair = rate_inside(c, p->flows[0].src, p->size);
    pair.median *= s->n;
    if (pair.median > allowed.median) allowed = pair;
  }
  *total = best;
  *ports = allowed.median;
  if (best.n == 0 || allowed.n == 0) return LIMIT_UNSURE;
  if (fmax(best.spread, allowed.spread) > calib_wide_spread) return LIMIT_UNSURE;
  return best.median < (1 - calib_series_tolerance) * allowed.median ? LIMIT_FOUND : LIMIT_NONE;
}

/* The series with all PUs of the part of that type. */
static const series_t *whole_series(const berth_calib_t *c, int type)
{
  const series_t *whole = NULL;
  for (size_t i = 0; i < c->n_series; i++)
    if (berth_topo_element(c->t, c->series[i].element)->type == type && !c->series[i].scattered)
      whole = &c->series[i];
  return whole;
}

static void add_inside(berth_calib_t *c, int element, const series_t *like)
{
  int pus[MAX_RING];
  berth_calib_flow_t flows[MAX_RING];
  int n = (int)pus_below(c, element, false, pus, MAX_RING);
  if (n != like->n || element == like->element) return;
  const probe_t *p = &c->probes[like->probe];
  double expected = probe_time(c, like->probe, 0).median;
  const char *label = pus_element_label(c, &c->arena, element);
  find_ring(pus, n, flows);
  int probe =
      probe_add(c, BERTH_CALIB_STREAM, p->size, (size_t)n, flows, 3, expected > 0 ? expected : 1e-3,
                pus_label(c, &c->arena, "%s, all PUs", label));
  const inside_t inside = {element, like->probe, probe};
  if (c->failed || !ARRAY_ADD(&c->insides, &c->n_insides, &c->cap_insides, inside))
    c->failed = true;
}

void insides_add(berth_calib_t *c)
{
  for (int h = 0; h < berth_topo_n_hosts(c->t) && !c->failed; h++) {
    int element = berth_topo_host(c->t, h)->element;
    const series_t *like = whole_series(c, berth_topo_element(c->t, element)->type);
    if (like) add_inside(c, element, like);
  }
}

/* Distance as a logarithm, so that it is symmetric. Memory is noisier than links: 15% is
 * ordinary. */
static double distance(calib_stat_t a, calib_stat_t b)
{
  return a.n > 0 && b.n > 0 ? fabs(log(a.median / b.median)) : 0;
}
static const double ordinary = 0.14; /* log(1.15) */
enum { LOOKS = 7 };

/* Among many hosts, noise makes some look different. The samples that raised the suspicion say
 * nothing more, so only new ones count. */
void insides_look_again(berth_calib_t *c)
{
  for (size_t i = 0; i < c->n_insides; i++) {
    const inside_t *x = &c->insides[i];
    if (distance(probe_total(c, x->probe), probe_total(c, x->usual)) <= ordinary) continue;
    probe_look_again(c, x->probe, LOOKS);
    if (c->probes[x->usual].since == 0) probe_look_again(c, x->usual, LOOKS);
  }
}

inside_verdict_t inside_judge(const berth_calib_t *c, const inside_t *i, calib_stat_t *found,
                              calib_stat_t *usual)
{
  const double beyond = 3; /* times both spreads */
  *found = probe_total_again(c, i->probe);
  *usual = probe_total_again(c, i->usual);
  if (c->probes[i->probe].since == 0) return INSIDE_ALIKE;
  if (found->n < LOOKS || usual->n < LOOKS) return INSIDE_UNCONFIRMED;
  if (distance(*found, *usual) <= ordinary) return INSIDE_ALIKE;
  if (fmax(found->spread, usual->spread) > calib_wide_spread) return INSIDE_UNSURE;
  bool differs = distance(*found, *usual) > beyond * hypot(found->spread, usual->spread);
  return differs ? INSIDE_DIFFERS : INSIDE_ALIKE;
}
