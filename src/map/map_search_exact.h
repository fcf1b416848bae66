/* SPDX-License-Identifier: BSD-3-Clause */
/* Search by exact prices, as map_price has them: for what is small, and for the last steps. A try
 * goes through the evaluator's swaps; under flow, which has none, it is a whole evaluation. */
#ifndef BERTH_MAP_MAP_SEARCH_EXACT_H
#define BERTH_MAP_MAP_SEARCH_EXACT_H

#include "map/map_draft.h"

typedef struct exact_search {
  const berth_map_problem_t *problem;
  uint64_t seed;
  uint64_t tries;    /* in all */
  uint64_t patience; /* a walk ends after so many tries that found nothing cheaper */
  bool kicks;        /* it then starts again from a place nearby, while there are tries left */
  bool bound;        /* under flow: price by bound, which has swaps, instead */
  double time_share; /* of the time limit, when the search ends */
} exact_search_t;

/* Replaces a placement by the cheapest that is found from there on; never by a dearer one. */
int exact_search(const exact_search_t *how, int *pu_of_rank, berth_error_t *err);

/* Makes changes that lower model sum and aren't dearer. `patience` and `kicks` don't matter. */
int exact_lower_sum(const exact_search_t *how, int *pu_of_rank, berth_error_t *err);

#endif
