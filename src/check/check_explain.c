/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains why a phase got more expensive: a port, and the pairs of ranks that are slower there. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "check/check_internal.h"
#include "cost/cost_sites.h"
#include "pattern/phase_find.h"

void check_pairs_free(berth_check_pair_t *pairs, size_t n)
{
  for (size_t i = 0; i < n; i++) free(pairs[i].sites);
  free(pairs);
}

void check_phases_free(berth_check_phase_t *phases, size_t n)
{
  for (size_t i = 0; i < n; i++) check_pairs_free(phases[i].port.pairs, phases[i].port.n_listed);
  free(phases);
}

size_t check_place(const check_side_t *side, int id)
{
  const berth_phase_t *found = pattern_phase(side->pattern, id);
  return found ? (size_t)(found - side->phases) : CHECK_NONE;
}

static int get_loads(const check_job_t *job, const check_side_t *side, size_t k, berth_load_t **out,
                     size_t *n, berth_error_t *err)
{
  *out = NULL;
  *n = 0;
  if (k == CHECK_NONE) return BERTH_OK;
  return berth_cost_loads(side->evaluator, job->options->model, k, side->pu_of_rank, out, n, err);
}

static int by_place(const berth_resource_t *a, const berth_resource_t *b)
{
  if (a->element != b->element) return a->element < b->element ? -1 : 1;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

/* The loads of both patterns, sorted by place. */
typedef struct loads {
  berth_load_t *now, *was;
  size_t n_now, n_was;
} loads_t;

/* A port's cost in the baseline. `from` is the index at which the search begins; ports come in
 * order. */
static double was_cost(const loads_t *l, const berth_resource_t *r, size_t *from)
{
  while (*from < l->n_was && by_place(&l->was[*from].resource, r) < 0) ++*from;
  bool found = *from < l->n_was && by_place(&l->was[*from].resource, r) == 0;
  return found ? l->was[*from].cost_s : 0;
}

/* Finds the port whose cost grew most, of equal ones the first. False if none grew. */
static bool max_growth(const loads_t *l, berth_check_port_t *out)
{
  double max = 0;
  bool found = false;
  for (size_t i = 0, from = 0; i < l->n_now; i++) {
    double cost = l->now[i].cost_s, was = was_cost(l, &l->now[i].resource, &from);
    if (!check_grew(cost, was) || !check_grew(cost - was, max)) continue;
    max = cost - was;
    found = true;
    *out = (berth_check_port_t){
        .known = 1, .resource = l->now[i].resource, .cost_s = cost, .was_cost_s = was};
  }
  return found;
}

static bool bottleneck(const loads_t *l, const berth_phase_cost_t *phase, berth_check_port_t *out)
{
  size_t from = 0, i = 0;
  if (!phase->has_bottleneck) return false;
  const berth_resource_t *r = &phase->bottleneck;
  while (i < l->n_now && by_place(&l->now[i].resource, r) != 0) i++;
  *out = (berth_check_port_t){.known = 1,
                              .resource = *r,
                              .cost_s = i < l->n_now ? l->now[i].cost_s : 0,
                              .was_cost_s = was_cost(l, r, &from)};
  return true;
}

ORDER_BY(by_ranks, berth_pair_load_t, RISING(src) RISING(dst))

static double growth(const berth_check_pair_t *p) { return p->time_s - p->was_time_s; }

ORDER_BY(by_growth, berth_check_pair_t, FALLING_BY(growth) FALLING(bytes) RISING(src) RISING(dst))

/* Lists the pairs that take longer on the port than in the baseline. */
static int grown_pairs(const berth_pair_load_t *now, size_t n_now, berth_pair_load_t *was,
                       size_t n_was, berth_check_port_t *port, berth_error_t *err)
{
  port->pairs = calloc(n_now + 1, sizeof *port->pairs);
  if (!port->pairs) return no_memory(err);
  if (n_was) qsort(was, n_was, sizeof *was, by_ranks);
  for (size_t i = 0; i < n_now; i++) {
    static const berth_pair_load_t none;
    const berth_pair_load_t *p = &now[i];
    const berth_pair_load_t *q = n_was ? bsearch(p, was, n_was, sizeof *was, by_ranks) : NULL;
    if (!q) q = &none;
    if (!check_grew(p->time_s, q->time_s)) continue;
    port->pairs[port->n_pairs++] = (berth_check_pair_t){.src = p->src,
                                                        .dst = p->dst,
                                                        .time_s = p->time_s,
                                                        .was_time_s = q->time_s,
                                                        .messages = p->messages,
                                                        .was_messages = q->messages,
                                                        .bytes = p->bytes,
                                                        .was_bytes = q->bytes};
  }
  qsort(port->pairs, port->n_pairs, sizeof *port->pairs, by_growth);
  return BERTH_OK;
}

static int add_pairs(const check_job_t *job, size_t k, size_t was_k, berth_check_port_t *port,
                     berth_error_t *err)
{
  berth_pair_load_t *now = NULL, *was = NULL;
  size_t n_now = 0, n_was = 0, max = job->options->max_pairs;
  int rc = berth_cost_pairs_on(job->now.evaluator, k, job->now.pu_of_rank, port->resource, &now,
                               &n_now, err);
  if (!rc && was_k != CHECK_NONE)
    rc = berth_cost_pairs_on(job->was.evaluator, was_k, job->was.pu_of_rank, port->resource, &was,
                             &n_was, err);
  if (!rc) rc = grown_pairs(now, n_now, was, n_was, port, err);
  free(now);
  free(was);
  size_t listed = port->n_pairs < max ? port->n_pairs : max;
  for (; port->n_listed < listed && !rc; port->n_listed++)
    rc = check_sites(job, k, was_k, &port->pairs[port->n_listed], err);
  return rc;
}

/* Puts and gets in epochs have call sites of their own: weighs them by their bytes. */
static void weigh_messages(const check_side_t *side, size_t k, double *weight)
{
  size_t n_sites, n;
  const berth_site_t *site = berth_pattern_sites(side->pattern, &n_sites);
  const berth_message_t *m = berth_pattern_messages(side->pattern, k, &n);
  for (size_t i = 0; i <= n_sites; i++) weight[i] = 0;
  for (size_t i = 0; i < n; i++) {
    const berth_site_t *at = berth_pattern_site(side->pattern, m[i].site);
    weight[at ? (size_t)(at - site) : n_sites] += (double)m[i].bytes;
  }
}

/* Where most bytes are given to the calls whose rounds a phase stands for, or put in its epochs. */
static int find_site(const check_side_t *side, size_t k, const berth_site_t **out,
                     berth_error_t *err)
{
  size_t n, best = 0;
  const berth_phase_t *phase = &side->phases[k];
  const berth_site_t *site = berth_pattern_sites(side->pattern, &n);
  *out = NULL;
  if (!cost_is_of_calls(phase)) return BERTH_OK;
  double *weight = malloc((n + 1) * sizeof *weight);
  if (!weight) return no_memory(err);
  if (cost_shares_sites(side->pattern, phase))
    cost_weigh_sites(side->pattern, phase, weight);
  else
    weigh_messages(side, k, weight);
  for (size_t i = 1; i <= n; i++)
    if (weight[i] > weight[best]) best = i;
  if (best < n) *out = &site[best];
  free(weight);
  return BERTH_OK;
}

int check_explain(const check_job_t *job, size_t k, size_t was_k, berth_check_phase_t *phase,
                  berth_error_t *err)
{
  loads_t l = {0};
  berth_check_port_t grown = {0};
  phase->explained = 1;
  int rc = find_site(&job->now, k, &phase->site, err);
  if (!rc) rc = get_loads(job, &job->now, k, &l.now, &l.n_now, err);
  if (!rc) rc = get_loads(job, &job->was, was_k, &l.was, &l.n_was, err);
  /* In `sum` all ports count, so the most expensive one may not be the cause. */
  bool by_sum = job->options->model == BERTH_MODEL_SUM && was_k != CHECK_NONE;
  bool known = !rc && (by_sum ? max_growth(&l, &phase->port)
                              : bottleneck(&l, &job->now.cost.phases[k], &phase->port));
  if (known) rc = add_pairs(job, k, was_k, &phase->port, err);
  /* In flow, messages may wait elsewhere for others that changed. */
  if (known && !rc && !phase->port.n_pairs && max_growth(&l, &grown)) {
    free(phase->port.pairs);
    phase->port = grown;
    rc = add_pairs(job, k, was_k, &phase->port, err);
  }
  free(l.now);
  free(l.was);
  return rc;
}
