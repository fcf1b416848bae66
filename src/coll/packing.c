/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs by messages of a rank to itself, some elements at a time. MPI_Pack won't do: MPICH's takes
 * no MPI_BOTTOM. */
#include "coll/packing.h"

#include <pthread.h>

#include "coll/coll_tags.h"

int packing_move(char *packed, char *data, int64_t count, MPI_Datatype type, size_t size,
                 bool unpacks)
{
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* message at a time */
  MPI_Count low, extent;
  MPI_Comm comm = coll_job.own;
  int64_t most = (int64_t)((1u << 30) / size) + 1;
  int self = coll_job.rank, rc = mpi.Type_get_extent_x(type, &low, &extent);
  pthread_mutex_lock(&one);
  for (int64_t at = 0; at < count && rc == MPI_SUCCESS; at += most) {
    int piece = (int)(count - at < most ? count - at : most), bytes = (int)((size_t)piece * size);
    char *own = data + at * extent, *there = packed + (size_t)at * size;
    rc = unpacks ? mpi.Sendrecv(there, bytes, mpi.packed, self, TAG_SELF, own, piece, type, self,
                                TAG_SELF, comm, MPI_STATUS_IGNORE)
                 : mpi.Sendrecv(own, piece, type, self, TAG_SELF, there, bytes, mpi.packed, self,
                                TAG_SELF, comm, MPI_STATUS_IGNORE);
  }
  pthread_mutex_unlock(&one);
  return rc;
}
