/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks 1 and 2 share all locks and read each other's memory, while ranks 0 and 3 wait for the lock
 * of one of them for themselves: who has a lock already must not wait behind those who wait for it.
 * Prints `right`. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { WHILE_OTHERS_ASK = 100 * 1000 }; /* microseconds */

int main(void)
{
  int rank, size;
  long *own, other = -1;
  MPI_Win w;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Win_allocate(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &w);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w);
  *own = rank;
  MPI_Win_unlock(rank, w);
  MPI_Barrier(MPI_COMM_WORLD);

  int shares = rank == 1 || rank == 2, wrong = 0;
  if (shares) MPI_Win_lock_all(0, w);
  MPI_Barrier(MPI_COMM_WORLD);
  if (shares) {
    usleep(WHILE_OTHERS_ASK);
    MPI_Get(&other, 1, MPI_LONG, 3 - rank, 0, 1, MPI_LONG, w);
    MPI_Win_flush(3 - rank, w);
    wrong = other != 3 - rank && other != 10 + (rank == 1 ? 3 : 0); /* before or after the put */
    MPI_Win_unlock_all(w);
  } else {
    long next = 10 + rank;
    int target = rank == 0 ? 1 : 2;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w);
    MPI_Put(&next, 1, MPI_LONG, target, 0, 1, MPI_LONG, w);
    MPI_Win_unlock(target, w);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w);
  if (shares && *own != 10 + (rank == 1 ? 0 : 3)) wrong = 1;
  MPI_Win_unlock(rank, w);
  int all_wrong;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all_wrong ? "wrong" : "right");
  MPI_Win_free(&w);
  MPI_Finalize();
  return 0;
}
