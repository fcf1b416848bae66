/* SPDX-License-Identifier: BSD-3-Clause */
/* limit KIB PHASES SIZES: limits the size of files to so many KiB behind MPI_Init, then sends
 * messages of so many sizes in so many phases to the next rank. Ends with 1 if a signal's handling
 * has changed. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int changed(void)
{
  struct sigaction now;
  sigset_t blocked, pending;
  sigaction(SIGXFSZ, NULL, &now);
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  sigpending(&pending);
  return now.sa_handler != SIG_DFL || sigismember(&blocked, SIGXFSZ) ||
         sigismember(&pending, SIGXFSZ);
}

int main(int argc, char **argv)
{
  enum { MOST_SIZES = 500 };
  static char out[MOST_SIZES], in[MOST_SIZES][MOST_SIZES];
  static MPI_Request request[2 * MOST_SIZES];
  int rank, ranks, sizes = atoi(argv[3]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rlim_t bytes = (rlim_t)atoi(argv[1]) << 10;
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  for (int phase = 0; phase < atoi(argv[2]); phase++) {
    MPI_Pcontrol(1, phase);
    for (int i = 0; i < sizes; i++) /* all at once: ranks rarely wait for each other's core */
      MPI_Irecv(in[i], i + 1, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < sizes; i++)
      MPI_Isend(out, i + 1, MPI_BYTE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request[sizes + i]);
    MPI_Waitall(2 * sizes, request, MPI_STATUSES_IGNORE);
  }
  if (changed()) {
    fprintf(stderr, "SIGXFSZ isn't handled as before\n");
    return 1;
  }
  MPI_Finalize();
  return changed();
}
