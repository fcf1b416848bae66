/* SPDX-License-Identifier: BSD-3-Clause */
/* What is left of a traced job: the traces that its ranks wrote in MPI_Finalize, or the spool files
 * of ranks that never got there; and the trace's own file. */
#ifndef BERTH_CLI_TRACE_FILES_H
#define BERTH_CLI_TRACE_FILES_H

#include <berth/pattern.h>
#include <berth/spool.h>
#include <stdbool.h>
#include <stddef.h>

/* The folder that ranks' tables of a job under `berth trace` are in a folder of. */
const char *trace_spool_parent(void);

enum { TRACE_RESOLVE_S = 120, TRACE_IDENTITY = 16 /* digits of a job's */ };

/* Where traces of a job go. With several jobs in one run (a script that starts mpirun twice) the
 * later ones get names of their own: NAME-2.acp. */
typedef struct trace_target {
  const char *program; /* "berth trace", for messages */
  const char *path;
  bool keep_old;    /* a file that is there already is renamed to FILE.old */
  int written;      /* traces so far */
  bool snapshot;    /* of a job that goes on */
  double resolve_s; /* for all modules whose call sites are resolved, 0: TRACE_RESOLVE_S */
  bool chosen;      /* the name is berth's own choice, as it is with keep_old */
} trace_target_t;

/* Resolves call sites, writes the trace and says so in one line on standard error, with what it
 * lacks. `lacks` is NULL for a trace that its job wrote itself. */
int trace_write(trace_target_t *target, const berth_pattern_t *p, const berth_recovery_t *lacks,
                berth_error_t *err);

/* The same of what a job's tables hold, which were taken (NULL with *err filled: they couldn't be),
 * with those files that were left out. Clears *what. */
int trace_write_recovered(trace_target_t *target, berth_pattern_t *p, berth_recovery_t *what,
                          berth_error_t *err);

/* Whether a file of that name is a trace that a job wrote: it is called by the job's identity. */
bool trace_is_written(const char *name);

/* Names those traces in the folder that stayed, each in a line on standard error. */
void trace_say_kept(const char *program, const char *dir);

/* Removes that folder, unless there are traces or files of others in it; what a job that was killed
 * had begun to write goes with it. */
void trace_remove_folder(const char *dir);

/* Makes a trace of each job that left tables in a folder, which is freed; NULL: it couldn't be
 * opened, as *err says. Those that are damaged are left out with
 * a line on standard error; a job of which no trace can be made keeps no other from having one, and
 * is the error, the first one of several. With `remove_files` tables that are in a trace are
 * removed. */
int trace_recover(trace_target_t *target, berth_spool_t *spool, bool remove_files,
                  berth_error_t *err);

/* Takes over the traces that jobs wrote in the folder `dir`, oldest first, and what they left in
 * the folder for tables, and removes them. What cannot be taken over stays, and keeps nothing else
 * from it; the error is the first one. Both folders must be this user's own, as others' files
 * aren't taken; one that isn't there has nothing. */
int trace_take_left(trace_target_t *target, const char *dir, const char *spool, berth_error_t *err);

#endif
