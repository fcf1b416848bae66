/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside hosts: rings of 2, 3, … n PUs of a part, each sending to the next, in both orders of
 * filling: neighbours first, and spread over the part's members. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "calib/calib_internal.h"

enum { MAX_RING = 512 };

/* Takes the PUs below an element so that its members fill evenly, theirs likewise. */
static size_t scattered(const calib_t *c, int element, int *out, size_t max)
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

static double rate_inside(const calib_t *c, int pu, size_t size)
{
  calib_stat_t s = link_rate(c, berth_topo_pu(c->t, pu)->element, OUT, true, size);
  return s.n > 0 ? s.median : 0;
}

static void add_series(calib_t *c, int element, const int *pus, int n, bool is_scattered)
{
  calib_flow_t flows[MAX_RING];
  char what[700];
  for (int i = 0; i < n; i++) flows[i] = (calib_flow_t){pus[i], pus[(i + 1) % n]};
  double rate = rate_inside(c, pus[0], 1 << 20);
  size_t size = several_size(rate > 0 ? rate : 1e9);
  snprintf(what, sizeof what, "%s, %d PUs%s", element_label(c, &c->arena, element), n,
           is_scattered ? ", scattered" : "");
  series_t s = {element, n, is_scattered, -1};
  s.probe = probe_add(c, CALIB_STREAM, size, (size_t)n, flows, 3,
                      rate > 0 ? 2 * (double)size / rate : 1e-3, what);
  if (c->failed || !ARRAY_GROW(&c->series, c->n_series, &c->cap_series)) {
    c->failed = true;
    return;
  }
  c->probes[s.probe].refined = true;
  c->series[c->n_series++] = s;
}

/* 2, 3, 4, 6, 8, 12, … and all. */
static int next_number(int n, int all)
{
  int next = n < 4 ? n + 1 : (n & (n - 1)) == 0 ? n + n / 2 : n / 3 * 4;
  return n < all && next > all ? all : next;
}

static void add_part(calib_t *c, int element)
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

/* Whether a part of that type has its series; parts with one rank have none. */
static bool type_is_done(const calib_t *c, int type)
{
  for (size_t i = 0; i < c->n_series; i++)
    if (berth_topo_element(c->t, c->series[i].element)->type == type) return true;
  return false;
}

void series_add(calib_t *c)
{
  const berth_topo_t *t = c->t;
  for (int e = 0; e < berth_topo_n_elements(t) && !c->failed; e++) {
    int two[2], type = berth_topo_element(t, e)->type;
    if (type < 0 || is_above_hosts(c, e) || type_is_done(c, type)) continue;
    if (pus_below(c, e, false, two, 2) == 2) add_part(c, e);
  }
}

/* The largest total is what the part carries in all; its ports would allow every PU a pair's
 * bandwidth in both directions. */
calib_stat_t series_limit(const calib_t *c, int type, double *ports)
{
  calib_stat_t best = {0};
  *ports = 0;
  for (size_t i = 0; i < c->n_series; i++) {
    const series_t *s = &c->series[i];
    calib_stat_t total = probe_total(c, s->probe);
    if (berth_topo_element(c->t, s->element)->type != type || total.n == 0) continue;
    if (total.median > best.median) best = total;
    const probe_t *p = &c->probes[s->probe];
    *ports = fmax(*ports, (double)s->n * rate_inside(c, p->flows[0].src, p->size));
  }
  return best;
}

/* The series of all PUs of the part of that type. */
static const series_t *whole_series(const calib_t *c, int type)
{
  const series_t *whole = NULL;
  for (size_t i = 0; i < c->n_series; i++)
    if (berth_topo_element(c->t, c->series[i].element)->type == type && !c->series[i].scattered)
      whole = &c->series[i];
  return whole;
}

static void add_inside(calib_t *c, int element, const series_t *like)
{
  int pus[MAX_RING];
  calib_flow_t flows[MAX_RING];
  char what[700];
  int n = (int)pus_below(c, element, false, pus, MAX_RING);
  if (n != like->n || element == like->element) return;
  for (int i = 0; i < n; i++) flows[i] = (calib_flow_t){pus[i], pus[(i + 1) % n]};
  const probe_t *p = &c->probes[like->probe];
  double expected = probe_time(c, like->probe).median;
  snprintf(what, sizeof what, "%s, all PUs", element_label(c, &c->arena, element));
  int probe = probe_add(c, CALIB_STREAM, p->size, (size_t)n, flows, 3,
                        expected > 0 ? expected : 1e-3, what);
  if (c->failed || !ARRAY_GROW(&c->insides, c->n_insides, &c->cap_insides))
    c->failed = true;
  else
    c->insides[c->n_insides++] = (inside_t){element, probe};
}

void insides_add(calib_t *c)
{
  for (int h = 0; h < berth_topo_n_hosts(c->t) && !c->failed; h++) {
    int element = berth_topo_host(c->t, h)->element;
    const series_t *like = whole_series(c, berth_topo_element(c->t, element)->type);
    if (like) add_inside(c, element, like);
  }
}

/* Memory is noisier than links, so that more is taken as ordinary. */
calib_stat_t inside_differs(const calib_t *c, const inside_t *i)
{
  const double tolerance = 0.15;
  const series_t *like = whole_series(c, berth_topo_element(c->t, i->element)->type);
  calib_stat_t found = probe_total(c, i->probe), expected = probe_total(c, like->probe);
  if (found.n == 0 || expected.n == 0) return (calib_stat_t){0};
  double away = fabs(found.median / expected.median - 1);
  bool differs = away > tolerance && away > 2 * (found.spread + expected.spread);
  return differs ? found : (calib_stat_t){0};
}
