/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's part of MPI_Init and MPI_Finalize, and the report at the end. */
#ifndef BERTH_COLL_JOB_H
#define BERTH_COLL_JOB_H

#include "coll/coll.h"

/* After MPI_Init; all ranks call it. */
void coll_job_begin(void);
/* Before MPI_Finalize. */
void coll_job_end(void);
/* Ends the MPI and the process; its exit code says whether what it was for is done. */
void coll_job_leave(bool done);

/* Which of MPI's functions, for counting. */
typedef enum coll_function {
  COLL_BARRIER,
  COLL_BCAST,
  COLL_REDUCE,
  COLL_ALLREDUCE,
  COLL_REDUCE_SCATTER,
  COLL_REDUCE_BLOCK,
  COLL_SCAN,
  COLL_EXSCAN,
  COLL_GATHER,
  COLL_GATHERV,
  COLL_SCATTER,
  COLL_SCATTERV,
  COLL_ALLGATHER,
  COLL_ALLGATHERV,
  COLL_ALLTOALL,
  COLL_ALLTOALLV,
  COLL_FUNCTIONS
} coll_function_t;

/* And in which form. */
typedef enum coll_way { COLL_BLOCKING, COLL_NONBLOCKING, COLL_PERSISTENT, COLL_WAYS } coll_way_t;

/* How often berth served a function, and how often it passed it on. */
typedef struct coll_count {
  _Atomic uint64_t served, passed, by_agents; /* by_agents: of those served */
} coll_count_t;
extern coll_count_t coll_counts[COLL_WAYS][COLL_FUNCTIONS];

/* Rank 0 prints the counts of all ranks. */
void coll_report(void);

#endif
