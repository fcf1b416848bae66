/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the ranks on the testbed, so that each behaves as if its core were its own, which
 * it is on the cluster that the testbed stands for. There, computing takes as long wherever a rank
 * is placed, and a rank that waits takes no time from one that computes. Here, all hosts share the
 * machine's cores. So
 *
 * - a rank may run on any core, whatever slot it was given: otherwise a placement that has more
 *   ranks on slots 0 than on slots 1 would compute slower;
 * - a rank that waits for a message sleeps for a moment where Open MPI would yield: yielding
 *   leaves the processor only to come back at once, and the scheduler would share the cores
 *   fairly between those that compute and those that ask in turns whether a message came.
 *
 * With EVALUATION_EMPTY_MESSAGES in the environment, messages are sent without their data: what
 * remains is the computation, to see whether its time depends on the placement. With
 * EVALUATION_AS_BOUND the two measures above are left out, to see what they are worth. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NAP_NS = 50000 };

static int as_bound, empty;

__attribute__((constructor)) static void widen(void)
{
  cpu_set_t all;
  CPU_ZERO(&all);
  as_bound = getenv("EVALUATION_AS_BOUND") != NULL;
  empty = getenv("EVALUATION_EMPTY_MESSAGES") != NULL;
  if (as_bound) return;
  for (size_t i = 0; i < CPU_SETSIZE; i++)
    CPU_SET(i, &all); /* the kernel leaves out what isn't there */
  sched_setaffinity(0, sizeof all, &all);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* or a nap would take 50 microseconds longer */
}

int sched_yield(void)
{
  static const struct timespec nap = {0, NAP_NS};
  if (as_bound) return (int)syscall(SYS_sched_yield);
  nanosleep(&nap, NULL);
  return 0;
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
