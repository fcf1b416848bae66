/* SPDX-License-Identifier: BSD-3-Clause */
/* A placement under way, for searches by exact prices: small changes are tried and made. Prices are
 * those of map_price, to the bit. */
#ifndef BERTH_MAP_MAP_TRY_H
#define BERTH_MAP_MAP_TRY_H

#include "map/map_internal.h"

typedef struct draft {
  const berth_map_problem_t *problem;
  map_pricer_t pricer;
  berth_swap_t *cost, *sum; /* NULL where these have no part, or each try is an evaluation */
  bool evaluates;
  int ranks, moved;                  /* moved: ranks that aren't where options.from has them */
  int *pu_of_rank, *place, *rank_at; /* rank_at: -1 for none */
  double price;
  int rank, to, tried_moved; /* the last try */
  double tried;
} draft_t;

/* Starts from a placement, which is copied; the problem is borrowed. `bound`: under flow, prices
 * are bound's, which has swaps. Free with draft_clear, whatever is returned. */
int draft_init(draft_t *s, const berth_map_problem_t *problem, bool bound, const int *pu_of_rank,
               berth_error_t *err);
void draft_clear(draft_t *s);

/* The price with a rank on another place, and who is there on the rank's. Infinity when memory is
 * out. draft_make makes the last try's change. */
double draft_try(draft_t *s, int rank, int place);
int draft_make(draft_t *s, berth_error_t *err);

/* Puts a rank on a place, and who is there on the rank's; for where no evaluator follows. */
void draft_put(draft_t *s, int rank, int place);

/* How many ranks would then be away from where they were; this costs nothing. */
int draft_moved(const draft_t *s, int rank, int place);

/* The same change by one evaluator (NULL: 0): the rank goes to the PU, `other` (-1: nobody) back.
 */
double draft_try_swap(berth_swap_t *swap, int rank, int other, int pu);
berth_swap_t *draft_swaps(const draft_t *s, berth_model_t model, berth_error_t *err);

#endif
