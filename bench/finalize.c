/* SPDX-License-Identifier: BSD-3-Clause */
/* For trace_size.sh: each rank sends 72 sizes to its neighbour in a ring. Prints how long
 * MPI_Finalize took at rank 0, and the most memory that this process had, in MiB. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

enum { SIZES = 72 };

int main(int argc, char **argv)
{
  static char in[8 * SIZES], out[8 * SIZES];
  int rank, ranks;
  struct timespec begin, end;
  struct rusage used;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i <= SIZES; i++)
    MPI_Sendrecv(out, 8 * i, MPI_BYTE, (rank + 1) % ranks, 0, in, 8 * i, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  MPI_Finalize();
  clock_gettime(CLOCK_MONOTONIC, &end);
  getrusage(RUSAGE_SELF, &used);
  if (rank == 0)
    printf("finalize %.2f %ld\n",
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
           used.ru_maxrss / 1024);
  return 0;
}
