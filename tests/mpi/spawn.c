/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawns two processes, sends one of them a message and meets both at a barrier. */
#include <mpi.h>

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
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
