/* SPDX-License-Identifier: BSD-3-Clause */
/* Search by exact prices (map_price), for small problems and for last steps. A try uses the
 * evaluator's swaps, or a full evaluation where swaps don't know the price
 * (draft_needs_evaluations). */
#ifndef BERTH_MAP_MAP_SEARCH_EXACT_H
#define BERTH_MAP_MAP_SEARCH_EXACT_H

#include "map/map_draft.h"

typedef struct exact_search {
  const berth_map_problem_t *problem;
  uint64_t seed;
  uint64_t tries;    /* of the whole search */
  uint64_t patience; /* a walk ends after so many tries without gain */
  bool kicks;        /* a new walk then starts nearby, while tries are left */
  bool swaps;        /* no evaluations (draft_init): prices aren't exact then */
  double time_share; /* share of the time limit at which the search ends */
} exact_search_t;

/* Replaces a placement by the cheapest one found from there on. It never gets more expensive. */
int exact_search(const exact_search_t *how, int *pu_of_rank, berth_error_t *err);

/* Makes changes that lower model sum and don't raise the price. Ignores `patience` and `kicks`. */
int exact_lower_sum(const exact_search_t *how, int *pu_of_rank, berth_error_t *err);

#endif
