/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the ranks on the testbed, so that each behaves as if its core were its own, which
 * it is on the cluster that the testbed stands for. There, computing takes as long wherever a rank
 * is placed. Here, all hosts share the machine's cores. So a rank may run on any core, whatever
 * slot it was given: otherwise a placement that has more ranks on slots 0 than on slots 1 would
 * compute slower. (That a rank which waits takes no time from one that computes, the testbed sees
 * to.)
 *
 * With EVALUATION_EMPTY_MESSAGES in the environment, messages are sent without their data: what
 * remains is the computation, to see whether its time depends on the placement. With
 * EVALUATION_AS_BOUND ranks stay where they are bound, to see what the measure is worth. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>

static int empty;

__attribute__((constructor)) static void widen(void)
{
  cpu_set_t all;
  CPU_ZERO(&all);
  empty = getenv("EVALUATION_EMPTY_MESSAGES") != NULL;
  if (getenv("EVALUATION_AS_BOUND")) return;
  for (size_t i = 0; i < CPU_SETSIZE; i++)
    CPU_SET(i, &all); /* the kernel leaves out what isn't there */
  sched_setaffinity(0, sizeof all, &all);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  return PMPI_Send(data, empty ? 0 : count, type, to, tag, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  return PMPI_Isend(data, empty ? 0 : count, type, to, tag, comm, request);
}
