/* SPDX-License-Identifier: BSD-3-Clause */
/* Traced jobs that are running on this machine: processes have their tables mapped. */
#ifndef BERTH_CLI_RUNNING_H
#define BERTH_CLI_RUNNING_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Tables, and the process that counts in them. */
typedef struct running_rank {
  char *path;
  pid_t pid;
} running_rank_t;

/* By path, so that those of a job follow one another. */
typedef struct running {
  running_rank_t *ranks;
  size_t n, cap;
} running_t;

/* Finds all whose processes the user may look at. */
int running_find(running_t *list, berth_error_t *err);
void running_clear(running_t *list);

/* Waits, for so many seconds at most, until no process counts in tables of a folder any more: a
 * launcher may end before the last of its ranks has. */
void running_wait(const char *dir, double seconds);

/* Whether tables are in a folder, by its real path. */
bool running_is_in(const running_rank_t *rank, const char *real_dir);

/* Whether tables are this user's: root sees those of all. */
bool running_is_own(const running_rank_t *rank);

/* Where the job of the rank at `from` ends. */
size_t running_job_end(const running_t *list, size_t from);

/* Whether a process is another one or was started, directly or not, by it. */
bool running_is_below(pid_t pid, pid_t ancestor);

#endif
