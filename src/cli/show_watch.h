/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth show --watch`: what a running job has sent so far, again and again. */
#ifndef BERTH_CLI_SHOW_WATCH_H
#define BERTH_CLI_SHOW_WATCH_H

#include <berth/error.h>
#include <stddef.h>

/* Prints a block every `seconds` until the job has ended: on a terminal each in the place of the
 * one before. `which` names the job as for live_jobs_find_one. `top`: phases that are listed, 0 for
 * all.
 */
int show_watch(const char *which, double seconds, size_t top, berth_error_t *err);

#endif
