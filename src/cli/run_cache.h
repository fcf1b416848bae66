/* SPDX-License-Identifier: BSD-3-Clause */
/* Where `berth run` keeps patterns: one for each program, arguments and rank count. */
#ifndef BERTH_CLI_RUN_CACHE_H
#define BERTH_CLI_RUN_CACHE_H

#include <berth/error.h>

#include "launch/launch.h"

/* Files of one job in the cache folder; strings are owned. */
typedef struct run_cache {
  char *key;      /* what the job is, as text: its programs, arguments and rank counts */
  char *key_file; /* holds the key, for people and against two keys of one hash */
  char *pattern, *partial; /* the trace, and its name while the traced job still runs */
  char *topology, *mapping, *rankfile;
} run_cache_t;

/* Names the job's files, and makes the folder: `folder` or, for NULL, $BERTH_CACHE,
 * $XDG_CACHE_HOME/berth or $HOME/.cache/berth. Free with run_cache_clear. */
int run_cache_open(const launch_t *job, const char *folder, run_cache_t *out, berth_error_t *err);
void run_cache_clear(run_cache_t *c);

/* True when the cache holds a pattern of exactly this job. */
int run_cache_has_pattern(const run_cache_t *c);

/* Makes the partial trace the job's pattern. */
int run_cache_keep(const run_cache_t *c, berth_error_t *err);

#endif
