/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include <mpi.h>
#include <time.h>

enum { SPINS = 200, NAP_MOST = 1000000, PART_MOST = 1 << 26 };

/* Waits asleep: the others may be at work for minutes, on cores that this process would keep busy.
 * Naps grow from a microsecond to a millisecond. */
static void wait_asleep(MPI_Request *request)
{
  int done = 0;
  for (long looks = 0;; looks++) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    long ns = (looks - SPINS) * 1000;
    struct timespec nap = {0, ns < NAP_MOST ? ns : NAP_MOST};
    if (ns > 0) nanosleep(&nap, NULL);
  }
}

static uint64_t largest(berth_team_t *team, uint64_t number)
{
  uint64_t found;
  MPI_Request request;
  (void)team;
  MPI_Iallreduce(&number, &found, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
  wait_asleep(&request);
  return found;
}

static void broadcast(berth_team_t *team, int from, void *data, size_t bytes)
{
  (void)team;
  for (size_t done = 0, n; done < bytes; done += n) { /* MPI counts in int */
    MPI_Request request;
    n = bytes - done < PART_MOST ? bytes - done : PART_MOST;
    MPI_Ibcast((char *)data + done, (int)n, MPI_BYTE, from, MPI_COMM_WORLD, &request);
    wait_asleep(&request);
  }
}

void job_join(berth_team_t *team)
{
  int level; /* the thread that starts MPI is the one that uses it */
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  *team = (berth_team_t){.size = 1, .largest = largest, .broadcast = broadcast};
  MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &team->size);
}

void job_leave(void)
{
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(&request);
  MPI_Finalize();
}
