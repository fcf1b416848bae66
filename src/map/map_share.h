/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that the processes of a team share (berth/team.h): item i is done by process i mod their
 * number, and what comes of it is told to all, so that they go on alike. Without a team all of it
 * is this process's own. Outside of items, everything that a mapper of several items does has to be
 * the same in all processes; what isn't, since it depends on a clock, is told by one. */
#ifndef BERTH_MAP_MAP_SHARE_H
#define BERTH_MAP_MAP_SHARE_H

#include "map/map_internal.h"

/* Whether this process is the one that does item i. */
static inline bool share_is_mine(const berth_map_problem_t *problem, int i)
{
  const berth_team_t *team = problem->options.team;
  return !team || i % team->size == team->rank;
}

/* The rounds that n items take, each thread doing one at a time. */
int share_rounds(const berth_map_problem_t *problem, int n);

/* The share of the time limit at whose end item i of n must be done, of a step that began at share
 * `started` and ends at `end`: rounds come one after the other. */
double share_end(const berth_map_problem_t *problem, int i, int n, double started, double end);

/* Tells all what came of item i: its code, and with it the error or a PU for each rank. All
 * processes call this for the same items in the same order, none of them inside of an item. It
 * fails when a process can't go on, whatever came of the item. */
int share_item(const berth_map_problem_t *problem, int i, int *rc_of_item,
               berth_error_t *err_of_item, int *pu_of_rank, berth_error_t *err);

/* The same of an item that everything depends on: its error is all processes' own. */
int share_result(const berth_map_problem_t *problem, int i, int rc_of_item,
                 berth_error_t *err_of_item, int *pu_of_rank, berth_error_t *err);

/* Tells all what the process of item i has in data, and whether somebody stopped a watch. */
int share_data(const berth_map_problem_t *problem, int i, void *data, size_t bytes,
               berth_error_t *err);

/* Fails, in all processes, where they don't have the same problem. */
int share_check(const berth_map_problem_t *problem, const char *mapper, berth_error_t *err);

#endif
