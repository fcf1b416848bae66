/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions about traced jobs that are running on this machine. */
#ifndef BERTH_SPOOL_LIVE_H
#define BERTH_SPOOL_LIVE_H

#include <berth/spool.h>
#include <stdbool.h>

/* Waits, for so many seconds at most, until no process counts in tables of a folder any more: a
 * launcher may end before the last of its ranks has. */
void live_wait(const char *dir, double seconds);

/* Whether tables are in a folder, by its real path. */
bool live_is_in(const berth_live_rank_t *rank, const char *real_dir);

/* Whether tables are this user's: root sees those of all. */
bool live_is_own(const berth_live_rank_t *rank);

/* Whether a process is another one or was started, directly or not, by it. */
bool live_is_below(pid_t pid, pid_t ancestor);

#endif
