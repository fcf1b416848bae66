/* SPDX-License-Identifier: BSD-3-Clause */
/* One pattern from the tables of a job's ranks. The tracer's rank 0 uses this in MPI_Finalize, the
 * program `berth` uses it on spool files that a crashed job left. The result depends on what was
 * counted only, not on the order of anything: sites and communicators are numbered by their sorted
 * contents.
 *
 * Sizes: where a (source, destination, site) has more than SPOOL_EXACT_SIZES sizes, all of its
 * messages are put into bins of spool_bin, each represented by its mean size.
 * What found no room of its own is in phase 0, of no site, and of one size, the mean, for each
 * (source, destination).
 * Collectives: counts are calls of the operation. Ranks agree on them, except where a job was cut
 * off; the largest count of any rank is taken, and of a call that ranks counted in several phases
 * the rest has less. For the v-forms `bytes` is the mean over ranks and calls; what each rank gave
 * is exact, and so are the rows that are there.
 * Phases: a phase repeats as often as its ranks began it, where they began it equally often and all
 * its counts are multiples of that; else it occurs once, with all that was counted.
 * Automatic phases: segments of the run that every rank has in one class; see assemble_segment.c.
 * Orders of sends: those of a phase's first occurrence, where they are its messages. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_H

#include <berth/pattern.h>

#include "spool/spool_format.h"

typedef struct assembly assembly_t;

/* What an assembly is made of. */
typedef struct assembly_stats {
  uint64_t job;
  int ranks;    /* of the job */
  int found;    /* ranks whose tables were added */
  int finished; /* of these, those that had reached MPI_Finalize */
  int aborted;  /* of these, those that had called MPI_Abort */
  uint64_t messages, bytes, calls;
  uint64_t unknown_calls;    /* collective calls left out: nobody listed their communicator */
  uint64_t rows_lost;        /* of ranks, which lack something and were left out */
  uint64_t rows_undivided;   /* of ranks, which automatic phases have no whole numbers of */
  uint64_t impossible;       /* records left out: no call can have made them */
  uint64_t coarse;           /* of the messages, those known by source and destination alone, as
                                there was no room for more, */
  uint64_t coarse_bytes;     /* and their bytes */
  spool_missed_t missed;     /* the sum over the ranks */
  char phases_note[160];     /* phases that could not be told apart by occurrence, "" for none */
  char auto_note[160];       /* automatic phases that are not there, "" for none */
  char orders_note[240];     /* orders that were asked for and left out, "" for none */
  char unmodelled_note[600]; /* calls that are known by name alone, "" for none */
} assembly_stats_t;

BERTH_API assembly_t *assembly_new(berth_error_t *err);
BERTH_API void assembly_free(assembly_t *a);

/* Adds a rank's tables; they are not needed afterwards. `name` is for errors. Tables of another
 * job, of a rank that was added before, or broken ones are refused and change nothing; single
 * records that cannot be are left out and counted. The image must be aligned to 8 bytes. */
BERTH_API int assembly_add(assembly_t *a, const char *name, const void *image, size_t size,
                           berth_error_t *err);

/* Makes the pattern. *out is the caller's to free; *stats may be NULL. */
BERTH_API int assembly_finish(assembly_t *a, berth_pattern_t **out, assembly_stats_t *stats,
                              berth_error_t *err);

#endif
