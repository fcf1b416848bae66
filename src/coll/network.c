/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/network.h"

#include <math.h>
#include <time.h>

#include "coll/coll_tags.h"

enum { TIMES = 5 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The shortest way of so many bytes to the other rank, of messages there and back; the first makes
 * the connection. Negative: it failed. */
static double one_way(MPI_Comm comm, int other, bool begins, char *data, int bytes)
{
  double least = INFINITY;
  for (int i = 0; i <= TIMES; i++) {
    double begin = now();
    int rc = MPI_SUCCESS;
    if (begins) rc = mpi.Send(data, bytes, mpi.byte, other, TAG_NETWORK, comm);
    if (rc == MPI_SUCCESS)
      rc = mpi.Recv(data, bytes, mpi.byte, other, TAG_NETWORK, comm, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && !begins)
      rc = mpi.Send(data, bytes, mpi.byte, other, TAG_NETWORK, comm);
    if (rc != MPI_SUCCESS) return -1;
    if (i > 0) least = fmin(least, (now() - begin) / 2);
  }
  return least;
}

static double measure(const coll_job_t *j, int other)
{
  static char data[CHOOSE_LARGE];
  double small = one_way(j->own, other, j->rank < other, data, CHOOSE_SMALL);
  double large = one_way(j->own, other, j->rank < other, data, CHOOSE_LARGE);
  return choose_half(small, large);
}

double network_half(const coll_job_t *j)
{
  int second = 0;
  double half = CHOOSE_USUAL_HALF;
  while (second < j->n && j->host[second] == j->host[0]) second++;
  if (second == j->n) return half;
  if (j->rank == 0 || j->rank == second) half = measure(j, j->rank == 0 ? second : 0);
  mpi.Bcast(&half, sizeof half, mpi.byte, 0, mpi.comm_world);
  return half;
}
