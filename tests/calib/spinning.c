/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks but the first wait for it, which sleeps until its standard input ends. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    while (getchar() != EOF) continue;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
