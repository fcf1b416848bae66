/* SPDX-License-Identifier: BSD-3-Clause */
/* Anneals a placement at all depths together (Kirkpatrick, Gelatt and Vecchi, 1983).
 * A change moves a rank next to one of its neighbours, in exchange for the rank there. Random pairs
 * would rarely gain anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"
#include "map/map_watch.h"
#include "map/search_sum/search_sum.h"

enum { STEPS = 500, DESCENT = 10 };

/* The places [lo, lo + n) that meet a place at the same switch of a depth. */
typedef struct near {
  int lo;
  uint32_t n;
} near_t;

typedef struct annealing {
  const sum_layout_t *l;
  int *place_of_rank, *rank_at;
  uint64_t *code; /* by rank: its place's code */
  near_t *near;   /* [depth][place], for all depths but the deepest, and one that is implied */
} annealing_t;

/* Finds the places near each place. A code's field tells the children of a depth's switches
 * apart. */
static void find_near(const sum_layout_t *l, near_t *near)
{
  for (int d = 0; d + 1 < l->depths; d++) {
    near_t *at = near + (size_t)d * (size_t)l->n_places;
    for (int lo = 0, hi; lo < l->n_places; lo = hi) {
      for (hi = lo; hi < l->n_places && l->code[hi] >> l->shift[d] == l->code[lo] >> l->shift[d];)
        hi++;
      for (int i = lo; i < hi; i++) at[i] = (near_t){lo, (uint32_t)(hi - lo)};
    }
  }
}

static int annealing_init(annealing_t *a, const sum_layout_t *l, int *place_of_rank, int *rank_at,
                          berth_error_t *err)
{
  *a = (annealing_t){.l = l, .place_of_rank = place_of_rank, .rank_at = rank_at};
  a->code = malloc((size_t)l->n_ranks * sizeof *a->code);
  a->near = malloc((size_t)l->depths * (size_t)l->n_places * sizeof *a->near);
  if (!a->code || !a->near) return no_memory(err);
  find_near(l, a->near);
  for (int r = 0; r < l->n_ranks; r++) a->code[r] = l->code[place_of_rank[r]];
  return BERTH_OK;
}

/* The difference of a rank's cost at `to` and at `from`, without its neighbour `other`. */
static inline float costs_more(const annealing_t *a, int rank, uint64_t from, uint64_t to,
                               int other)
{
  const sum_layout_t *l = a->l;
  size_t depths = (size_t)l->depths;
  float more = 0;
  for (size_t i = l->start[rank]; i < l->start[rank + 1]; i++) {
    int neighbour = l->adjacent[i];
    uint64_t at = a->code[neighbour];
    const float *price = l->price + i * depths;
    float change =
        price[sum_meet(l->depth_of_bit, to, at)] - price[sum_meet(l->depth_of_bit, from, at)];
    more += neighbour == other ? 0 : change;
  }
  return more;
}

/* Draws a place near one of the rank's neighbours, usually as near as possible; -1: none. */
static inline int draw_place(const annealing_t *a, int rank, uint64_t *random)
{
  const sum_layout_t *l = a->l;
  uint64_t degree = l->start[rank + 1] - l->start[rank];
  if (degree == 0) return -1;
  uint64_t draw = map_random_next(random);
  int neighbour = l->adjacent[l->start[rank] + (((draw & UINT32_MAX) * degree) >> 32)];
  int place = a->place_of_rank[neighbour], d = l->depths - 2;
  const near_t *near = a->near + (size_t)d * (size_t)l->n_places + place;
  while (d > 0 && (near->n < 2 || draw >> 61 == 0)) { /* one in eight is further away */
    d--;
    near -= l->n_places;
    draw <<= 3;
  }
  return near->lo + (int)sum_random_below(random, near->n);
}

static inline void put(annealing_t *a, int rank, int place)
{
  a->rank_at[place] = rank;
  if (rank < 0) return;
  a->place_of_rank[rank] = place;
  a->code[rank] = a->l->code[place];
}

static void walk(annealing_t *a, float temperature, uint64_t tries, uint64_t *random)
{
  const sum_layout_t *l = a->l;
  uint32_t n = (uint32_t)l->n_ranks;
  for (; tries > 0; tries--) {
    int rank = (int)sum_random_below(random, n);
    int to = l->pinned[rank] ? -1 : draw_place(a, rank, random);
    if (to < 0) continue;
    int from = a->place_of_rank[rank], other = a->rank_at[to];
    uint64_t here = l->code[from], there = l->code[to];
    if (here == there || (other >= 0 && l->pinned[other])) continue;
    if (l->block && l->block[from] != l->block[to]) continue;
    float more = costs_more(a, rank, here, there, other);
    if (other >= 0) more += costs_more(a, other, there, here, rank);
    if (!sum_accepts(more, temperature, random)) continue;
    put(a, rank, to);
    put(a, other, from);
  }
}

/* The same with a look at the clock now and then, because `iterations` may be any number. */
static void walk_in_time(annealing_t *a, float temperature, uint64_t tries, uint64_t *random)
{
  uint64_t n = 0;
  for (; tries > 0 && !map_time_is_up(a->l->problem, 1); tries -= n) {
    n = tries < SUM_LOOK_EVERY ? tries : SUM_LOOK_EVERY;
    walk(a, temperature, n, random);
  }
}

/* The cost of the placement; each pair counts twice. */
static double cost_of(const annealing_t *a)
{
  const sum_layout_t *l = a->l;
  double cost = 0;
  for (int r = 0; r < l->n_ranks; r++)
    for (size_t i = l->start[r]; i < l->start[r + 1]; i++) {
      int d = sum_meet(l->depth_of_bit, a->code[r], a->code[l->adjacent[i]]);
      cost += (double)l->price[i * (size_t)l->depths + (size_t)d];
    }
  return cost;
}

/* Restores a placement. */
static void restore(annealing_t *a, const int *place_of_rank)
{
  for (int i = 0; i < a->l->n_places; i++) a->rank_at[i] = -1;
  for (int r = 0; r < a->l->n_ranks; r++) put(a, r, place_of_rank[r]);
}

int sum_anneal(const sum_layout_t *l, const sum_cooling_t *cooling, uint64_t *random,
               int *place_of_rank, int *rank_at, berth_error_t *err)
{
  if (l->depths < 2) return BERTH_OK;
  annealing_t a;
  size_t bytes = (size_t)l->n_ranks * sizeof *place_of_rank;
  int rc = annealing_init(&a, l, place_of_rank, rank_at, err);
  int *before = malloc(bytes);
  if (!rc && !before) rc = no_memory(err);
  if (!rc) {
    memcpy(before, place_of_rank, bytes);
    double cost = cost_of(&a), temperature = cooling->warm * l->step[l->depths - 2];
    double factor = pow(cooling->cold / cooling->warm, 1.0 / STEPS);
    for (int i = 0; i < STEPS && !map_time_is_up(l->problem, 1); i++, temperature *= factor) {
      walk_in_time(&a, (float)temperature, (uint64_t)(cooling->tries / STEPS) + 1, random);
      if (!l->is_step) watch_did(l->problem, cooling->tries / STEPS);
    }
    walk(&a, 0, (uint64_t)l->n_ranks * DESCENT, random);
    if (cost_of(&a) > cost) restore(&a, before);
  }
  free(before);
  free(a.code);
  free(a.near);
  return rc;
}
