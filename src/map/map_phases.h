/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements for single phases of a pattern. */
#ifndef BERTH_MAP_MAP_PHASES_H
#define BERTH_MAP_MAP_PHASES_H

#include "map/map_internal.h"

enum { PHASES_MAX = 3 };

/* Whether that mapper also places for single phases: it must use messages and be fast. */
bool phases_take(const berth_mapper_t *mapper);

/* Fills phase[0 … *n - 1] with the most expensive phases of a placement, most expensive first, as
 * indices in berth_pattern_phases. The first round of a collective call stands for all of them. *n
 * is 0 if fewer than two phases or calls have messages. Those that cost little are left out.
 * `cost` evaluates the whole pattern. */
int phases_choose(const berth_map_problem_t *problem, berth_cost_t *cost, const int *pu_of_rank,
                  size_t phase[PHASES_MAX], size_t *n, berth_error_t *err);

/* Places the ranks for one phase, or for all rounds of a collective call, with the work of quality
 * `fast`. */
int phases_place(const berth_map_problem_t *problem, const berth_mapper_t *mapper, size_t phase,
                 int *pu_of_rank, berth_error_t *err);

#endif
