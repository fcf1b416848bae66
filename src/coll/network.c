/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/network.h"

#include <math.h>

#include "base/clock.h"
#include "coll/coll_tags.h"

enum { TIMES = 5 };
#define UNKNOWN 1e9 /* bytes per second */

/* The shortest way of so many bytes to the other rank, of messages there and back; the first makes
 * the connection. Negative: it failed. */
static double one_way(MPI_Comm comm, int other, bool begins, char *data, int bytes)
{
  double least = INFINITY;
  for (int i = 0; i <= TIMES; i++) {
    double begin = clock_s();
    int rc = MPI_SUCCESS;
    if (begins) rc = mpi.Send(data, bytes, mpi.byte, other, TAG_NETWORK, comm);
    if (rc == MPI_SUCCESS)
      rc = mpi.Recv(data, bytes, mpi.byte, other, TAG_NETWORK, comm, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && !begins)
      rc = mpi.Send(data, bytes, mpi.byte, other, TAG_NETWORK, comm);
    if (rc != MPI_SUCCESS) return -1;
    if (i > 0) least = fmin(least, (clock_s() - begin) / 2);
  }
  return least;
}

/* What rank 0 finds. */
typedef struct network {
  double half, bandwidth;
} network_t;

static network_t measure(const coll_job_t *j, int other)
{
  static char data[CHOOSE_LARGE];
  double small = one_way(j->own, other, j->rank < other, data, CHOOSE_SMALL);
  double large = one_way(j->own, other, j->rank < other, data, CHOOSE_LARGE);
  double seconds = small > 0 && large > small ? large - small : large;
  network_t n = {choose_half(small, large), UNKNOWN};
  if (seconds > 0) n.bandwidth = (CHOOSE_LARGE - CHOOSE_SMALL) / seconds;
  return n;
}

int network_second(const coll_job_t *j)
{
  int rank = 0;
  while (rank < j->n && j->hosts.host[rank] == j->hosts.host[0]) rank++;
  return rank;
}

void network_measure(coll_job_t *j)
{
  int second = network_second(j);
  network_t n = {CHOOSE_USUAL_HALF, UNKNOWN};
  if (second < j->n) {
    if (j->rank == 0 || j->rank == second) n = measure(j, j->rank == 0 ? second : 0);
    mpi.Bcast(&n, sizeof n, mpi.byte, 0, mpi.comm_world);
  }
  j->half = n.half;
  j->bandwidth = n.bandwidth;
}
