/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches by simulated annealing (Kirkpatrick, Gelatt, Vecchi, 1983) on a potential, in cycles.
 *
 * Thermal cycling (Möbius and others, 1997): the first cycles melt the start, so that groups of
 * ranks get other shapes. Later ones warm up the best placement so far, which moves the groups'
 * borders. When these find nothing any more, a cycle melts again. Many short cycles find more than
 * a long one, because the result is decided as the placement freezes. */
#include "map/search_port/search_port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_watch.h"

enum {
  CYCLE_A_RANK = 2000, /* maximum of a cycle's tries for each rank */
  CYCLES_MIN = 4,      /* minimum of cycles, if they have */
  CYCLE_MIN = 100,     /* as many tries as this for each rank */
  IDLE = 6,            /* warm cycles without gain, before one melts again */
  MELTS = 6,           /* at first, one of so many cycles melts */
  STAGES = 100,        /* temperatures of a cycle, if there are enough tries */
  STAGE_MAX = 1 << 16  /* maximum of tries between two readings of the clock */
};

/* A part of a cycle. First powers of 4 or 8, which consider all loads; up to 32, which considers
 * only the busiest. The first part starts with the cycle's temperature. */
typedef struct step {
  double until; /* share of the cycle at which it ends */
  int doublings;
  double hot, cold;
} step_t;

/* Temperatures, relative to the average rise of the potential by a change that raises it. */
typedef struct schedule {
  double melting, warm_min, warm_max;
  step_t step[3];
} schedule_t;

/* The sum separates placements that powers of 4 would not, and its small differences need lower
 * temperatures. */
static const schedule_t for_ports = {
    0.22, 0.08, 0.2, {{0.8, 2, 0, 0.05}, {0.9, 3, 0.04, 0.02}, {1, 5, 0.04, 0.02}}};
static const schedule_t for_sums = {
    0.1, 0.03, 0.15, {{0.6, 3, 0, 0.01}, {0.8, 5, 0.03, 0.005}, {1, 5, 0.005, 0.001}}};

typedef struct walker {
  const port_model_t *model;
  const schedule_t *schedule;
  port_walk_t walk;
  double average;              /* average rise of the potential by a change that raises it */
  double best_cost, here_cost; /* negative: none yet */
  int *start, *best, *here;    /* place of each rank; here: the best since the last melting */
  watch_teller_t *teller;
} walker_t;

static void keep_if_better(const walker_t *w, double cost, double *best_cost, int *best)
{
  if (*best_cost >= 0 && cost >= *best_cost) return;
  *best_cost = cost;
  memcpy(best, w->walk.state.place_of_rank, (size_t)w->model->n_ranks * sizeof *best);
}

static void keep_best(walker_t *w)
{
  double cost = port_state_cost(&w->walk.state);
  keep_if_better(w, cost, &w->best_cost, w->best);
  keep_if_better(w, cost, &w->here_cost, w->here);
}

/* The current part of a cycle; *over is its finished share. */
static const step_t *step_at(const step_t *step, double progress, double *over)
{
  double from = 0;
  for (; progress >= step->until && step->until < 1; step++) from = step->until;
  *over = (progress - from) / (step->until - from);
  return step;
}

/* Cools down from a temperature, faster if time would end before the tries. */
static void cool(walker_t *w, double hot, uint64_t tries, double time_share)
{
  const berth_map_problem_t *problem = w->model->problem;
  double started = map_time_used(problem), over, progress = 0;
  double room = fmax(time_share - started, 0);
  uint64_t stage = tries / STAGES + 1;
  if (stage > STAGE_MAX) stage = STAGE_MAX;
  w->walk.state.doublings = 0;
  for (uint64_t done = 0; progress < 1; done += stage) {
    const step_t *step = step_at(w->schedule->step, progress, &over);
    bool next = step->doublings != w->walk.state.doublings;
    port_walk_add_up(&w->walk, step->doublings);
    if (next) w->average = port_walk_average_rise(&w->walk);
    double first = step == w->schedule->step ? hot : step->hot;
    port_walk_go(&w->walk, stage, w->average * first * pow(step->cold / first, over));
    keep_best(w);
    watch_did(problem, (double)stage);
    if (map_time_is_up(problem, time_share)) break;
    double used = map_time_used(problem) - started;
    progress = (double)(done + stage) / (double)tries;
    if (used > progress * room) progress = room > 0 ? used / room : 1;
  }
}

static void one_cycle(walker_t *w, bool melts, uint64_t tries, double time_share)
{
  enum { DRAWS = 1 << 30 };
  const schedule_t *t = w->schedule;
  double x = (double)map_random_below(&w->walk.random, DRAWS) / DRAWS;
  double warm = t->warm_min * pow(t->warm_max / t->warm_min, x);
  port_state_place(&w->walk.state, melts ? w->start : w->here);
  cool(w, melts ? t->melting : warm, tries, time_share);
}

/* Runs all cycles. When warm ones find nothing any more, one melts, and the next go on from its
 * result. */
static void all_cycles(walker_t *w, const port_search_t *how)
{
  const berth_map_problem_t *problem = w->model->problem;
  uint64_t ranks = (uint64_t)w->model->n_ranks, tries = how->tries / CYCLES_MIN;
  if (tries < CYCLE_MIN * ranks) tries = CYCLE_MIN * ranks;
  if (tries > CYCLE_A_RANK * ranks) tries = CYCLE_A_RANK * ranks;
  if (tries > how->tries) tries = how->tries;
  uint64_t cycles = tries ? how->tries / tries : 0;
  uint64_t melts = how->melts && cycles >= CYCLES_MIN ? (cycles + MELTS - 1) / MELTS : 0;
  int idle = 0;
  for (uint64_t i = 0; i < cycles && !map_time_is_up(problem, how->time_share); i++) {
    bool again = idle == IDLE;
    double before = w->here_cost;
    if (again) w->here_cost = -1;
    one_cycle(w, again || i < melts, tries, how->time_share);
    watch_tell(w->teller, w->best_cost, w->best);
    idle = again || w->here_cost < before ? 0 : idle + 1;
  }
}

static int search_in_cycles(walker_t *w, const port_search_t *how, int *pu_of_rank,
                            berth_error_t *err)
{
  const port_model_t *m = w->model;
  size_t bytes = (size_t)m->n_ranks * sizeof(int);
  w->start = malloc(bytes);
  w->best = malloc(bytes);
  w->here = malloc(bytes);
  if (!w->start || !w->best || !w->here) return no_memory(err);
  int rc = port_walk_init(&w->walk, m, how->seed, pu_of_rank, err);
  if (rc) return rc;
  w->walk.state.sum_weight = how->with_sum ? 1 : 0;
  memcpy(w->start, w->walk.state.place_of_rank, bytes);
  port_state_add_up(&w->walk.state, w->schedule->step[0].doublings);
  keep_best(w);
  all_cycles(w, how);
  for (int r = 0; r < m->n_ranks; r++) pu_of_rank[r] = m->problem->pus[w->best[r]];
  return BERTH_OK;
}

int port_search(const port_model_t *m, const port_search_t *how, int *pu_of_rank,
                berth_error_t *err)
{
  walker_t w = {.model = m,
                .schedule = how->with_sum ? &for_sums : &for_ports,
                .best_cost = -1,
                .here_cost = -1};
  w.teller = watch_teller_new(m->problem);
  int rc = search_in_cycles(&w, how, pu_of_rank, err);
  watch_teller_free(w.teller);
  port_walk_clear(&w.walk);
  free(w.start);
  free(w.best);
  free(w.here);
  return rc;
}
