/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks put, accumulate and fetch in epochs of each kind, and compare: prints "right". */
#include <mpi.h>
#include <stdio.h>

enum { N = 100 };

int main(int argc, char **argv)
{
  int rank, n, wrong = 0;
  long *window, got[N], one = 1, old;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_allocate(N * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &window,
                   &win);
  int next = (rank + 1) % n;
  for (int i = 0; i < N; i++) window[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  for (long i = 0; i < N; i++) {
    got[i] = 1000 * rank + i;
    MPI_Put(&got[i], 1, MPI_LONG, next, i, 1, MPI_LONG, win);
  }
  MPI_Win_fence(0, win);
  for (int i = 0; i < N; i++) wrong += window[i] != 1000 * ((rank + n - 1) % n) + i;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  for (int i = 0; i < 10; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Get(got, N, MPI_LONG, 0, 0, N, MPI_LONG, win);
  MPI_Win_flush(0, win);
  wrong += got[0] != 1000 * (n - 1) + 10 * n || got[1] != 1000 * (n - 1) + 1;
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return 0;
}
