/* SPDX-License-Identifier: BSD-3-Clause */
/* Where `berth run` keeps patterns: one for each job, known by its programs (their files, with size
 * and time), arguments, numbers of ranks and working folder. */
#ifndef BERTH_CLI_RUN_CACHE_H
#define BERTH_CLI_RUN_CACHE_H

#include <berth/error.h>
#include <berth/map.h>
#include <sys/stat.h>

#include "launch/launch.h"

/* Files of one job in the cache folder; strings are owned. Runs of one job may go on at the same
 * time, on different hosts: what is made for one run has a name of its own. */
typedef struct run_cache {
  char *base;              /* what the names of the job's files begin with */
  char *key;               /* what the job is: its programs, arguments and numbers of ranks */
  char *key_file;          /* holds the key, for people and against two keys of one hash */
  char *pattern, *partial; /* the trace, and its name while the traced job still runs */
  char *topology;          /* what the hosts answered, while it is read */
  char *tuning;            /* what `berth tune` measured */
} run_cache_t;

/* Names the job's files in `folder` or, for NULL, in $BERTH_CACHE, $XDG_CACHE_HOME/berth or
 * $HOME/.cache/berth. Nothing is written. Free with run_cache_clear. */
int run_cache_open(const launch_t *job, const char *folder, run_cache_t *out, berth_error_t *err);
void run_cache_clear(run_cache_t *c);

/* Makes the folder of the cache. */
int run_cache_make_folder(const run_cache_t *c, berth_error_t *err);

/* Whether the folder and the job's files, as far as they are there, are this user's own, writable
 * by nobody else and no links or pipes: else what others put there would place jobs. One line, if
 * not; the same for another file of the cache. */
int run_cache_check(const run_cache_t *c, berth_error_t *err);
int run_cache_check_file(const char *path, berth_error_t *err);

/* Sets a umask under which files of the cache are made; returns the one before. */
mode_t run_cache_umask(void);

/* True when the cache holds a pattern of exactly this job; after run_cache_check. */
int run_cache_has_pattern(const run_cache_t *c);

/* Lets the user alone write a file that a job wrote by the user's umask. */
int run_cache_close(const char *path, berth_error_t *err);

/* Makes the partial trace the job's pattern. */
int run_cache_keep(const run_cache_t *c, berth_error_t *err);

/* The name of a file that belongs to a placement: equal placements share it, different ones never
 * do. The caller frees it. */
char *run_cache_placement_file(const run_cache_t *c, const berth_mapping_t *m,
                               const berth_topo_t *t, const char *suffix);

#endif
