/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs share: ranks, iterations, payload and the clock around the loop. */
#ifndef BENCH_PROGRAMS_PROGRAM_H
#define BENCH_PROGRAMS_PROGRAM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20 };
static char in[LARGEST * 4], out[LARGEST * 4];
static int rank, ranks;
static double begun;

/* Returns the iterations: the first argument, or the default. The loop begins afterwards. */
static inline int begin(int argc, char **argv, int usual)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int n = argc > 1 ? atoi(argv[1]) : usual;
  if (ranks != 16 || n < 1) {
    if (rank == 0)
      fprintf(stderr, "found %d ranks and %d iterations, expected 16 and at least 1\n", ranks, n);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  begun = MPI_Wtime();
  return n;
}

/* The loop is over. */
static inline int end(void)
{
  double mine = MPI_Wtime() - begun, slowest;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f\n", slowest);
  return MPI_Finalize();
}

static inline unsigned draw(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

#endif
