/* SPDX-License-Identifier: BSD-3-Clause */
/* steps: a fixed amount of work in steps, shared by the ranks, with a reduction after each.
 *
 *   mpirun -np N steps WORK_NS STEPS BYTES
 *
 * WORK_NS is the work of a step for one rank alone, nearly in nanoseconds. Prints the seconds of
 * all steps. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t work(uint64_t x, long turns)
{
  for (long i = 0; i < turns; i++) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

int main(int argc, char **argv)
{
  int rank, n;
  if (argc < 4) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  long turns = (long)(atof(argv[1]) / 1.29), steps = atol(argv[2]);
  int bytes = atoi(argv[3]);
  char *in = calloc(1, (size_t)bytes), *out = calloc(1, (size_t)bytes);
  uint64_t x = (uint64_t)rank;
  long own = turns / n + (rank < turns % n);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (long i = 0; i < steps; i++) {
    x = work(x, own);
    in[0] = (char)x;
    MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  }
  double seconds = MPI_Wtime() - begin;
  if (rank == 0) printf("%.9f\n", seconds);
  MPI_Finalize();
  return out[0] == 77;
}
