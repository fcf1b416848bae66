/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawns two processes, sends one of them a message and meets both at a barrier; then all send to
 * the next on a ring, by a collective that is started three times. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

static void around_a_ring(MPI_Comm both, int last)
{
  MPI_Comm all, ring;
  MPI_Request r;
  int rank, n, x = 0, y;
  MPI_Intercomm_merge(both, last, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &n);
  int before = (rank + n - 1) % n, next = (rank + 1) % n;
  MPI_Dist_graph_create_adjacent(all, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPIX_Neighbor_allgather_init(&x, 1, MPI_INT, &y, 1, MPI_INT, ring, MPI_INFO_NULL, &r);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&all);
}

int main(int argc, char **argv)
{
  MPI_Comm other;
  int rank, x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&other);
  if (other == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
    if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, other);
  } else if (rank == 1) {
    MPI_Recv(&x, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(other);
  MPI_Comm parents;
  MPI_Comm_get_parent(&parents);
  around_a_ring(other, parents != MPI_COMM_NULL);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
