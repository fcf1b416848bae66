/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/cost_hosts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/cost_levels.h"
#include "pattern/by_hosts.h"

struct cost_hosts {
  const berth_phase_t *phase; /* of the pattern */
  int *host_of_rank, *asked;  /* of `rounds`, and of the placement that is asked for */
  int *number;                /* scratch space, by host of the topology */
  berth_pattern_t *rounds;    /* NULL: none yet */
  berth_cost_t *cost;         /* of `rounds` */
};

void cost_hosts_free(struct cost_hosts *h)
{
  if (!h) return;
  berth_cost_free(h->cost);
  berth_pattern_free(h->rounds);
  free(h->host_of_rank);
  free(h->asked);
  free(h->number);
  free(h);
}

int cost_lay_out_hosts(berth_cost_t *c, berth_error_t *err)
{
  size_t n, ranks = (size_t)berth_pattern_ranks(c->pattern);
  if (!pattern_is_by_hosts(c->pattern)) return BERTH_OK;
  struct cost_hosts *h = c->hosts = calloc(1, sizeof *h);
  if (!h) return no_memory(err);
  h->phase = berth_pattern_phases(c->pattern, &n);
  h->host_of_rank = malloc(ranks * sizeof *h->host_of_rank);
  h->asked = malloc(ranks * sizeof *h->asked);
  h->number = malloc((size_t)berth_topo_n_hosts(c->topo) * sizeof *h->number);
  return h->host_of_rank && h->asked && h->number ? BERTH_OK : no_memory(err);
}

bool cost_is_by_hosts(const berth_cost_t *c, size_t k)
{
  return c->hosts && c->hosts->phase[k].by_hosts;
}

/* --- the rounds of a placement --- */

static int host_of(const berth_cost_t *c, int pu) { return berth_topo_pu(c->topo, pu)->host; }

/* Numbers the hosts that a placement uses in the order of the tree, so that placements on other
 * hosts are the same if the same ranks share one, in the same order. */
static void number_hosts(const berth_cost_t *c, const int *pu_of_rank, int *host)
{
  int *number = c->hosts->number, used = 0, ranks = berth_pattern_ranks(c->pattern);
  for (int i = 0; i < berth_topo_n_hosts(c->topo); i++) number[i] = -1;
  for (int r = 0; r < ranks; r++) number[host_of(c, pu_of_rank[r])] = 0;
  for (int i = 0; i < berth_topo_n_hosts(c->topo); i++)
    if (number[i] == 0) number[i] = used++;
  for (int r = 0; r < ranks; r++) host[r] = number[host_of(c, pu_of_rank[r])];
}

/* Makes c->hosts->cost the evaluator of the rounds that a placement has. */
static int find_rounds(const berth_cost_t *c, const int *pu_of_rank, berth_error_t *err)
{
  struct cost_hosts *h = c->hosts;
  size_t bytes = (size_t)berth_pattern_ranks(c->pattern) * sizeof *h->asked;
  number_hosts(c, pu_of_rank, h->asked);
  if (h->cost && memcmp(h->asked, h->host_of_rank, bytes) == 0) return BERTH_OK;
  berth_cost_free(h->cost);
  berth_pattern_free(h->rounds);
  h->cost = NULL;
  h->rounds = pattern_by_hosts(c->pattern, h->asked, err);
  if (h->rounds) h->cost = berth_cost_new(h->rounds, c->topo, err);
  if (!h->cost) return err->code;
  memcpy(h->host_of_rank, h->asked, bytes);
  return BERTH_OK;
}

double cost_hosts_evaluate(berth_cost_t *c, berth_model_t model, const int *pu_of_rank)
{
  berth_error_t why = {0};
  int rc = find_rounds(c, pu_of_rank, &why);
  double cost = rc ? INFINITY : berth_cost_evaluate(c->hosts->cost, model, pu_of_rank);
  if (!rc) rc = berth_cost_ran_out(c->hosts->cost, &why);
  if (!rc) return cost;
  if (!c->failed.code) c->failed = why;
  return INFINITY;
}

/* The rounds of phase k are those from *first on, before the returned one. */
static size_t rounds_of(const struct cost_hosts *h, size_t k, size_t *first)
{
  size_t n, end;
  const berth_phase_t *round = berth_pattern_phases(h->rounds, &n);
  int id = h->phase[k].id;
  for (*first = 0; *first < n; ++*first)
    if (round[*first].collective && round[*first].of_phase == id) break;
  for (end = *first; end < n && round[end].collective && round[end].of_phase == id;) end++;
  return end;
}

/* How often a round occurs in one occurrence of its phase. */
static double share_of(const berth_cost_t *c, size_t k, size_t round)
{
  size_t n;
  const berth_phase_t *rounds = berth_pattern_phases(c->hosts->rounds, &n);
  return (double)rounds[round].repeats / c->phase[k].repeats;
}

/* --- reasons --- */

/* The bottleneck of a phase is that of its most expensive round. */
static void take_bottleneck(berth_phase_cost_t *to, berth_phase_cost_t *round, double times)
{
  to->has_bottleneck = round->has_bottleneck;
  to->bottleneck = round->bottleneck;
  to->bottleneck_bytes = times * round->bottleneck_bytes;
  to->n_pairs = round->n_pairs;
  to->n_listed = round->n_listed;
  to->pairs = round->pairs;
  round->pairs = NULL;
  for (size_t i = 0; i < to->n_listed; i++) {
    to->pairs[i].messages *= times;
    to->pairs[i].bytes *= times;
    to->pairs[i].time_s *= times;
  }
}

static void explain_phase(const berth_cost_t *c, size_t k, berth_cost_result_t *rounds,
                          berth_phase_cost_t *out)
{
  size_t first, end = rounds_of(c->hosts, k, &first), top = first;
  double most = -1;
  out->cost_s = 0;
  for (size_t i = first; i < end; i++) {
    double cost = share_of(c, k, i) * rounds->phases[i].cost_s;
    out->cost_s += cost;
    if (cost > most) top = i, most = cost;
  }
  if (end > first) take_bottleneck(out, &rounds->phases[top], share_of(c, k, top));
}

static void add_level(const berth_level_cost_t *more, berth_level_cost_t *out)
{
  if (more->has_busiest && (!out->has_busiest || more->cost_s > out->cost_s)) {
    out->has_busiest = 1;
    out->busiest = more->busiest;
  }
  out->cost_s += more->cost_s;
  out->messages += more->messages;
  out->bytes += more->bytes;
}

int cost_hosts_explain(berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                       size_t max_pairs, berth_cost_result_t *out, berth_error_t *err)
{
  berth_error_t own;
  berth_cost_result_t rounds;
  if (!c->hosts) return BERTH_OK;
  if (!err) err = &own;
  int rc = find_rounds(c, pu_of_rank, err);
  if (!rc) rc = berth_cost_explain(c->hosts->cost, model, pu_of_rank, max_pairs, &rounds, err);
  if (rc) return rc;
  for (size_t k = 0; k < c->n_phases; k++) {
    if (!cost_is_by_hosts(c, k)) continue;
    berth_phase_cost_t *phase = &out->phases[k];
    const berth_phase_cost_t *top = &out->phases[out->max_cost_phase];
    explain_phase(c, k, &rounds, phase);
    if (phase->repeats * phase->cost_s > top->repeats * top->cost_s) out->max_cost_phase = k;
  }
  out->cost_s += rounds.cost_s; /* as berth_cost_evaluate adds it */
  for (size_t d = 0; d < out->n_levels; d++) add_level(&rounds.levels[d], &out->levels[d]);
  berth_cost_result_clear(&rounds);
  return BERTH_OK;
}

int cost_hosts_levels(berth_cost_t *c, size_t k, const int *pu_of_rank, int n_levels,
                      double *messages, double *bytes, berth_error_t *err)
{
  size_t first, end;
  int rc = find_rounds(c, pu_of_rank, err);
  double *one = rc ? NULL : malloc(2 * (size_t)n_levels * sizeof *one);
  if (!rc && !one) rc = no_memory(err);
  if (rc) return rc;
  end = rounds_of(c->hosts, k, &first);
  for (size_t i = first; i < end && !rc; i++) {
    memset(one, 0, 2 * (size_t)n_levels * sizeof *one);
    rc = cost_levels_of_phase(c->hosts->cost, i, pu_of_rank, n_levels, one, one + n_levels, err);
    for (int d = 0; d < n_levels; d++) {
      messages[d] += share_of(c, k, i) * one[d];
      bytes[d] += share_of(c, k, i) * one[n_levels + d];
    }
  }
  free(one);
  return rc;
}

/* --- loads and pairs --- */

ORDER_BY(by_resource, berth_load_t, RISING(resource.element) RISING(resource.kind))
ORDER_BY(by_ranks, berth_pair_load_t, RISING(src) RISING(dst))

static size_t merge_loads(berth_load_t *load, size_t n)
{
  size_t kept = 0;
  if (n) qsort(load, n, sizeof *load, by_resource);
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || by_resource(&load[kept - 1], &load[i]) != 0) {
      load[kept++] = load[i];
      continue;
    }
    load[kept - 1].cost_s += load[i].cost_s;
    load[kept - 1].bytes += load[i].bytes;
  }
  return kept;
}

int cost_hosts_loads(const berth_cost_t *c, berth_model_t model, size_t k, const int *pu_of_rank,
                     berth_load_t **out, size_t *n, berth_error_t *err)
{
  berth_error_t own;
  size_t first, end, cap = 0;
  if (!err) err = &own;
  *out = malloc(sizeof **out);
  *n = 0;
  int rc = *out ? find_rounds(c, pu_of_rank, err) : no_memory(err);
  end = rc ? (first = 0) : rounds_of(c->hosts, k, &first);
  for (size_t i = first; i < end && !rc; i++) {
    size_t more = 0;
    double times = share_of(c, k, i);
    berth_load_t *load = NULL;
    rc = berth_cost_loads(c->hosts->cost, model, i, pu_of_rank, &load, &more, err);
    if (!rc && !array_reserve(out, &cap, *n + more, sizeof **out)) rc = no_memory(err);
    for (size_t j = 0; j < more && !rc; j++)
      (*out)[(*n)++] =
          (berth_load_t){load[j].resource, times * load[j].cost_s, times * load[j].bytes};
    free(load);
    *n = merge_loads(*out, *n);
  }
  if (!rc) return BERTH_OK;
  free(*out);
  *out = NULL;
  return rc;
}

static size_t merge_pairs(berth_pair_load_t *pair, size_t n)
{
  size_t kept = 0;
  if (n) qsort(pair, n, sizeof *pair, by_ranks);
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || by_ranks(&pair[kept - 1], &pair[i]) != 0) {
      pair[kept++] = pair[i];
      continue;
    }
    pair[kept - 1].messages += pair[i].messages;
    pair[kept - 1].bytes += pair[i].bytes;
    pair[kept - 1].time_s += pair[i].time_s;
  }
  cost_sort_pairs(pair, kept);
  return kept;
}

int cost_hosts_pairs(const berth_cost_t *c, size_t k, const int *pu_of_rank,
                     berth_resource_t resource, berth_pair_load_t **out, size_t *n,
                     berth_error_t *err)
{
  berth_error_t own;
  size_t first, end, cap = 0;
  if (!err) err = &own;
  *out = NULL;
  *n = 0;
  int rc = find_rounds(c, pu_of_rank, err);
  end = rc ? (first = 0) : rounds_of(c->hosts, k, &first);
  for (size_t i = first; i < end && !rc; i++) {
    size_t more = 0;
    double times = share_of(c, k, i);
    berth_pair_load_t *pair = NULL;
    rc = berth_cost_pairs_on(c->hosts->cost, i, pu_of_rank, resource, &pair, &more, err);
    if (!rc && !array_reserve(out, &cap, *n + more, sizeof **out)) rc = no_memory(err);
    for (size_t j = 0; j < more && !rc; j++)
      (*out)[(*n)++] = (berth_pair_load_t){pair[j].src, pair[j].dst, times * pair[j].messages,
                                           times * pair[j].bytes, times * pair[j].time_s};
    free(pair);
  }
  *n = merge_pairs(*out, *n);
  return rc;
}
