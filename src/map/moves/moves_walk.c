/* SPDX-License-Identifier: BSD-3-Clause */
/* Goes from one placement to another, the best steps first.
 * Each step is a swap or a move: it brings a rank to its new place, and the rank there to the first
 * one's place. So each intermediate state is a placement. Gains are in a heap. Gains of ranks near
 * a step are recomputed at once, others when they are on top. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_gain_heap.h"
#include "map/map_watch.h"
#include "map/moves/moves.h"

enum { LOOK_EVERY = 256 }; /* ranks between two readings of the clock */

typedef struct step {
  int rank, place;
} step_t;

typedef struct way {
  moves_t *m;
  draft_t at;
  gain_heap_t heap;
  int *goal; /* by rank: its final place */
  step_t *step;
  size_t n_steps;
  size_t *best_steps; /* by point: steps to its cheapest placement on the way; 0: none */
  double *best_price;
  int *best_moved;
} way_t;

/* Assigns places at the end: a rank that stays on its PU keeps its place, others get the remaining
 * ones. */
static int find_goal(way_t *w, const int *to, berth_error_t *err)
{
  const berth_map_problem_t *p = w->at.problem;
  int *first = malloc((size_t)berth_topo_n_pus(p->topo) * sizeof *first);
  bool *taken = calloc((size_t)p->n_pus, sizeof *taken);
  int rc = first && taken ? BERTH_OK : no_memory(err);
  for (int i = p->n_pus - 1; i >= 0 && !rc; i--) first[p->pus[i]] = i;
  for (int r = 0; r < w->at.ranks && !rc; r++) {
    w->goal[r] = to[r] == w->at.pu_of_rank[r] ? w->at.place[r] : -1;
    if (w->goal[r] >= 0) taken[w->goal[r]] = true;
  }
  for (int r = 0; r < w->at.ranks && !rc; r++) {
    if (w->goal[r] >= 0) continue;
    int *next = &first[to[r]];
    while (taken[*next]) ++*next;
    w->goal[r] = *next;
    taken[*next] = true;
  }
  free(first);
  free(taken);
  return rc;
}

static int way_init(way_t *w, moves_t *m, const int *from, const int *to, berth_error_t *err)
{
  *w = (way_t){.m = m};
  int rc = draft_init(&w->at, &m->guide, true, from, err);
  if (rc) return rc;
  size_t ranks = (size_t)w->at.ranks;
  w->goal = malloc(ranks * sizeof *w->goal);
  w->step = malloc(ranks * sizeof *w->step);
  w->best_steps = calloc(m->n, sizeof *w->best_steps);
  w->best_price = calloc(m->n, sizeof *w->best_price);
  w->best_moved = calloc(m->n, sizeof *w->best_moved);
  if (!w->goal || !w->step || !w->best_steps || !w->best_price || !w->best_moved ||
      !gain_heap_init(&w->heap, w->at.ranks))
    return no_memory(err);
  return find_goal(w, to, err);
}

static void way_clear(way_t *w)
{
  draft_clear(&w->at);
  gain_heap_clear(&w->heap);
  free(w->goal);
  free(w->step);
  free(w->best_steps);
  free(w->best_price);
  free(w->best_moved);
}

/* The gain of a rank's step, per rank that moves by it. */
static double score(way_t *w, int rank)
{
  double tried = draft_try(&w->at, rank, w->goal[rank]);
  int changed = abs(w->at.tried_moved - w->at.moved);
  if (w->m->tries) w->m->tries--;
  return (w->at.price - tried) / (changed > 1 ? changed : 1);
}

static void look_again(way_t *w, int rank)
{
  if (w->at.place[rank] == w->goal[rank] || w->m->tries == 0) return;
  gain_heap_set(&w->heap, rank, score(w, rank));
}

/* The rank with the best step. A rank whose gain fell while it waited goes back to the heap. */
static int choose(way_t *w)
{
  for (;;) {
    int rank = gain_heap_pop(&w->heap);
    if (w->at.place[rank] == w->goal[rank]) {
      if (w->heap.n == 0) return -1;
      continue;
    }
    double gain = score(w, rank);
    if (w->heap.n == 0 || w->m->tries == 0 || gain >= w->heap.item[0].gain) return rank;
    gain_heap_set(&w->heap, rank, gain);
  }
}

/* Records the placement for the first point with at least as many moves. Later points derive from
 * it. */
static void note(way_t *w)
{
  size_t i = moves_point_of(w->m, w->at.moved);
  if (i == w->m->n) return;
  const moves_point_t *p = &w->m->point[i];
  if (!moves_is_better(w->at.price, w->at.moved, p->price, p->moved)) return;
  if (w->best_steps[i] &&
      !moves_is_better(w->at.price, w->at.moved, w->best_price[i], w->best_moved[i]))
    return;
  w->best_steps[i] = w->n_steps;
  w->best_price[i] = w->at.price;
  w->best_moved[i] = w->at.moved;
}

static int make_step(way_t *w, int rank, berth_error_t *err)
{
  const graph_t *g = &w->m->graph;
  int other = w->at.rank_at[w->goal[rank]];
  int rc = draft_make(&w->at, err);
  if (rc) return rc;
  w->step[w->n_steps++] = (step_t){rank, w->goal[rank]};
  note(w);
  if (other >= 0) look_again(w, other);
  for (size_t i = g->start[rank]; i < g->start[rank + 1]; i++) look_again(w, g->adjacent[i]);
  for (size_t i = other < 0 ? 0 : g->start[other]; other >= 0 && i < g->start[other + 1]; i++)
    look_again(w, g->adjacent[i]);
  return BERTH_OK;
}

/* Repeats the steps and offers the recorded placements. */
static int offer(way_t *w, const int *from, berth_error_t *err)
{
  draft_t again = {0};
  int rc = draft_init(&again, &w->m->guide, true, from, err);
  for (size_t i = 0; i < w->m->n && !rc; i++) {
    if (!w->best_steps[i]) continue;
    memcpy(again.pu_of_rank, from, (size_t)again.ranks * sizeof *from);
    map_take_places(&w->m->guide, from, again.place, again.rank_at);
    for (size_t k = 0; k < w->best_steps[i]; k++)
      draft_put(&again, w->step[k].rank, w->step[k].place);
    moves_offer(w->m, again.pu_of_rank, w->best_moved[i], w->best_price[i]);
  }
  draft_clear(&again);
  return rc;
}

/* Computes the gains of the first steps. If there are too few tries for all, it takes ranks spread
 * evenly. */
static void look_around(way_t *w)
{
  uint64_t ranks = (uint64_t)w->at.ranks, max = w->m->tries / 2 + 1;
  int stride = (int)(ranks / max) + 1;
  for (int r = 0; r < w->at.ranks; r += stride) {
    if (r % LOOK_EVERY < stride && map_time_is_up(w->m->problem, 1)) return;
    if (w->at.place[r] != w->goal[r]) gain_heap_set(&w->heap, r, score(w, r));
  }
}

int moves_walk(moves_t *m, const int *from, const int *to, berth_error_t *err)
{
  way_t w;
  int rc = way_init(&w, m, from, to, err);
  if (!rc) look_around(&w);
  while (!rc && w.heap.n > 0 && !map_time_is_up(m->problem, 1)) {
    int rank = choose(&w);
    if (rank < 0) break;
    rc = isinf(w.at.tried) ? no_memory(err) : make_step(&w, rank, err);
  }
  if (!rc) rc = offer(&w, from, err);
  way_clear(&w);
  return rc;
}
