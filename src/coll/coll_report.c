/* SPDX-License-Identifier: BSD-3-Clause */
/* Says which calls berth served. */
#include <inttypes.h>

#include "coll/job.h"
#include "coll/network.h"
#include "coll/tuning/tuned.h"

coll_count_t coll_counts[COLL_FUNCTIONS];

static const char *const names[COLL_FUNCTIONS] = {[COLL_BARRIER] = "MPI_Barrier",
                                                  [COLL_BCAST] = "MPI_Bcast",
                                                  [COLL_REDUCE] = "MPI_Reduce",
                                                  [COLL_ALLREDUCE] = "MPI_Allreduce",
                                                  [COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
                                                  [COLL_REDUCE_BLOCK] = "MPI_Reduce_scatter_block",
                                                  [COLL_SCAN] = "MPI_Scan",
                                                  [COLL_EXSCAN] = "MPI_Exscan",
                                                  [COLL_GATHER] = "MPI_Gather",
                                                  [COLL_GATHERV] = "MPI_Gatherv",
                                                  [COLL_SCATTER] = "MPI_Scatter",
                                                  [COLL_SCATTERV] = "MPI_Scatterv",
                                                  [COLL_ALLGATHER] = "MPI_Allgather",
                                                  [COLL_ALLGATHERV] = "MPI_Allgatherv",
                                                  [COLL_ALLTOALL] = "MPI_Alltoall",
                                                  [COLL_ALLTOALLV] = "MPI_Alltoallv"};

/* Every rank of a communicator counts. */
static void report_trials(void)
{
  uint64_t own[2];
  tuned_counts(own);
  if (own[0])
    coll_say("two choices were compared %" PRIu64 " times, the second one was taken %" PRIu64
             " times, on rank 0",
             own[0], own[1]);
}

void coll_report(void)
{
  uint64_t own[COLL_FUNCTIONS][2], all[COLL_FUNCTIONS][2];
  for (int i = 0; i < COLL_FUNCTIONS; i++) {
    own[i][0] = coll_counts[i].served;
    own[i][1] = coll_counts[i].passed;
  }
  int rc = mpi.Reduce(own, all, 2 * COLL_FUNCTIONS, mpi.uint64, mpi.sum, 0, mpi.comm_world);
  if (rc != MPI_SUCCESS || coll_job.rank != 0) return;
  report_trials();
  if (network_second(&coll_job) < coll_job.n)
    coll_say("links between hosts carry %.0f bytes while a message begins", coll_job.half);
  for (int i = 0; i < COLL_FUNCTIONS; i++)
    if (all[i][0] + all[i][1] > 0)
      coll_say("%s: %" PRIu64 " calls served by berth, %" PRIu64 " by the MPI, on all ranks",
               names[i], all[i][0], all[i][1]);
}
