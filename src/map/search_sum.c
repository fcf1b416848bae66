/* SPDX-License-Identifier: BSD-3-Clause */
/* Search under model sum: a placement is made from the root down (sum_divide.c) and then annealed
 * at all depths together (sum_anneal.c), several times on threads and processes; the cheapest is
 * kept. Where the depth at which two ranks meet doesn't say alone what they cost, that goes by mean
 * prices; exact prices then take over, with the evaluator's swaps. */
#include "map/search_sum.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "map/share.h"

/* Work: tries of all restarts together are tries_a_pair for each two ranks, which is plenty, up to
 * tries_most, or tries_a_rank for each rank where that is more. */
typedef struct effort {
  double tries_a_pair, tries_most, tries_a_rank;
  int restarts;
  double tries; /* what comes of it */
} effort_t;

static const effort_t efforts[] = {
    [BERTH_QUALITY_FAST] = {200, 0, 2000, 1},
    [BERTH_QUALITY_ECO] = {800, 5e7, 4000, 1},
    [BERTH_QUALITY_STRONG] = {12000, 1.8e9, 14000, 4},
};
static const double divide_share = 0.9; /* of the tries, which cost a sixth of an exchange's */
enum { CACHED = 8192 };                 /* ranks whose data fit a core's cache, about */
enum { RESTART_FROM = 200000 };         /* tries for each rank */
enum { SWAP_TRIES = 100, SWAPS_LEAST = 20000, SWAPS_MOST = 2000000 };

static effort_t effort_of(const berth_map_problem_t *problem)
{
  effort_t e = efforts[problem->options.quality];
  double n = berth_pattern_ranks(problem->pattern);
  e.tries = e.tries_a_pair * n * n / 2;
  double most = e.tries_most / (1 + n / CACHED * n / CACHED); /* beyond, tries take longer */
  if (e.tries > most) e.tries = most;
  if (e.tries < e.tries_a_rank * n) e.tries = e.tries_a_rank * n;
  if (problem->options.iterations) e.tries = (double)problem->options.iterations;
  if (e.tries < n * RESTART_FROM) e.restarts = 1; /* one thorough search is worth more */
  return e;
}

/* --- exact prices, where means were used --- */

static int descend(const berth_map_problem_t *problem, const berth_cost_t *cost,
                   const sum_layout_t *l, uint64_t *random, int *place_of_rank, int *rank_at,
                   int *pu_of_rank, berth_error_t *err)
{
  berth_swap_t *swap = berth_swap_new(cost, BERTH_MODEL_SUM, pu_of_rank, err);
  if (!swap) return err->code;
  int rc = sum_layout_place(l, pu_of_rank, place_of_rank, rank_at, err);
  double most = (double)l->n_ranks * SWAP_TRIES;
  most = most < SWAPS_LEAST ? SWAPS_LEAST : most > SWAPS_MOST ? SWAPS_MOST : most;
  for (int i = 0; i < most && !rc && !map_time_is_up(problem, 1); i++) {
    int rank = (int)sum_random_below(random, (uint32_t)l->n_ranks);
    int to = (int)sum_random_below(random, (uint32_t)l->n_places);
    int from = place_of_rank[rank], other = rank_at[to], pu = l->pu_of_place[to];
    if (l->pinned[rank] || (other >= 0 && l->pinned[other]) || pu == l->pu_of_place[from]) continue;
    double tried =
        other < 0 ? berth_swap_try_move(swap, rank, pu) : berth_swap_try(swap, rank, other);
    if (tried > berth_swap_cost(swap)) continue;
    rc = berth_swap_commit(swap, err);
    rank_at[to] = rank;
    rank_at[from] = other;
    place_of_rank[rank] = to;
    if (other >= 0) place_of_rank[other] = from;
  }
  if (!rc) memcpy(pu_of_rank, berth_swap_placement(swap), (size_t)l->n_ranks * sizeof *pu_of_rank);
  berth_swap_free(swap);
  return rc;
}

/* --- restarts --- */

typedef struct restart {
  int *pu_of_rank;
  int rc;
  berth_error_t err;
} restart_t;

typedef struct search {
  const berth_map_problem_t *problem;
  const berth_cost_t *cost;
  const sum_layout_t *l;
  const int *start; /* the placement to beat */
  double tries;     /* of one restart */
} search_t;

static int work_out(const search_t *s, uint64_t random, int *place_of_rank, int *rank_at,
                    restart_t *out)
{
  const sum_layout_t *l = s->l;
  sum_cooling_t cooling = {0.7, 0.1, (1 - divide_share) * s->tries};
  int rc = sum_layout_place(l, s->start, place_of_rank, rank_at, &out->err);
  if (!rc && s->problem->options.quality != BERTH_QUALITY_FAST)
    rc = sum_divide(l, divide_share * s->tries, &random, place_of_rank, &out->err);
  if (rc) return rc;
  for (int i = 0; i < l->n_places; i++) rank_at[i] = -1;
  for (int r = 0; r < l->n_ranks; r++) rank_at[place_of_rank[r]] = r;
  rc = sum_anneal(l, &cooling, &random, place_of_rank, rank_at, &out->err);
  for (int r = 0; r < l->n_ranks; r++) out->pu_of_rank[r] = l->pu_of_place[place_of_rank[r]];
  return rc || l->exact ? rc
                        : descend(s->problem, s->cost, l, &random, place_of_rank, rank_at,
                                  out->pu_of_rank, &out->err);
}

static void run_restart(const search_t *s, int number, restart_t *out)
{
  size_t n = (size_t)s->l->n_ranks;
  int *place_of_rank = malloc(n * sizeof *place_of_rank);
  int *rank_at = malloc((size_t)s->l->n_places * sizeof *rank_at);
  uint64_t seed = s->problem->options.seed + (uint64_t)number;
  if (place_of_rank && rank_at)
    out->rc = work_out(s, map_random_next(&seed), place_of_rank, rank_at, out);
  else
    out->rc = map_no_memory(&out->err);
  free(place_of_rank);
  free(rank_at);
}

static int run_all(const search_t *s, restart_t *restart, int n, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t bytes = (size_t)s->l->n_ranks * sizeof *restart->pu_of_rank;
  for (int i = 0; i < n; i++)
    if (!(restart[i].pu_of_rank = malloc(bytes))) return map_no_memory(err);
#pragma omp parallel for num_threads(s->problem->options.threads) schedule(dynamic, 1)
  for (int i = 0; i < n; i++)
    if (share_is_mine(s->problem, i)) run_restart(s, i, &restart[i]);
  for (int i = 0; i < n && !rc; i++)
    rc = share_item(s->problem, i, &restart[i].rc, &restart[i].err, restart[i].pu_of_rank, err);
  for (int i = 0; i < n && !rc; i++)
    if (restart[i].rc) rc = berth_fail(err, restart[i].rc, "%s", restart[i].err.text);
  return rc;
}

/* Runs all restarts and takes the first of the cheapest, if it is cheaper than the start. */
static int run_restarts(const search_t *s, int n, berth_cost_t *cost, int *pu_of_rank,
                        berth_error_t *err)
{
  restart_t *restart = calloc((size_t)n, sizeof *restart);
  if (!restart) return map_no_memory(err);
  int rc = run_all(s, restart, n, err);
  double best = berth_cost_evaluate(cost, BERTH_MODEL_SUM, pu_of_rank);
  for (int i = 0; i < n && !rc; i++) {
    double found = berth_cost_evaluate(cost, BERTH_MODEL_SUM, restart[i].pu_of_rank);
    if (found >= best) continue;
    best = found;
    memcpy(pu_of_rank, restart[i].pu_of_rank, (size_t)s->l->n_ranks * sizeof *pu_of_rank);
  }
  for (int i = 0; i < n; i++) free(restart[i].pu_of_rank);
  free(restart);
  return rc;
}

int search_sum(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err)
{
  berth_error_t local;
  if (!err) err = &local;
  berth_cost_t *cost = berth_cost_new(problem->pattern, problem->topo, err);
  if (!cost) return err->code;
  sum_layout_t l;
  int *start = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *start);
  int rc = sum_layout_init(&l, problem, cost, err);
  if (!rc && !start) rc = map_no_memory(err);
  if (!rc && l.n_places > 0 && l.start[l.n_ranks] <= INT_MAX) {
    effort_t effort = effort_of(problem);
    memcpy(start, pu_of_rank, (size_t)l.n_ranks * sizeof *start);
    search_t s = {problem, cost, &l, start, effort.tries / effort.restarts};
    rc = run_restarts(&s, effort.restarts, cost, pu_of_rank, err);
  }
  free(start);
  sum_layout_clear(&l);
  berth_cost_free(cost);
  return rc;
}
