/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run tells its watch (berth_map_watch_t), and whether the watch stopped it. A problem
 * without a watch tells nobody and is never stopped. Any thread may call these. */
#ifndef BERTH_MAP_MAP_WATCH_H
#define BERTH_MAP_MAP_WATCH_H

#include <berth/map.h>
#include <stdbool.h>

#include "map/map_internal.h"

bool watch_is_stopped(const berth_map_problem_t *problem);

/* A run begins: its time counts from the problem's start, to the problem's time limit. */
void watch_begin(const berth_map_problem_t *problem);

/* A stage begins: its name, which must last, and its work in any unit (0: unknown). */
void watch_stage(const berth_map_problem_t *problem, const char *name, double work);

/* So much of the stage's work is done. */
void watch_did(const berth_map_problem_t *problem, double work);

/* A placement of this price was found. */
void watch_found(const berth_map_problem_t *problem, double price);

/* Stops the watches of all processes of the problem's team where one of them is stopped. */
void watch_agree(const berth_map_problem_t *problem);

/* Tells the prices of what a search finds that goes by other numbers. NULL where nobody watches, or
 * pricing takes as long as searching (flow); the functions take NULL. For one thread at a time. */
typedef struct watch_teller watch_teller_t;
watch_teller_t *watch_teller_new(const berth_map_problem_t *problem);
void watch_teller_free(watch_teller_t *t);

/* Prices a placement (a place of each rank), if its number is below all those before. */
void watch_tell(watch_teller_t *t, double number, const int *place_of_rank);

#endif
