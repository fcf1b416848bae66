/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of a pattern that a portfolio also places for alone (phases.c). */
#ifndef BERTH_MAP_MAP_PHASES_H
#define BERTH_MAP_MAP_PHASES_H

#include "map/map_internal.h"

enum { PHASES_MAX = 3 };

/* Whether a phase alone is placed by that mapper: one that goes by messages and takes little time.
 */
bool phases_take(const berth_mapper_t *mapper);

/* Fills phase[0 … *n - 1] with the most expensive phases of a placement, as places in
 * berth_pattern_phases, the most expensive first. *n is 0 where fewer than two have messages.
 * `cost` is the whole pattern's evaluator. */
int phases_choose(const berth_map_problem_t *problem, berth_cost_t *cost, const int *pu_of_rank,
                  size_t phase[PHASES_MAX], size_t *n, berth_error_t *err);

/* Places the ranks for one phase, with the work of quality `fast`. */
int phases_place(const berth_map_problem_t *problem, const berth_mapper_t *mapper, size_t phase,
                 int *pu_of_rank, berth_error_t *err);

#endif
