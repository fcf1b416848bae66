/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi, 1983) on the potential of search_port.h. */
#include "map/search_port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  STAGES = 200,         /* of one temperature each, if there are tries enough */
  STAGE_MOST = 1 << 16, /* tries: between two looks at the clock */
  SAMPLES = 2000,       /* draws that are looked at for the scale of temperatures */
  DRAWS = 1 << 30
};

/* The first and the last temperature, in average rises of the potential by a change. */
static const double HOT = 0.2, COLD = 0.006;

/* Draws for changes that bear less than this share of the potential are mostly passed over, but
 * not all of them. */
static const double WORTHWHILE = 1.0 / 30, PASSED_OVER = 15.0 / 16;

typedef struct walker {
  const port_model_t *model;
  port_state_t state;
  uint64_t random;
  double average; /* rise of the potential by a change that raises it */
  double best_cost;
  int *best;     /* place of each rank */
  double *worth; /* of a change that meets at a depth: the share of the potential below it */
} walker_t;

/* One draw makes two small numbers: its bits are enough for both. */
static void draw_two(uint64_t *random, int n, int m, int *x, int *y)
{
  uint64_t bits = map_random_below(random, (uint64_t)1 << 62);
  *x = (int)(((bits >> 31) * (uint64_t)n) >> 31);
  *y = (int)(((bits & 0x7fffffff) * (uint64_t)m) >> 31);
}

/* A node near a rank that this one exchanges bytes with: one of those above it that don't hold the
 * rank itself, the highest half of the time. */
static int near_partner(walker_t *w, int rank, int which)
{
  const port_model_t *m = w->model;
  const port_link_t *link = &m->link[m->first_link[rank] + (size_t)which];
  int x = w->state.leaf_of_rank[rank], node = w->state.leaf_of_rank[link->other];
  if (port_is_below(m, x, node)) return -1;
  while (!port_is_below(m, x, m->node[node].parent)) {
    if (map_random_below(&w->random, 4) == 0) break;
    node = m->node[node].parent;
  }
  double worth = w->worth[m->node[m->node[node].parent].depth] / WORTHWHILE;
  if (worth < PASSED_OVER &&
      (double)map_random_below(&w->random, DRAWS) > (worth + 1 - PASSED_OVER) * DRAWS)
    return -1;
  return node;
}

/* Draws a rank and a place: mostly near one that the rank exchanges bytes with. False when that is
 * no change that matters. */
static bool draw(walker_t *w, int *rank, int *place)
{
  const port_model_t *m = w->model;
  const berth_map_problem_t *p = m->problem;
  int which, kind, node = 0;
  draw_two(&w->random, m->n_ranks, 16, rank, &kind);
  int links = (int)(m->first_link[*rank + 1] - m->first_link[*rank]);
  draw_two(&w->random, links, DRAWS, &which, place);
  if (links > 0 && kind > 0) node = near_partner(w, *rank, which);
  if (node < 0 || m->node[node].places == 0) return false;
  *place = m->node[node].place + (int)(((uint64_t)*place * (uint64_t)m->node[node].places) / DRAWS);
  if (m->leaf[*place] == w->state.leaf_of_rank[*rank] || map_is_pinned(p, *rank)) return false;
  int other = w->state.rank_at[*place];
  return other < 0 || !map_is_pinned(p, other);
}

/* Finds out at which depths the potential stands: where nothing below counts, draws are in vain. */
static void weigh_depths(walker_t *w)
{
  const port_model_t *m = w->model;
  const port_state_t *s = &w->state;
  size_t loads = (size_t)m->n_nodes * PORT_LOADS;
  for (int d = 0; d <= m->height; d++) w->worth[d] = 0;
  for (int k = 0; k < m->n_phases; k++) {
    if (s->total[k] <= 0 || s->potential <= 0) continue;
    double scale = m->cost_share * m->repeats[k] * s->norm[k] / s->total[k] / s->potential;
    for (size_t i = 0; i < loads; i++)
      w->worth[m->node[i / PORT_LOADS].depth] += scale * s->power[(size_t)k * loads + i];
  }
  double below = s->potential > 0 ? s->sum / s->potential : 0;
  for (int d = m->height; d >= 0; d--) {
    double here = w->worth[d];
    w->worth[d] = below;
    below += here;
  }
}

static void sample_rises(walker_t *w)
{
  int n = 0, rank, place;
  double total = 0;
  for (int i = 0; i < SAMPLES; i++) {
    if (!draw(w, &rank, &place)) continue;
    double rise = port_state_try(&w->state, rank, place) - w->state.potential;
    if (rise <= 0) continue;
    total += rise;
    n++;
  }
  w->average = n ? total / n : 0;
}

static void keep_best(walker_t *w)
{
  double cost = port_state_cost(&w->state);
  if (w->best_cost >= 0 && cost >= w->best_cost) return;
  w->best_cost = cost;
  memcpy(w->best, w->state.place_of_rank, (size_t)w->model->n_ranks * sizeof *w->best);
}

/* Whether a rise is taken (Metropolis): with chance exp(-rise / temperature). */
static bool takes(walker_t *w, double rise, double temperature)
{
  enum { STEPS = 1 << 30 };
  if (rise <= 0) return true;
  if (rise > 20 * temperature) return false;
  double chance = (double)(1 + map_random_below(&w->random, STEPS)) / STEPS;
  return rise < -temperature * log(chance);
}

static void one_stage(walker_t *w, uint64_t tries, double temperature)
{
  int rank, place;
  for (uint64_t i = 0; i < tries; i++) {
    if (!draw(w, &rank, &place)) continue;
    double rise = port_state_try(&w->state, rank, place) - w->state.potential;
    if (takes(w, rise, temperature)) port_state_commit(&w->state);
  }
}

/* Powers of 4 at first, which see all loads, up to 32, for which the busiest ones alone count. */
static int doublings_at(double progress)
{
  return progress < 0.6 ? 2 : progress < 0.8 ? 3 : progress < 0.95 ? 4 : 5;
}

static void anneal(walker_t *w, const port_search_t *how)
{
  const berth_map_problem_t *problem = w->model->problem;
  double started = map_time_used(problem), time = how->time_share - started;
  uint64_t stage = how->tries / STAGES + 1;
  if (stage > STAGE_MOST) stage = STAGE_MOST;
  port_state_add_up(&w->state, doublings_at(0));
  keep_best(w);
  weigh_depths(w);
  sample_rises(w);
  if (w->average <= 0) return;
  for (uint64_t done = 0; done < how->tries; done += stage) {
    double progress = (double)done / (double)how->tries, used = map_time_used(problem) - started;
    if (used > 0 && used > progress * time) progress = used / time;
    if (progress >= 1 || time <= 0) return;
    port_state_add_up(&w->state, doublings_at(progress));
    weigh_depths(w);
    one_stage(w, stage, HOT * pow(COLD / HOT, progress) * w->average);
    keep_best(w);
  }
}

int port_search(const port_model_t *m, const port_search_t *how, int *pu_of_rank,
                berth_error_t *err)
{
  walker_t w = {.model = m, .random = how->seed, .best_cost = -1};
  w.best = malloc((size_t)m->n_ranks * sizeof *w.best);
  w.worth = malloc(((size_t)m->height + 1) * sizeof *w.worth);
  int rc = w.best && w.worth ? port_state_init(&w.state, m, pu_of_rank, err) : map_no_memory(err);
  if (!rc) {
    anneal(&w, how);
    for (int r = 0; r < m->n_ranks; r++) pu_of_rank[r] = m->problem->pus[w.best[r]];
    port_state_clear(&w.state);
  }
  free(w.best);
  free(w.worth);
  return rc;
}
