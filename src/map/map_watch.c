/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the progress of a run for its watch. */
#include "map/map_watch.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "team/team.h"

struct watch_teller {
  berth_map_problem_t problem;
  map_pricer_t pricer;
  int *pu_of_rank;
  double min;
};

struct berth_map_watch {
  atomic_int stopped;   /* lock-free, because a signal handler may set it */
  pthread_mutex_t lock; /* protects everything below */
  const char *stage;
  double started_s, limit_s; /* limit_s: 0 if none */
  double work, done;
  double best; /* negative: none yet */
};

berth_map_watch_t *berth_map_watch_new(void)
{
  berth_map_watch_t *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  pthread_mutex_init(&w->lock, NULL);
  w->stage = "";
  w->started_s = clock_s();
  w->best = -1;
  return w;
}

void berth_map_watch_free(berth_map_watch_t *w)
{
  if (!w) return;
  pthread_mutex_destroy(&w->lock);
  free(w);
}

void berth_map_watch_stop(berth_map_watch_t *w) { atomic_store(&w->stopped, 1); }

berth_map_progress_t berth_map_watch_progress(berth_map_watch_t *w)
{
  pthread_mutex_lock(&w->lock);
  berth_map_progress_t p = {.stage = w->stage,
                            .elapsed_s = clock_s() - w->started_s,
                            .best = w->best,
                            .done = w->work > 0 ? fmin(w->done / w->work, 1) : -1,
                            .left_s = -1,
                            .stopped = atomic_load(&w->stopped)};
  if (w->limit_s > 0) p.left_s = fmax(w->limit_s - p.elapsed_s, 0);
  pthread_mutex_unlock(&w->lock);
  return p;
}

bool watch_is_stopped(const berth_map_problem_t *problem)
{
  return problem->watch && atomic_load_explicit(&problem->watch->stopped, memory_order_relaxed);
}

void watch_begin(const berth_map_problem_t *problem)
{
  berth_map_watch_t *w = problem->watch;
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->started_s = problem->started_s;
  w->limit_s = problem->options.time_limit_s;
  w->best = -1;
  pthread_mutex_unlock(&w->lock);
}

void watch_stage(const berth_map_problem_t *problem, const char *name, double work)
{
  berth_map_watch_t *w = problem->watch;
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->stage = name;
  w->work = work;
  w->done = 0;
  pthread_mutex_unlock(&w->lock);
}

void watch_did(const berth_map_problem_t *problem, double work)
{
  berth_map_watch_t *w = problem->watch;
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->done += work;
  pthread_mutex_unlock(&w->lock);
}

void watch_found(const berth_map_problem_t *problem, double price)
{
  berth_map_watch_t *w = problem->watch;
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  if (w->best < 0 || price < w->best) w->best = price;
  pthread_mutex_unlock(&w->lock);
}

void watch_agree(const berth_map_problem_t *problem)
{
  berth_team_t *team = problem->options.team;
  if (!team || team->failed) return;
  uint64_t stopped = team_maximum(team, watch_is_stopped(problem));
  if (stopped && problem->watch) berth_map_watch_stop(problem->watch);
}

watch_teller_t *watch_teller_new(const berth_map_problem_t *problem)
{
  berth_error_t err;
  if (!problem->watch || problem->options.objective == BERTH_MODEL_FLOW) return NULL;
  watch_teller_t *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->problem = *problem;
  t->problem.shared = NULL;
  t->min = INFINITY;
  t->pu_of_rank = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *t->pu_of_rank);
  if (t->pu_of_rank && !map_pricer_init(&t->pricer, &t->problem, &err)) return t;
  free(t->pu_of_rank);
  free(t);
  return NULL;
}

void watch_teller_free(watch_teller_t *t)
{
  if (!t) return;
  map_pricer_clear(&t->pricer);
  free(t->pu_of_rank);
  free(t);
}

void watch_tell(watch_teller_t *t, double number, const int *place_of_rank)
{
  if (!t || number >= t->min) return;
  int ranks = berth_pattern_ranks(t->problem.pattern);
  t->min = number;
  for (int r = 0; r < ranks; r++) t->pu_of_rank[r] = t->problem.pus[place_of_rank[r]];
  watch_found(&t->problem, map_price(&t->pricer, t->pu_of_rank));
}
