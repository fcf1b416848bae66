/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 puts 3,000 numbers into the last rank's window in each of 20 epochs: prints "right". */
#include <mpi.h>
#include <stdio.h>

enum { N = 3000, EPOCHS = 20 };

int main(int argc, char **argv)
{
  int rank, n, wrong = 0;
  long *window, data[N];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_allocate(N * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &window,
                   &win);
  for (int i = 0; i < N; i++) data[i] = 7 * i;
  for (int e = 0; e < EPOCHS && rank == 0; e++) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, n - 1, 0, win);
    for (int i = 0; i < N; i++) MPI_Put(&data[i], 1, MPI_LONG, n - 1, i, 1, MPI_LONG, win);
    MPI_Win_unlock(n - 1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int i = 0; rank == n - 1 && i < N; i++) wrong += window[i] != data[i];
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
  if (rank == n - 1) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong > 0;
}
