/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of MPI calls, inside of the module and for those that count call sites. */
#ifndef BERTH_PATTERN_PATTERN_TIME_H
#define BERTH_PATTERN_PATTERN_TIME_H

#include <berth/pattern.h>
#include <stdbool.h>

/* Which sites, by index in berth_pattern_sites, have times of calls and nothing else: no messages,
 * collective or one-sided operations. The caller frees it. NULL if memory is out. */
bool *pattern_time_only_sites(const berth_pattern_t *p, berth_error_t *err);

/* Sorts the times, and refuses two of one function, site and communicator. */
int pattern_finish_times(berth_pattern_t *p, berth_error_t *err);

/* Removes the times, and the sites that have nothing else; if memory is out, these stay. */
void pattern_drop_times(berth_pattern_t *p);

#endif
