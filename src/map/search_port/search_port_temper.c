/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches by parallel tempering (Swendsen and Wang, 1986; Hukushima and Nemoto, 1996).
 *
 * Walks at fixed temperatures exchange their placements with neighbouring temperatures by
 * Metropolis's rule. A placement that is stuck at a low temperature moves up, gets another shape
 * and comes down again. Cycles of annealing find such shapes less often: for 512 ranks of a
 * weighted 3-D stencil in 8 groups, all cycles end at the same busiest port, and tempering ends
 * below it in half of the runs. The potential is a norm of power 8. Now and then, a copy of one of
 * the walks' placements is cooled down with higher powers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_watch.h"
#include "map/search_port/search_port.h"

enum {
  WALKS = 14,
  DOUBLINGS = 3,
  ROUND_A_RANK = 1,    /* a walk's tries between two exchanges */
  COOL_A_RANK = 25,    /* tries of cooling down */
  COOL_EVERY = 50,     /* rounds */
  ADD_UP_EVERY = 64,   /* rounds; removes rounding errors */
  WORTHWHILE = 100000, /* tries for each rank: with fewer, cycles find more */
};

/* Temperatures, relative to the average rise of the potential by a change that raises it: at one
 * little moves any more, at the other groups get other shapes. */
static const double COLDEST = 0.033, HOTTEST = 0.135;

/* Cooling of a copy: shares of its walk's temperature. */
static const struct {
  int doublings;
  double share_of_tries, temperature;
} cooling[] = {{3, 0.1, 0.8}, {3, 0.1, 0.5}, {3, 0.1, 0.3}, {3, 0.1, 0.2},
               {3, 0.1, 0.1}, {4, 0.2, 0.1}, {5, 0.2, 0.1}, {5, 0.1, 0.03}};

typedef struct temper {
  const port_model_t *model;
  int threads;
  port_walk_t walk[WALKS], cooled;
  int at[WALKS]; /* the walk at each temperature, the coldest first */
  double temperature[WALKS];
  uint64_t random;
  double best_cost;
  int *best; /* place of each rank */
  watch_teller_t *teller;
} temper_t;

static void keep_if_best(temper_t *t, const port_walk_t *w)
{
  double cost = port_state_cost(&w->state);
  if (cost >= t->best_cost) return;
  t->best_cost = cost;
  memcpy(t->best, w->state.place_of_rank, (size_t)t->model->n_ranks * sizeof *t->best);
}

static void go_all(temper_t *t, uint64_t tries, bool adds_up)
{
#pragma omp parallel for num_threads(t->threads) schedule(dynamic, 1)
  for (int i = 0; i < WALKS; i++) {
    port_walk_t *w = &t->walk[t->at[i]];
    if (adds_up) port_walk_add_up(w, DOUBLINGS);
    port_walk_go(w, tries, t->temperature[i]);
  }
}

/* Lets every second pair of neighbours exchange places. */
static void exchange(temper_t *t, int first)
{
  for (int i = first; i + 1 < WALKS; i += 2) {
    int cold = t->at[i], hot = t->at[i + 1];
    double gain = t->walk[cold].state.potential - t->walk[hot].state.potential;
    double x = gain * (1 / t->temperature[i] - 1 / t->temperature[i + 1]);
    if (x < 0 && log(port_chance(&t->random)) >= x) continue;
    t->at[i] = hot;
    t->at[i + 1] = cold;
  }
}

/* Cools down a copy of one of the colder walks' placements. */
static void cool_one(temper_t *t, uint64_t tries)
{
  int i = (int)map_random_below(&t->random, WALKS * 2 / 3);
  port_walk_t *w = &t->cooled;
  port_state_place(&w->state, t->walk[t->at[i]].state.place_of_rank);
  for (size_t k = 0; k < sizeof cooling / sizeof *cooling; k++) {
    port_walk_add_up(w, cooling[k].doublings);
    port_walk_go(w, (uint64_t)((double)tries * cooling[k].share_of_tries),
                 cooling[k].temperature * t->temperature[i]);
  }
  keep_if_best(t, w);
}

static void temper(temper_t *t, uint64_t tries)
{
  uint64_t ranks = (uint64_t)t->model->n_ranks;
  uint64_t a_round = ranks * (ROUND_A_RANK * WALKS * COOL_EVERY + COOL_A_RANK) / COOL_EVERY;
  for (uint64_t i = 0; i < tries / a_round && !map_time_is_up(t->model->problem, 1); i++) {
    go_all(t, ROUND_A_RANK * ranks, i % ADD_UP_EVERY == 0);
    keep_if_best(t, &t->walk[t->at[0]]);
    exchange(t, (int)(i & 1));
    watch_did(t->model->problem, (double)a_round);
    if (i % COOL_EVERY != COOL_EVERY - 1) continue;
    cool_one(t, COOL_A_RANK * ranks);
    watch_tell(t->teller, t->best_cost, t->best);
  }
}

static int set_up(temper_t *t, uint64_t seed, const int *pu_of_rank, berth_error_t *err)
{
  t->best = malloc((size_t)t->model->n_ranks * sizeof *t->best);
  if (!t->best) return no_memory(err);
  int rc = port_walk_init(&t->cooled, t->model, seed, pu_of_rank, err);
  for (int i = 0; i < WALKS && !rc; i++) {
    uint64_t own = seed + ((uint64_t)(i + 1) << 40);
    rc = port_walk_init(&t->walk[i], t->model, own, pu_of_rank, err);
    t->walk[i].state.sum_weight = 0;
    t->at[i] = i;
  }
  if (rc) return rc;
  t->cooled.state.sum_weight = 0;
  port_walk_add_up(&t->cooled, DOUBLINGS);
  t->best_cost = port_state_cost(&t->cooled.state);
  memcpy(t->best, t->cooled.state.place_of_rank, (size_t)t->model->n_ranks * sizeof *t->best);
  double average = port_walk_average_rise(&t->cooled);
  for (int i = 0; i < WALKS; i++)
    t->temperature[i] = average * (COLDEST + (HOTTEST - COLDEST) * i / (WALKS - 1));
  return BERTH_OK;
}

int port_temper(const port_model_t *m, uint64_t seed, uint64_t tries, int threads, int *pu_of_rank,
                berth_error_t *err)
{
  temper_t t = {.model = m, .threads = threads, .random = seed};
  t.teller = watch_teller_new(m->problem);
  int rc = set_up(&t, seed, pu_of_rank, err);
  if (!rc && t.temperature[0] > 0) temper(&t, tries); /* otherwise all placements cost the same */
  for (int r = 0; r < m->n_ranks && !rc; r++) pu_of_rank[r] = m->problem->pus[t.best[r]];
  for (int i = 0; i < WALKS; i++) port_walk_clear(&t.walk[i]);
  port_walk_clear(&t.cooled);
  watch_teller_free(t.teller);
  free(t.best);
  return rc;
}

bool port_temper_serves(const port_model_t *m, uint64_t tries)
{
  return tries / WORTHWHILE >= (uint64_t)m->n_ranks && port_model_fits(m, WALKS + 1);
}
