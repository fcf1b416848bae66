/* SPDX-License-Identifier: BSD-3-Clause */
/* Which traced job of those that are running on this machine is meant. */
#ifndef BERTH_CLI_LIVE_JOBS_H
#define BERTH_CLI_LIVE_JOBS_H

#include <berth/spool.h>
#include <stdio.h>

/* Fills an empty list with the ranks of the jobs that are meant: by a process of the job or of what
 * started it, or by its folder of tables. NULL: all of this user's. Free with berth_live_clear,
 * also after a failure. */
int live_jobs_find(berth_live_t *list, const char *which, berth_error_t *err);

/* The same for one job. Fails with BERTH_MISSING if there is none. If there are several, it prints
 * them on standard error and fails with BERTH_USAGE. */
int live_jobs_find_one(berth_live_t *list, const char *which, berth_error_t *err);

/* A line for each job: a process of it, its ranks here, since when, its command. */
void live_jobs_print(FILE *to, const berth_live_t *list);

#endif
