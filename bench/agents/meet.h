/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier that isn't a collective call: those are measured. */
#ifndef BENCH_AGENTS_MEET_H
#define BENCH_AGENTS_MEET_H
#include <mpi.h>

/* By dissemination: each rank leaves when all have come. */
static void meet(int rank, int size)
{
  MPI_Status status;
  for (int step = 1; step < size; step *= 2)
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + step) % size, 9, NULL, 0, MPI_BYTE,
                 (rank - step + size) % size, 9, MPI_COMM_WORLD, &status);
}

#endif
