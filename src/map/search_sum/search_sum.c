/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches under model sum: builds placements from the root down, and anneals them.
 * Each restart builds a placement (sum_divide.c) and anneals it at all depths together
 * (sum_anneal.c). Restarts run on threads and processes; the cheapest result is kept. If the cost
 * of two ranks depends on more than the depth at which they meet, these steps use mean prices. A
 * search with exact prices then follows. */
#include "map/search_sum/search_sum.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_search_exact.h"
#include "map/map_share.h"
#include "map/map_watch.h"

/* Work: all restarts together have tries_a_pair for each pair of ranks, up to tries_max; or
 * tries_a_rank for each rank if that is more. */
typedef struct effort {
  double tries_a_pair, tries_max, tries_a_rank;
  int restarts;
  double tries; /* the resulting number */
} effort_t;

static const effort_t efforts[] = {
    [BERTH_QUALITY_FAST] = {200, 0, 2000, 1},
    [BERTH_QUALITY_ECO] = {800, 5e7, 4000, 1},
    [BERTH_QUALITY_STRONG] = {12000, 1.8e9, 14000, 4},
};
static const double divide_share = 0.9; /* of the tries; each takes a sixth of an exchange's time */
enum { CACHED = 8192 };                 /* about as many ranks as fit a core's cache */
enum { RESTART_FROM = 200000 };         /* tries for each rank */
enum { TRIAL_A_RANK = 500, TRIAL_GROWS = 4 }; /* tries that measure the pace for a time limit */
static const double TRIAL_MIN = 0.03, TRIALS_MAX = 0.15; /* shares of the limit */
static const double TRIAL_ENOUGH = 0.5;                  /* seconds, whatever the limit is */
static const double TIME_TAKEN = 0.95;                   /* share of the time that is planned */
enum { SWAP_TRIES = 100, SWAPS_MIN = 20000, SWAPS_MAX = 2000000 };

static effort_t effort_of(const berth_map_problem_t *problem)
{
  effort_t e = efforts[problem->options.quality];
  double n = berth_pattern_ranks(problem->pattern);
  e.tries = e.tries_a_pair * n * n / 2;
  double max = e.tries_max / (1 + n / CACHED * n / CACHED); /* with more ranks, tries take longer */
  if (e.tries > max) e.tries = max;
  if (e.tries < e.tries_a_rank * n) e.tries = e.tries_a_rank * n;
  if (problem->options.iterations) e.tries = (double)problem->options.iterations;
  if (e.tries < n * RESTART_FROM)
    e.restarts = 1; /* with so little work, one thorough search is better */
  return e;
}

/* --- restarts --- */

typedef struct restart {
  int *pu_of_rank;
  int rc;
  berth_error_t err;
} restart_t;

typedef struct search {
  const berth_map_problem_t *problem;
  const sum_layout_t *l;
  const int *start; /* the placement to improve */
  double tries;     /* of one restart */
} search_t;

/* If mean prices were used, searches on with exact ones. */
static int descend(const berth_map_problem_t *problem, uint64_t seed, int *pu_of_rank,
                   berth_error_t *err)
{
  uint64_t tries = (uint64_t)berth_pattern_ranks(problem->pattern) * SWAP_TRIES;
  tries = tries < SWAPS_MIN ? SWAPS_MIN : tries > SWAPS_MAX ? SWAPS_MAX : tries;
  exact_search_t how = {
      .problem = problem, .seed = seed, .tries = tries, .patience = tries, .time_share = 1};
  return exact_search(&how, pu_of_rank, err);
}

int sum_pass(const sum_layout_t *l, const sum_pass_t *work, uint64_t *random, int *place_of_rank,
             int *rank_at, int *pu_of_rank, berth_error_t *err)
{
  sum_cooling_t cooling = {0.7, 0.1, work->anneal_tries};
  int rc = sum_layout_place(l, pu_of_rank, place_of_rank, rank_at, err);
  if (!rc && work->divide_tries > 0)
    rc = sum_divide(l, work->divide_tries, random, place_of_rank, err);
  if (rc) return rc;
  for (int i = 0; i < l->n_places; i++) rank_at[i] = -1;
  for (int r = 0; r < l->n_ranks; r++) rank_at[place_of_rank[r]] = r;
  rc = sum_anneal(l, &cooling, random, place_of_rank, rank_at, err);
  for (int r = 0; r < l->n_ranks && !rc; r++) pu_of_rank[r] = l->pu_of_place[place_of_rank[r]];
  return rc;
}

static int work_out(const search_t *s, const sum_layout_t *l, uint64_t random, int *place_of_rank,
                    int *rank_at, restart_t *out)
{
  bool divides = s->problem->options.quality != BERTH_QUALITY_FAST;
  sum_pass_t work = {divides ? divide_share * s->tries : 0, (1 - divide_share) * s->tries};
  memcpy(out->pu_of_rank, s->start, (size_t)l->n_ranks * sizeof *s->start);
  int rc = sum_pass(l, &work, &random, place_of_rank, rank_at, out->pu_of_rank, &out->err);
  return rc || l->exact ? rc : descend(l->problem, random, out->pu_of_rank, &out->err);
}

/* Runs a restart, which has until share `end` of the time limit. */
static void run_restart(const search_t *s, int number, double end, restart_t *out)
{
  size_t n = (size_t)s->l->n_ranks;
  int *place_of_rank = malloc(n * sizeof *place_of_rank);
  int *rank_at = malloc((size_t)s->l->n_places * sizeof *rank_at);
  uint64_t seed = s->problem->options.seed + (uint64_t)number;
  berth_map_problem_t slice = map_time_slice(s->problem, end);
  sum_layout_t l = *s->l;
  l.problem = &slice;
  if (place_of_rank && rank_at)
    out->rc = work_out(s, &l, map_random_next(&seed), place_of_rank, rank_at, out);
  else
    out->rc = no_memory(&out->err);
  free(place_of_rank);
  free(rank_at);
}

static int run_all(const search_t *s, restart_t *restart, int n, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t bytes = (size_t)s->l->n_ranks * sizeof *restart->pu_of_rank;
  double started = map_time_used(s->problem);
  for (int i = 0; i < n; i++)
    if (!(restart[i].pu_of_rank = malloc(bytes))) return no_memory(err);
#pragma omp parallel for num_threads(s->problem->options.threads) schedule(dynamic, 1)
  for (int i = 0; i < n; i++)
    if (share_is_mine(s->problem, i))
      run_restart(s, i, share_end(s->problem, i, n, started, 1), &restart[i]);
  for (int i = 0; i < n && !rc; i++)
    rc = share_item(s->problem, i, &restart[i].rc, &restart[i].err, restart[i].pu_of_rank, err);
  for (int i = 0; i < n && !rc; i++)
    if (restart[i].rc) rc = berth_fail(err, restart[i].rc, "%s", restart[i].err.text);
  return rc;
}

/* Runs all restarts, and takes the first of the cheapest if it is cheaper than the start. */
static int run_restarts(const search_t *s, int n, berth_cost_t *cost, int *pu_of_rank,
                        berth_error_t *err)
{
  restart_t *restart = calloc((size_t)n, sizeof *restart);
  if (!restart) return no_memory(err);
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

/* With a time limit: measures the pace in a trial, and sets the work so that all steps get their
 * share. If restarts would be too short, there is only one for each thread. */
static int fit_to_time(const search_t *s, effort_t *e, berth_error_t *err)
{
  const berth_map_problem_t *problem = s->problem;
  double n = s->l->n_ranks, limit = problem->options.time_limit_s;
  if (limit <= 0) return BERTH_OK;
  restart_t trial = {.pu_of_rank = malloc((size_t)s->l->n_ranks * sizeof *trial.pu_of_rank)};
  if (!trial.pu_of_rank) return no_memory(err);
  search_t short_one = {problem, s->l, s->start, TRIAL_A_RANK * n / TRIAL_GROWS};
  double started, now = map_time_used(problem);
  watch_stage(problem, "refine: trial of annealing", 0);
  do { /* until the part that doesn't depend on the tries is small */
    short_one.tries *= TRIAL_GROWS;
    started = now;
    run_restart(&short_one, 0, 1, &trial);
    now = map_time_used(problem);
  } while (!trial.rc && now - started < TRIAL_MIN && now < TRIALS_MAX &&
           (now - started) * limit < TRIAL_ENOUGH && !watch_is_stopped(problem));
  double room = fmax(1 - now, 0) * TIME_TAKEN;
  double tries = short_one.tries * room / fmax(now - started, 1e-9);
  free(trial.pu_of_rank);
  if (trial.rc) return berth_fail(err, trial.rc, "%s", trial.err.text);
  while (e->restarts > 1 && tries / share_rounds(problem, e->restarts) < n * RESTART_FROM &&
         share_rounds(problem, e->restarts) > 1)
    e->restarts--;
  tries *= (double)e->restarts / share_rounds(problem, e->restarts);
  e->tries = fmin(e->tries, tries);
  return share_data(problem, 0, e, sizeof *e, err);
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
  if (!rc && !start) rc = no_memory(err);
  if (!rc && l.n_places > 0 && l.start[l.n_ranks] <= INT_MAX) {
    effort_t effort = effort_of(problem);
    memcpy(start, pu_of_rank, (size_t)l.n_ranks * sizeof *start);
    search_t s = {.problem = problem, .l = &l, .start = start};
    rc = fit_to_time(&s, &effort, err);
    s.tries = effort.tries / effort.restarts;
    watch_stage(problem, "refine: annealing", effort.tries);
    if (!rc) rc = run_restarts(&s, effort.restarts, cost, pu_of_rank, err);
  }
  free(start);
  sum_layout_clear(&l);
  berth_cost_free(cost);
  return rc;
}
