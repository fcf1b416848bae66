/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of these programs. Only the timed part is traced, as phase 2. */
#ifndef BENCH_PROGRAMS_TIMED_H
#define BENCH_PROGRAMS_TIMED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 16 };

/* MPI_Init, without recording until the clock starts. Returns the rank. */
static inline int begin(int *argc, char ***argv)
{
  int rank, ranks;
  MPI_Init(argc, argv);
  MPI_Pcontrol(0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != RANKS) {
    if (rank == 0) fprintf(stderr, "found %d ranks, expected %d\n", ranks, RANKS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return rank;
}

static inline double start_clock(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(2);
  return MPI_Wtime();
}

/* Prints the time of the slowest rank since `begun`. */
static inline void stop_clock(double begun)
{
  double mine = MPI_Wtime() - begun, slowest;
  MPI_Pcontrol(0);
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("seconds %.6f\n", slowest);
}

/* Ends all ranks if something arrived that wasn't sent. */
static inline void expect(double found, double expected, const char *what)
{
  if (found == expected) return;
  fprintf(stderr, "%s: found %g, expected %g\n", what, found, expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
