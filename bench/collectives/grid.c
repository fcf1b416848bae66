/* SPDX-License-Identifier: BSD-3-Clause */
/* grid rows|columns ITERATIONS: 16 ranks as a 4 x 4 grid. Each iteration is an Allreduce of 32 KiB
 * in the rows and an Alltoall of 128 KiB in the columns, or the other way round. Prints the seconds
 * of an iteration on the slowest rank, of three loops after one iteration to warm up. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, DOUBLES = (32 << 10) / 8, BLOCK = (128 << 10) / SIDE };

static double reduce_in[DOUBLES], reduce_out[DOUBLES];
static char in[SIDE * BLOCK], out[SIDE * BLOCK];

static double loop(MPI_Comm reduce, MPI_Comm exchange, int iterations)
{
  MPI_Barrier(MPI_COMM_WORLD);
  double slowest, took = -MPI_Wtime();
  for (int i = 0; i < iterations; i++) {
    MPI_Allreduce(reduce_in, reduce_out, DOUBLES, MPI_DOUBLE, MPI_SUM, reduce);
    MPI_Alltoall(in, BLOCK, MPI_BYTE, out, BLOCK, MPI_BYTE, exchange);
  }
  took += MPI_Wtime();
  MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest / iterations;
}

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Comm row, column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int iterations = argc == 3 ? atoi(argv[2]) : 0;
  if (iterations < 1 || size != SIDE * SIDE) {
    if (rank == 0)
      fprintf(stderr, "usage: grid rows|columns ITERATIONS, on %d ranks\n", SIDE * SIDE);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank / SIDE, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % SIDE, rank, &column);
  int by_rows = strcmp(argv[1], "rows") == 0;
  MPI_Comm reduce = by_rows ? row : column, exchange = by_rows ? column : row;
  loop(reduce, exchange, 1);
  for (int i = 0; i < 3; i++) {
    double seconds = loop(reduce, exchange, iterations);
    if (rank == 0) printf("%.6f\n", seconds);
  }
  MPI_Finalize();
  return 0;
}
