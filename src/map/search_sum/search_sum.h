/* SPDX-License-Identifier: BSD-3-Clause */
/* Search under model sum, under which many placements cost the same. In some of them one port
 * carries several times as much as in others; even_ports evens that out. */
#ifndef BERTH_MAP_SEARCH_SUM_SEARCH_SUM_H
#define BERTH_MAP_SEARCH_SUM_SEARCH_SUM_H

#include <berth/map.h>
#include <stdbool.h>

#include "map/search_sum/sum_layout.h"

/* Improves a placement under model sum within the problem's limits. Pinned ranks stay. The result
 * never costs more. */
int search_sum(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

/* Lowers model sum while each rank stays in its block. block_of_place has a block for each of the
 * problem's places; blocks are subtrees. `tries` is the work. If the sum can't be lowered, the
 * placement stays. */
int search_sum_in_blocks(const berth_map_problem_t *problem, const int *block_of_place,
                         double tries, int *pu_of_rank, berth_error_t *err);

/* Lowers model sum by annealing alone. `tries` is the work. If the sum can't be lowered, the
 * placement stays. */
int search_sum_anneal(const berth_map_problem_t *problem, double tries, int *pu_of_rank,
                      berth_error_t *err);

/* --- Its steps, on a layout --- */

/* Places all ranks from the root down: each switch's ranks are split among its children.
 * place_of_rank has the places of pinned ranks. `tries` is the work. */
int sum_divide(const sum_layout_t *l, double tries, uint64_t *random, int *place_of_rank,
               berth_error_t *err);

/* Anneals a placement, by exchanges of two ranks, or of a rank and a free place. Temperatures fall
 * from `warm` to `cold`; their unit is the mean difference of an edge's cost between the second
 * deepest and the deepest switches. At the layout's prices, the result never costs more. */
typedef struct sum_cooling {
  double warm, cold;
  double tries;
} sum_cooling_t;

int sum_anneal(const sum_layout_t *l, const sum_cooling_t *cooling, uint64_t *random,
               int *place_of_rank, int *rank_at, berth_error_t *err);

/* Does both steps, from the placement in pu_of_rank. With 0 tries a step is skipped. place_of_rank
 * and rank_at are scratch space. */
typedef struct sum_pass {
  double divide_tries, anneal_tries;
} sum_pass_t;

int sum_pass(const sum_layout_t *l, const sum_pass_t *work, uint64_t *random, int *place_of_rank,
             int *rank_at, int *pu_of_rank, berth_error_t *err);

/* Changes a placement so that its busiest ports carry less in model bound, at the same price (to
 * 1e-12 of it). `cost` is an evaluator of the problem. *changed says whether anything changed. */
int even_ports(const berth_map_problem_t *problem, berth_cost_t *cost, int *pu_of_rank,
               bool *changed, berth_error_t *err);

#endif
