/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that a team's processes share (berth/team.h). Process (i mod number of processes) does item
 * i, and all processes get its result, so that they continue in the same way. Without a team this
 * process does all items. Outside of items, a mapper must do the same in all processes. What
 * depends on a clock, one process decides and tells the others. */
#ifndef BERTH_MAP_MAP_SHARE_H
#define BERTH_MAP_MAP_SHARE_H

#include "map/map_internal.h"

/* Whether this process does item i. */
static inline bool share_is_mine(const berth_map_problem_t *problem, int i)
{
  const berth_team_t *team = problem->options.team;
  return !team || i % team->size == team->rank;
}

/* How many rounds n items take, if each thread does one at a time. */
int share_rounds(const berth_map_problem_t *problem, int n);

/* The share of the time limit at which item i of n must end, in a step from share `started` to
 * `end`: rounds follow one another. */
double share_end(const berth_map_problem_t *problem, int i, int n, double started, double end);

/* Tells all processes the result of item i: its code, and the error or a PU for each rank. All
 * processes call this for the same items in the same order, and not within an item. It fails only
 * if a process can't continue; the item's own failure is in *rc_of_item. */
int share_item(const berth_map_problem_t *problem, int i, int *rc_of_item,
               berth_error_t *err_of_item, int *pu_of_rank, berth_error_t *err);

/* The same for an item that everything depends on: its error becomes the error of all processes. */
int share_result(const berth_map_problem_t *problem, int i, int rc_of_item,
                 berth_error_t *err_of_item, int *pu_of_rank, berth_error_t *err);

/* Copies data from the process of item i to all; also tells whether a watch was stopped. */
int share_data(const berth_map_problem_t *problem, int i, void *data, size_t bytes,
               berth_error_t *err);

/* Fails in all processes if their problems differ. */
int share_check(const berth_map_problem_t *problem, const char *mapper, berth_error_t *err);

#endif
