/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 adds to the last rank's window 100,000 times in one epoch, then gets all of it as often in
 * another one: more than an MPI has under way without loss. Prints "right". */
#include <mpi.h>
#include <stdio.h>

enum { N = 900, GOT = 2048, TIMES = 100000 };

int main(int argc, char **argv)
{
  int rank, n, wrong = 0;
  long *window;
  static long ones[N], got[GOT];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_allocate(GOT * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &window,
                   &win);
  for (int i = 0; i < GOT; i++) window[i] = i;
  for (int i = 0; i < N; i++) ones[i] = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  for (int i = 0; i < TIMES && rank == 0; i++)
    MPI_Accumulate(ones, N, MPI_LONG, n - 1, 0, N, MPI_LONG, MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < TIMES && rank == 0; i++)
    MPI_Get(got, GOT, MPI_LONG, n - 1, 0, GOT, MPI_LONG, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  for (int i = 0; i < GOT && rank == 0; i++) wrong += got[i] != i + (i < N ? TIMES : 0);
  MPI_Win_free(&win);
  if (rank == 0) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong > 0;
}
