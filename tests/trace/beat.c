/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends the same again and again, in two phases, until a file is there: beat FILE. A test that
   ended without it must not leave this running: after LIMIT seconds it ends as a failure. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 1000, SMALL = 8, TIMES = 10, LIMIT = 400 };

static void shift(int to, int from, int bytes)
{
  static char out[LARGE], in[LARGE];
  MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  const struct timespec pause = {0, 1000000};
  int rank, ranks, stop = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double end = MPI_Wtime() + LIMIT;
  while (!stop) {
    if (MPI_Wtime() > end) {
      fprintf(stderr, "beat: no file in %d s\n", LIMIT);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Pcontrol(2);
    for (int i = 0; i < TIMES; i++) {
      shift((rank + 1) % ranks, (rank + ranks - 1) % ranks, LARGE);
      nanosleep(&pause, NULL);
    }
    MPI_Pcontrol(3);
    shift(rank ^ 1, rank ^ 1, SMALL);
    stop = argc > 1 && access(argv[1], F_OK) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
