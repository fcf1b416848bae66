/* SPDX-License-Identifier: BSD-3-Clause */
/* waits CASE: many quick waits, after which the tracer times only some of them, and then a second:
 *   computes   in the program, on rank 1
 *   waits      in MPI_Wait, on rank 1 for rank 0
 *   meets      in MPI_Barrier, on rank 1 for rank 0 */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void to_itself(int rank, int n)
{
  char out = 0, in;
  MPI_Request request;
  for (int i = 0; i < n; i++) {
    MPI_Irecv(&in, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv)
{
  int rank;
  char byte = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  to_itself(rank, 5000);
  MPI_Barrier(MPI_COMM_WORLD);
  int busy = strcmp(argv[1], "computes") == 0;
  if (rank == busy) sleep(1);
  if (strcmp(argv[1], "waits") == 0) {
    if (rank == 0) MPI_Send(&byte, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Irecv(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  if (!busy) MPI_Barrier(MPI_COMM_WORLD);
  to_itself(rank, 5000);
  MPI_Finalize();
  return 0;
}
