/* SPDX-License-Identifier: BSD-3-Clause */
/* waits CASE: twenty times 50 ms, each after so many quick waits that the tracer times only some:
 *   computes   in the program, on rank 1
 *   waits      in MPI_Wait, on rank 1 for rank 0
 *   meets      in MPI_Barrier, on rank 1 for rank 0
 * Rank 1 prints how many seconds these took, and the quick ones. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
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

/* A message which `to` waits for. */
static void passes(int rank, int from, int to)
{
  char byte = 0;
  MPI_Request request;
  if (rank == from) MPI_Send(&byte, 1, MPI_BYTE, to, 1, MPI_COMM_WORLD);
  if (rank != to) return;
  MPI_Irecv(&byte, 1, MPI_BYTE, from, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double slow = 0, quick = 0;
  bool computes = strcmp(argv[1], "computes") == 0, waits = strcmp(argv[1], "waits") == 0;
  for (int i = 0; i < 20; i++) {
    double begun = MPI_Wtime();
    to_itself(rank, 5000);
    double between = MPI_Wtime();
    if (rank == computes) usleep(50000);
    if (waits) passes(rank, 0, 1);
    if (!computes && !waits) MPI_Barrier(MPI_COMM_WORLD);
    slow += MPI_Wtime() - between;
    quick += between - begun;
  }
  if (rank == 1) printf("%f %f\n", slow, quick);
  MPI_Finalize();
  return 0;
}
