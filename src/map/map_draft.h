/* SPDX-License-Identifier: BSD-3-Clause */
/* A placement that a search changes step by step. Prices equal those of map_price to the bit,
 * unless draft_init was asked for swaps alone. */
#ifndef BERTH_MAP_MAP_DRAFT_H
#define BERTH_MAP_MAP_DRAFT_H

#include "map/map_internal.h"

typedef struct draft {
  const berth_map_problem_t *problem;
  map_pricer_t pricer;
  berth_swap_t *cost, *sum; /* NULL if unused, or if each try is an evaluation */
  bool evaluates;
  int ranks, moved;                  /* moved: ranks that aren't where options.from has them */
  int *pu_of_rank, *place, *rank_at; /* rank_at: -1: free */
  double price;
  int rank, to, tried_moved; /* the last try */
  double tried;
} draft_t;

/* Whether exact prices need evaluations, because swaps don't know them: model flow has no swaps,
 * and swaps leave out calls whose messages depend on hosts (pattern/by_hosts.h). */
bool draft_needs_evaluations(const berth_map_problem_t *problem);

/* Starts from a placement, which is copied. The problem is borrowed. `swaps`: no evaluations, so
 * model bound instead of flow, and no calls that depend on hosts. Free with draft_clear, also after
 * a failure. */
int draft_init(draft_t *s, const berth_map_problem_t *problem, bool swaps, const int *pu_of_rank,
               berth_error_t *err);
void draft_clear(draft_t *s);

/* The price with a rank on another place; the rank that is there goes to the first one's place.
 * Infinity when memory is out. draft_make makes the change of the last try. */
double draft_try(draft_t *s, int rank, int place);
int draft_make(draft_t *s, berth_error_t *err);

/* Makes such a change without an evaluator. */
void draft_put(draft_t *s, int rank, int place);

/* How many ranks would then be away from options.from; takes constant time. */
int draft_moved(const draft_t *s, int rank, int place);

/* The same change in one evaluator (NULL: 0): the rank goes to the PU, `other` (-1: nobody) to the
 * rank's. */
double draft_try_swap(berth_swap_t *swap, int rank, int other, int pu);
berth_swap_t *draft_swaps(const draft_t *s, berth_model_t model, berth_error_t *err);

#endif
