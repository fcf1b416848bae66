/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that a traced job's ranks count in, each rank in a file of its own on its machine:
 * what is left of a job that never got to MPI_Finalize, and what a running job has counted so far
 * (docs/trace.md). Tables are private to one version of berth; those of another one are refused.
 *
 * Nothing is locked, and nothing changes a job or its tables. Functions may be called by several
 * threads at a time. */
#ifndef BERTH_SPOOL_H
#define BERTH_SPOOL_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tables of one job, or of those of its ranks that are there. */
typedef struct berth_tables {
  size_t n_paths; /* at least 1 */
  const char *const *paths;
  int own; /* take only files of this process's user that nobody else can write, and follow no link;
              berth_recover looks at it */
} berth_tables_t;

/* A folder's tables, by jobs. */
typedef struct berth_spool berth_spool_t;

/* Looks for tables in a folder, but not into them. NULL with the error filled when the folder can't
 * be read (BERTH_MISSING) or memory is out; a folder without tables has no jobs and is no error.
 * Free with berth_spool_free. */
BERTH_API berth_spool_t *berth_spool_open(const char *folder, berth_error_t *err);
/* The same of a folder where others may have put something, such as that of berth_spool_folder: the
 * folder must be this process's user's, be no link, and nobody else may write it (else
 * BERTH_BAD_INPUT); so must the files of its jobs, which are `own`. */
BERTH_API berth_spool_t *berth_spool_open_own(const char *folder, berth_error_t *err);
BERTH_API void berth_spool_free(berth_spool_t *s);

/* Its jobs, in the order of their numbers, with paths of files that begin with the folder as it was
 * given. Borrowed, valid until the spool is freed. */
BERTH_API const berth_tables_t *berth_spool_jobs(const berth_spool_t *s, size_t *n);

/* The folder that tracers of this process's user use where nobody said another one: that of
 * BERTH_TRACE_SPOOL, else one in TMPDIR, or /tmp where that can't be written. The caller frees it;
 * NULL with the error filled when memory is out. */
BERTH_API char *berth_spool_folder(berth_error_t *err);

/* What one rank's tables say of the rank and its job. */
typedef struct berth_tables_info {
  uint64_t job; /* the same at all ranks of a job, different for other jobs */
  int rank, ranks;
  int64_t created;    /* MPI_Init returned, seconds since 1970 */
  char host[256];     /* on which the rank ran */
  char command[3584]; /* words, a blank between them */
} berth_tables_info_t;

/* Fills *out, also while the rank is counting; BERTH_MISSING when the file can't be read,
 * BERTH_BAD_INPUT when it holds no tables. */
BERTH_API int berth_tables_look(const char *path, berth_tables_info_t *out, berth_error_t *err);

/* A traced process that is running on this machine, and the tables in which it counts. */
typedef struct berth_live_rank {
  char *path;
  pid_t pid;
} berth_live_rank_t;

/* Such processes by path, so that those of a job follow one another. */
typedef struct berth_live {
  berth_live_rank_t *ranks;
  size_t n, cap;
} berth_live_t;

/* Finds all whose processes this user may see; *list is empty before. Fails with BERTH_MISSING if
 * there is no /proc or memory is out. Free with berth_live_clear, also after a failure. */
BERTH_API int berth_live_find(berth_live_t *list, berth_error_t *err);
BERTH_API void berth_live_clear(berth_live_t *list);

/* Where the job of the rank at `from` ends: the place of the next job's first rank, or n. */
BERTH_API size_t berth_live_job_end(const berth_live_t *list, size_t from);

/* What a pattern of tables is made of, and what it lacks. Numbers are sums over the ranks that were
 * found, texts are lines for people. */
typedef struct berth_recovery {
  int ranks;    /* of the job */
  int found;    /* ranks whose tables were taken */
  int finished; /* of these, those that had reached MPI_Finalize */
  int aborted;  /* of these, those that had called MPI_Abort */

  uint64_t outside;       /* messages to processes that aren't in MPI_COMM_WORLD (spawned ones) */
  uint64_t outside_calls; /* collective calls with such processes */
  uint64_t spawned;       /* processes that were spawned; they have tables of a job of their own */
  uint64_t lost;          /* messages and one-sided operations for which there was no room, */
  uint64_t lost_bytes;    /* what they carried, */
  uint64_t lost_calls;    /* and other calls */
  uint64_t lost_threads;  /* threads for whose tables there was no room */
  uint64_t cut_ranks;     /* ranks whose files couldn't grow: what they counted later is lost */
  uint64_t lost_rows; /* rows of what a rank sent to each in collective calls, not known in full */
  uint64_t undivided_rows; /* such rows that can't be divided among automatic phases */
  uint64_t coarse;         /* messages that are in the pattern by their ranks alone, as there was no
                              room for more, */
  uint64_t coarse_bytes;   /* and their bytes */
  uint64_t stopped;        /* messages of the time after MPI_Pcontrol(0) */
  uint64_t stopped_calls;  /* collective calls then */
  uint64_t impossible;     /* records that no call can have made */

  size_t n_notes; /* such as phases that couldn't be told apart */
  char **notes;
  size_t n_refused; /* files that were left out, each with why: "FILE: found …, expected …" */
  char **refused;
} berth_recovery_t;

/* The pattern of tables that nobody counts in any more; call sites are as the tracer stored them
 * (berth_resolve). Files that can't be read, are damaged or don't belong to the job of the first
 * good one are left out. NULL with the error filled when no file is good, or memory is out. The
 * caller frees the pattern; what is counted depends on nothing but the tables.
 *
 * *what, unless NULL, is filled in any case, as far as things went; free what it holds with
 * berth_recovery_clear. */
BERTH_API berth_pattern_t *berth_recover(const berth_tables_t *job, berth_recovery_t *what,
                                         berth_error_t *err);

/* The same of tables that ranks are counting in: all counts are of about one moment, none is older
 * than the call. Ranks that are running have their time end then, and phases that the tracer finds
 * by itself aren't there. Files must not become shorter meanwhile, which tracers never do. */
BERTH_API berth_pattern_t *berth_snapshot(const berth_tables_t *job, berth_recovery_t *what,
                                          berth_error_t *err);

/* Frees the texts and empties it. */
BERTH_API void berth_recovery_clear(berth_recovery_t *what);

#ifdef __cplusplus
}
#endif

#endif
