/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem under model sum, laid out for local search: what neighbours cost each other by the
 * depth at which they meet, and places (a PU's room for one rank) with codes that tell that depth.
 */
#ifndef BERTH_MAP_SEARCH_SUM_SUM_LAYOUT_H
#define BERTH_MAP_SEARCH_SUM_SUM_LAYOUT_H

#include <berth/map.h>
#include <stdbool.h>

#include "map/map_internal.h"

enum { SUM_BITS = 64 };

typedef struct sum_layout {
  const berth_map_problem_t *problem; /* borrowed */
  int n_ranks, n_places;
  int depths;
  bool exact;    /* the depth alone says what a pair costs; else prices are means over the tree */
  size_t *start; /* the neighbours of rank r are adjacent[start[r] … start[r + 1] - 1] */
  int *adjacent;
  float *price;          /* [neighbour][depth], both directions and all phases together */
  double *step;          /* of each depth: what edges cost more there than one deeper, on average */
  int *pu_of_place;      /* places are sorted by code */
  uint64_t *code;        /* of each place: the way down the tree, a field of bits for each depth */
  int *shift;            /* of each depth: the bits below its field */
  uint8_t *depth_of_bit; /* of the highest bit in which two codes differ, plus 1; 0 for none */
  bool *pinned;          /* of each rank */
  bool is_step;          /* of a stage that doesn't count tries */
  int *block;            /* of each place: ranks stay in their block, a subtree's places; NULL: they
                            may go anywhere */
} sum_layout_t;

/* Lays a problem out. When the tree doesn't fit a code, out->n_places is 0. Free with
 * sum_layout_clear in any case. */
int sum_layout_init(sum_layout_t *out, const berth_map_problem_t *problem, const berth_cost_t *cost,
                    berth_error_t *err);
void sum_layout_clear(sum_layout_t *l);

/* The place of each rank: place_of_rank[r], and back, -1 for free ones. */
int sum_layout_place(const sum_layout_t *l, const int *pu_of_rank, int *place_of_rank, int *rank_at,
                     berth_error_t *err);

/* The depth at which the ranks at two places meet. */
static inline int sum_meet(const uint8_t *depth_of_bit, uint64_t a, uint64_t b)
{
  uint64_t x = a ^ b;
  return depth_of_bit[x ? SUM_BITS - __builtin_clzll(x) : 0];
}

/* A number below n, from the upper half of the next random number: as map_random_below, where each
 * draw counts. */
static inline uint32_t sum_random_below(uint64_t *state, uint32_t n)
{
  return (uint32_t)(((map_random_next(state) >> 32) * n) >> 32);
}

/* Metropolis et al. (1953): whether a change that costs `more` is made at a temperature. */
bool sum_accepts_higher(float more, float temperature, uint64_t *random);

static inline bool sum_accepts(float more, float temperature, uint64_t *random)
{
  return more <= 0 || (more < 12 * temperature && sum_accepts_higher(more, temperature, random));
}

#endif
