/* SPDX-License-Identifier: BSD-3-Clause */
/* What all parts of the one-sided library know of the job. */
#ifndef BERTH_RMA_RMA_H
#define BERTH_RMA_RMA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/mpi_table.h"
#include "job/job_hosts.h"

/* When operations go to another host: before the epoch's end, or at it (Zhao 2012, chapter 3). */
typedef enum rma_strategy {
  RMA_HYBRID, /* as soon as there are enough of them for a message */
  RMA_LAZY,   /* at the epoch's end, in as few messages as possible */
  RMA_EAGER   /* at once, each in a message of its own */
} rma_strategy_t;

/* What all ranks do alike: rank 0 reads it from the environment. */
typedef struct rma_settings {
  bool active, report, one_copy;
  bool told, keeps;        /* there is a file of BERTH_TUNING, of BERTH_TUNE */
  rma_strategy_t strategy; /* BERTH_RMA_STRATEGY */
  int bytes;               /* that are enough for a message; 0: threshold.h chooses */
  double patience;         /* seconds; 0: no limit */
} rma_settings_t;

typedef struct rma_job {
  rma_settings_t settings;
  bool ready;   /* windows can be served */
  bool threads; /* a thread may call the MPI while the program does */
  int rank, n;  /* in MPI_COMM_WORLD */
  job_hosts_t hosts;
  MPI_Group world;
  MPI_Comm own;   /* all ranks, for berth's messages */
  MPI_Comm alone; /* this rank */
  double byte;    /* seconds that one takes from host to host; 0: unknown */
} rma_job_t;

extern rma_job_t rma_job;

/* What the report counts. */
typedef enum rma_counter {
  RMA_WINDOWS,        /* that berth serves */
  RMA_WINDOWS_PASSED, /* that the MPI serves */
  RMA_OWN,            /* operations on the rank's own memory, */
  RMA_IN_MEMORY,      /* on memory that ranks share, */
  RMA_COPIED,         /* on another process's memory, by the system, */
  RMA_SENT,           /* and by messages */
  RMA_MESSAGES,
  RMA_FENCES,
  RMA_EXPOSURES,
  RMA_LOCKS,
  RMA_WOKEN, /* how often the thread had something to do */
  RMA_COUNTERS
} rma_counter_t;
extern _Atomic uint64_t rma_counts[RMA_COUNTERS];

/* Nothing is counted unless the counts are printed. */
static inline void rma_count(rma_counter_t c)
{
  if (UNLIKELY(rma_job.settings.report))
    atomic_fetch_add_explicit(&rma_counts[c], 1, memory_order_relaxed);
}

/* After MPI_Init, and before MPI_Finalize; all ranks call them. */
void rma_job_begin(int provided);
void rma_job_end(void);
/* Before MPI_Init: what the job needs if it may have several hosts. */
void rma_job_ask(int *required);

#endif
