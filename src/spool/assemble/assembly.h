/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes one pattern from the tables of a job's ranks. The tracer uses it in MPI_Finalize, `berth
 * recover` on the files of a job that died.
 *
 * The result depends only on what was counted: sites and communicators are numbered by their sorted
 * contents.
 *
 * Sizes: if a (source, destination, site) has more than SPOOL_EXACT_SIZES sizes, all of its
 * messages go into bins (spool_bin), each with its mean size. Messages that found no room are in
 * phase 0, without a site, with one mean size per (source, destination).
 *
 * Collectives: counts are calls of the operation. Ranks agree on them unless the job died; the
 * maximum over the ranks counts. If ranks counted a call in different phases, the rest has fewer.
 * For the v-forms, `bytes` is the mean over ranks and calls. What each rank gave is exact, and so
 * are complete rows.
 *
 * Phases: a phase repeats as often as its ranks began it, if they agree and all counts are
 * multiples of that. Otherwise it occurs once, with all that was counted. Automatic phases: see
 * assemble_segment.c. An order of sends is that of a phase's first occurrence, if it agrees with
 * the phase's messages. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_H

#include <berth/pattern.h>

#include "spool/spool_format.h"
#include "spool/spool_phase.h"

typedef struct assembly assembly_t;

/* Sums over the ranks. All are whole numbers, so that they can be added one by one. */
typedef struct totals {
  uint64_t found;                /* ranks whose tables were added */
  uint64_t finished, aborted;    /* of these, ranks that reached MPI_Finalize or MPI_Abort */
  uint64_t messages, bytes;      /* in all occurrences of phases */
  uint64_t calls;                /* of collectives */
  uint64_t unknown_calls;        /* of these, left out: nobody listed their communicator */
  uint64_t rows_lost;            /* of ranks, incomplete and left out */
  uint64_t rows_undivided;       /* left out: not divisible among automatic phases */
  uint64_t impossible;           /* records left out: no call can have made them */
  uint64_t coarse, coarse_bytes; /* messages of which only source and destination are known,
                                    because there was no room; their bytes */
  uint64_t orders, orders_kept;  /* orders of sends; those that agree with the messages */
  uint64_t unordered[SPOOL_ORDER_THREADS +
                     1];   /* missing orders by reason; SPOOL_ORDER_NONE: numbers too high */
  uint64_t records, items; /* of the pattern's file */
  spool_missed_t missed;
} totals_t;

/* What a pattern is made of. Orders, rows and phases are left out with a reason. */
typedef struct assembly_stats {
  uint64_t job;
  int ranks; /* in the job */
  totals_t total;
  char phases_note[160];     /* phases whose occurrences differ; "": none */
  char auto_note[160];       /* missing automatic phases; "": none */
  char orders_note[240];     /* requested orders that are missing; "": none */
  char unmodelled_note[600]; /* calls known by name alone; "": none */
} assembly_stats_t;

BERTH_API assembly_t *assembly_new(berth_error_t *err);
BERTH_API void assembly_free(assembly_t *a);

/* Adds a rank's tables, which aren't needed afterwards. Errors call them `name`. Refuses broken
 * tables, those of another job, and a rank's second ones, and then changes nothing. Single
 * impossible records are left out and counted. The image must be aligned to 8 bytes. */
BERTH_API int assembly_add(assembly_t *a, const char *name, const void *image, size_t size,
                           berth_error_t *err);

/* Makes the pattern, which the caller frees. *stats may be NULL. */
BERTH_API int assembly_finish(assembly_t *a, berth_pattern_t **out, assembly_stats_t *stats,
                              berth_error_t *err);

#endif
