/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run reports to its watch (berth_map_watch_t), and learns whether the watch stopped it.
 * Without a watch, reports do nothing and the run is never stopped. Any thread may call these. */
#ifndef BERTH_MAP_MAP_WATCH_H
#define BERTH_MAP_MAP_WATCH_H

#include <berth/map.h>
#include <stdbool.h>

#include "map/map_internal.h"

bool watch_is_stopped(const berth_map_problem_t *problem);

/* Begins a run. Its time counts from the problem's start to its time limit. */
void watch_begin(const berth_map_problem_t *problem);

/* Begins a stage. Its name must outlive the run; `work` is in any unit (0: unknown). */
void watch_stage(const berth_map_problem_t *problem, const char *name, double work);

/* Reports finished work of the stage. */
void watch_did(const berth_map_problem_t *problem, double work);

/* Reports the price of a placement that was found. */
void watch_found(const berth_map_problem_t *problem, double price);

/* If a watch of one of the team's processes is stopped, stops all. */
void watch_agree(const berth_map_problem_t *problem);

/* Reports prices for searches that optimise other numbers. NULL if there is no watch, or if
 * evaluating takes as long as searching (flow); the functions accept NULL. Only one thread may use
 * it at a time. */
typedef struct watch_teller watch_teller_t;
watch_teller_t *watch_teller_new(const berth_map_problem_t *problem);
void watch_teller_free(watch_teller_t *t);

/* Evaluates and reports a placement (a place for each rank) if its number is the lowest so far. */
void watch_tell(watch_teller_t *t, double number, const int *place_of_rank);

#endif
