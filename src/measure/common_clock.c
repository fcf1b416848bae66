/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/common_clock.h"

#include <stdbool.h>
#include <time.h>

enum { TAG_CLOCK = 300, MOST_TRIPS = 30, LEAST_TRIPS = 3 };
#define TRIPS_S 0.02   /* for the trips of a rank */
#define AWAKE_S 200e-6 /* before the moment: the system wakes a process late */

static double ahead; /* of rank 0's clock */

double common_clock_now(void) { return MPI_Wtime() - ahead; }

/* Asks rank 0 for its time again and again. */
static void ask(MPI_Comm comm)
{
  double begin = MPI_Wtime(), shortest = 1e9;
  int more = 1;
  for (int i = 0; more; i++) {
    double sent = MPI_Wtime(), theirs;
    more = i + 1 < LEAST_TRIPS || (i + 1 < MOST_TRIPS && sent - begin < TRIPS_S);
    MPI_Send(&more, 1, MPI_INT, 0, TAG_CLOCK, comm);
    MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, TAG_CLOCK, comm, MPI_STATUS_IGNORE);
    double trip = MPI_Wtime() - sent;
    if (trip >= shortest) continue;
    shortest = trip;
    ahead = sent + trip / 2 - theirs;
  }
}

static void answer(MPI_Comm comm, int rank)
{
  for (int more = 1; more;) {
    MPI_Recv(&more, 1, MPI_INT, rank, TAG_CLOCK, comm, MPI_STATUS_IGNORE);
    double own = MPI_Wtime();
    MPI_Send(&own, 1, MPI_DOUBLE, rank, TAG_CLOCK, comm);
  }
}

void common_clock_set(MPI_Comm comm)
{
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  ahead = 0;
  for (int i = 1; i < size; i++) {
    if (rank == 0) answer(comm, i);
    if (rank == i) ask(comm);
    MPI_Barrier(comm); /* one after the other */
  }
}

void common_clock_wait(double moment)
{
  double left = moment - AWAKE_S - common_clock_now();
  if (left > 0) {
    const struct timespec nap = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    nanosleep(&nap, NULL);
  }
  while (common_clock_now() < moment) {
  }
}
