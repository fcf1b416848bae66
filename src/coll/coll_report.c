/* SPDX-License-Identifier: BSD-3-Clause */
/* Says which calls berth served. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coll/job.h"
#include "coll/network.h"
#include "coll/tuning/tuned.h"

coll_count_t coll_counts[COLL_WAYS][COLL_FUNCTIONS];

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
    say_line("two choices were compared %" PRIu64 " times, the second one was taken %" PRIu64
             " times, on rank 0",
             own[0], own[1]);
}

/* "MPI_Iallreduce", "MPI_Allreduce_init" */
static void name_of(int way, int function, char *out, size_t size)
{
  const char *name = names[function], *rest = name + strlen("MPI_");
  if (way == COLL_NONBLOCKING)
    snprintf(out, size, "MPI_I%c%s", tolower((unsigned char)*rest), rest + 1);
  else
    snprintf(out, size, "%s%s", name, way == COLL_PERSISTENT ? "_init" : "");
}

enum { COUNTS = 3 };

void coll_report(void)
{
  uint64_t own[COLL_WAYS][COLL_FUNCTIONS][COUNTS], all[COLL_WAYS][COLL_FUNCTIONS][COUNTS];
  for (int w = 0; w < COLL_WAYS; w++)
    for (int i = 0; i < COLL_FUNCTIONS; i++) {
      own[w][i][0] = coll_counts[w][i].served;
      own[w][i][1] = coll_counts[w][i].passed;
      own[w][i][2] = coll_counts[w][i].by_agents;
    }
  int n = COLL_WAYS * COLL_FUNCTIONS * COUNTS;
  int rc = mpi.Reduce(own, all, n, mpi.uint64, mpi.sum, 0, mpi.comm_world);
  if (rc != MPI_SUCCESS || coll_job.rank != 0) return;
  report_trials();
  if (job_network_second(&coll_job.hosts, coll_job.n) < coll_job.n)
    say_line("links between hosts carry %.0f bytes while a message begins", coll_job.half);
  for (int w = 0; w < COLL_WAYS; w++)
    for (int i = 0; i < COLL_FUNCTIONS; i++) {
      char name[64], agents[64] = "";
      name_of(w, i, name, sizeof name);
      if (all[w][i][2] > 0)
        snprintf(agents, sizeof agents, " (%" PRIu64 " by agents)", all[w][i][2]);
      if (all[w][i][0] + all[w][i][1] > 0)
        say_line("%s: %" PRIu64 " calls served by berth%s, %" PRIu64 " by the MPI, on all ranks",
                 name, all[w][i][0], agents, all[w][i][1]);
    }
}
