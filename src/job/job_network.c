/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job_network.h"

#include <math.h>

#include "base/clock.h"
#include "interpose/mpi_table.h"

enum { TIMES = 5 };

int job_network_second(const job_hosts_t *h, int n)
{
  int rank = 0;
  while (rank < n && h->host[rank] == h->host[0]) rank++;
  return rank;
}

/* The way to another rank. */
typedef struct way {
  MPI_Comm comm;
  int other, tag;
  bool begins;
} way_t;

/* The shortest time of so many bytes, of messages there and back; the first makes the connection.
 * Negative: it failed. */
static double one_way(const way_t *w, char *data, int bytes)
{
  double least = INFINITY;
  for (int i = 0; i <= TIMES; i++) {
    double begin = clock_s();
    int rc = MPI_SUCCESS;
    if (w->begins) rc = mpi.Send(data, bytes, mpi.byte, w->other, w->tag, w->comm);
    if (rc == MPI_SUCCESS)
      rc = mpi.Recv(data, bytes, mpi.byte, w->other, w->tag, w->comm, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && !w->begins)
      rc = mpi.Send(data, bytes, mpi.byte, w->other, w->tag, w->comm);
    if (rc != MPI_SUCCESS) return -1;
    if (i > 0) least = fmin(least, (clock_s() - begin) / 2);
  }
  return least;
}

job_network_t job_network_measure(const job_hosts_t *h, int rank, int n, MPI_Comm comm, int tag)
{
  static char data[JOB_NETWORK_LARGE];
  int second = job_network_second(h, n);
  job_network_t found = {0, 0};
  if (second == n) return found;
  if (rank == 0 || rank == second) {
    const way_t way = {comm, rank == 0 ? second : 0, tag, rank == 0};
    found.small = one_way(&way, data, JOB_NETWORK_SMALL);
    found.large = one_way(&way, data, JOB_NETWORK_LARGE);
  }
  mpi.Bcast(&found, sizeof found, mpi.byte, 0, comm);
  return found;
}

double job_network_byte(const job_network_t *n)
{
  double seconds = n->small > 0 && n->large > n->small ? n->large - n->small : n->large;
  return seconds > 0 ? seconds / (JOB_NETWORK_LARGE - JOB_NETWORK_SMALL) : 0;
}
