/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem under model sum, prepared for local search: neighbours' costs by the depth at which
 * they meet; and places (a PU's room for one rank) with codes from which that depth follows. */
#ifndef BERTH_MAP_SEARCH_SUM_SUM_LAYOUT_H
#define BERTH_MAP_SEARCH_SUM_SUM_LAYOUT_H

#include <berth/map.h>
#include <stdbool.h>

#include "map/map_internal.h"

enum { SUM_BITS = 64 };
enum { SUM_LOOK_EVERY = 1 << 20 }; /* tries between two readings of the clock: some 20 ms */

typedef struct sum_layout {
  const berth_map_problem_t *problem; /* borrowed */
  int n_ranks, n_places;
  int depths;
  bool exact;    /* the depth determines a pair's cost; otherwise prices are means over the tree */
  size_t *start; /* rank r's neighbours are adjacent[start[r] … start[r + 1] - 1] */
  int *adjacent;
  float *price;          /* [neighbour][depth], summed over both directions and all phases */
  double *step;          /* by depth: mean difference of an edge's cost to one level deeper */
  int *pu_of_place;      /* places are sorted by code */
  uint64_t *code;        /* by place: the way down the tree, with a field of bits for each depth */
  int *shift;            /* by depth: number of bits below its field */
  uint8_t *depth_of_bit; /* by the highest bit in which two codes differ, plus 1; 0: none */
  bool *pinned;          /* by rank */
  bool is_step;          /* the search is a step that doesn't report its tries */
  int *block; /* by place: ranks stay in their block, the places of a subtree; NULL: no blocks */
} sum_layout_t;

/* Prepares a problem. If the tree doesn't fit a code, out->n_places is 0. Free with
 * sum_layout_clear, also after a failure. */
int sum_layout_init(sum_layout_t *out, const berth_map_problem_t *problem, const berth_cost_t *cost,
                    berth_error_t *err);
void sum_layout_clear(sum_layout_t *l);

/* The place of each rank: place_of_rank[r]; and the rank of each place, -1: free. */
int sum_layout_place(const sum_layout_t *l, const int *pu_of_rank, int *place_of_rank, int *rank_at,
                     berth_error_t *err);

/* The depth at which the ranks of two places meet. */
static inline int sum_meet(const uint8_t *depth_of_bit, uint64_t a, uint64_t b)
{
  uint64_t x = a ^ b;
  return depth_of_bit[x ? SUM_BITS - __builtin_clzll(x) : 0];
}

/* A number below n, from the upper half of the next random number: faster than map_random_below,
 * nearly equally distributed. */
static inline uint32_t sum_random_below(uint64_t *state, uint32_t n)
{
  return (uint32_t)(((map_random_next(state) >> 32) * n) >> 32);
}

/* Metropolis's rule (1953): whether to make a change that costs `more`, at a temperature. */
bool sum_accepts_higher(float more, float temperature, uint64_t *random);

static inline bool sum_accepts(float more, float temperature, uint64_t *random)
{
  return more <= 0 || (more < 12 * temperature && sum_accepts_higher(more, temperature, random));
}

#endif
