/* SPDX-License-Identifier: BSD-3-Clause */
/* A traced job's tables: each rank counts in a file on its own machine. They are what is left of a
 * job that didn't reach MPI_Finalize, and what a running job has counted so far (docs/trace.md).
 * The tables' format is private to a version of berth; other versions' tables are refused.
 *
 * Functions lock nothing, and change neither a job nor its tables. Several threads may call them at
 * a time. */
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

/* The tables of a job, or of those of its ranks that are there. */
typedef struct berth_tables {
  size_t n_paths; /* at least 1 */
  const char *const *paths;
  int own; /* use only files of this process's user that others can't write, and don't follow links;
              for berth_recover */
} berth_tables_t;

/* A folder's tables, by job. */
typedef struct berth_spool berth_spool_t;

/* Lists the tables in a folder, without reading them. NULL with the error filled: BERTH_MISSING if
 * the folder can't be read, or memory is out. A folder without tables has no jobs; that is no
 * error. Free with berth_spool_free. */
BERTH_API berth_spool_t *berth_spool_open(const char *folder, berth_error_t *err);
/* The same for a folder in which others may have put files, such as berth_spool_folder's. It must
 * belong to this process's user, must not be a link, and others must not be able to write it;
 * otherwise BERTH_BAD_INPUT. The same applies to the files of its jobs, whose `own` is set. */
BERTH_API berth_spool_t *berth_spool_open_own(const char *folder, berth_error_t *err);
BERTH_API void berth_spool_free(berth_spool_t *s);

/* The jobs, by number. Paths of files begin with the folder as the caller gave it. Borrowed, and
 * valid until the spool is freed. */
BERTH_API const berth_tables_t *berth_spool_jobs(const berth_spool_t *s, size_t *n);

/* The folder of this user's tracers, unless the user names another one: BERTH_TRACE_SPOOL, else a
 * folder in TMPDIR, or in /tmp if that isn't writable. The caller frees it. NULL with the error
 * filled when memory is out. */
BERTH_API char *berth_spool_folder(berth_error_t *err);

/* What a rank's tables say about the rank and its job. */
typedef struct berth_tables_info {
  uint64_t job; /* the same for all ranks of a job, different for other jobs */
  int rank, ranks;
  int64_t created;    /* end of MPI_Init, in seconds since 1970 */
  char host[256];     /* the rank's host */
  char command[3584]; /* words, separated by blanks */
} berth_tables_info_t;

/* Fills *out, also while the rank is counting. BERTH_MISSING if the file can't be read,
 * BERTH_BAD_INPUT if it has no tables. */
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

/* The sources of a pattern made of tables, and what it lacks. Numbers are sums over the ranks that
 * were found; texts are lines for people. */
typedef struct berth_recovery {
  int ranks;    /* of the job */
  int found;    /* ranks whose tables were used */
  int finished; /* of these, ranks that reached MPI_Finalize */
  int aborted;  /* of these, ranks that called MPI_Abort */

  uint64_t outside;        /* messages to processes outside of MPI_COMM_WORLD (spawned ones) */
  uint64_t outside_calls;  /* collective calls with such processes */
  uint64_t spawned;        /* spawned processes, whose tables belong to another job */
  uint64_t lost;           /* messages and one-sided operations for which there was no room */
  uint64_t lost_bytes;     /* and their bytes */
  uint64_t lost_calls;     /* other calls for which there was no room */
  uint64_t lost_threads;   /* threads for whose tables there was no room */
  uint64_t cut_ranks;      /* ranks whose files couldn't grow; later counts are lost */
  uint64_t lost_rows;      /* incomplete rows of bytes to each rank in collective calls */
  uint64_t undivided_rows; /* such rows that can't be divided among automatic phases */
  uint64_t coarse; /* messages without size, phase and site, because there was no room for more */
  uint64_t coarse_bytes;  /* and their bytes */
  uint64_t stopped;       /* messages after MPI_Pcontrol(0) */
  uint64_t stopped_calls; /* collective calls after it */
  uint64_t impossible;    /* records that no call can have made */
  uint64_t lost_layouts;  /* messages at one of their ends, whose layout found no room */

  size_t n_notes; /* such as phases that couldn't be distinguished */
  char **notes;
  size_t n_refused; /* files that weren't used, and why: "FILE: found …, expected …" */
  char **refused;
} berth_recovery_t;

/* Makes a pattern of the tables of a job that has ended. Call sites are as the tracer stored them
 * (berth_resolve). Files that can't be read, are damaged, or don't belong to the job of the first
 * good file are omitted. NULL with the error filled if no file is good, or memory is out. The
 * caller frees the pattern. Counts depend only on the tables.
 *
 * *what (unless NULL) is filled as far as possible, also after a failure. Free its contents with
 * berth_recovery_clear. */
BERTH_API berth_pattern_t *berth_recover(const berth_tables_t *job, berth_recovery_t *what,
                                         berth_error_t *err);

/* The same for tables of a running job. All counts are of about one moment, which isn't before the
 * call. Running ranks' times end then. The pattern has no automatic phases. Files must not shrink
 * meanwhile; tracers never shrink them. */
BERTH_API berth_pattern_t *berth_snapshot(const berth_tables_t *job, berth_recovery_t *what,
                                          berth_error_t *err);

/* Frees the texts and sets everything to 0. */
BERTH_API void berth_recovery_clear(berth_recovery_t *what);

#ifdef __cplusplus
}
#endif

#endif
