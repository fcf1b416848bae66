/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a known number of messages, passes a barrier, and ends in the way that is asked for:
 *   crash end|code|exit|abort|wrong|kill|segv|term|hang
 * Rank r sends 100 + r messages of r bytes to itself, and one to its right neighbour. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void communicate(int rank, int ranks)
{
  char out[64] = "", in[64];
  for (int i = 0; i < 100 + rank; i++)
    MPI_Sendrecv(out, rank, MPI_BYTE, rank, 0, in, 64, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 64, MPI_BYTE, (rank + 1) % ranks, 0, in, 64, MPI_BYTE,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void end(const char *how, int rank)
{
  if (strcmp(how, "end") == 0 || strcmp(how, "code") == 0) {
    MPI_Finalize();
    exit(strcmp(how, "code") == 0 ? 5 : 0);
  }
  if (strcmp(how, "exit") == 0) exit(3);
  if (rank == 1) {
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "wrong") == 0) MPI_Bcast(&rank, 1, MPI_INT, 99, MPI_COMM_WORLD);
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    if (strcmp(how, "segv") == 0) raise(SIGSEGV);
    if (strcmp(how, "term") == 0) raise(SIGTERM);
  }
  sleep(60); /* until the launcher ends the others */
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  communicate(rank, ranks);
  end(argv[1], rank);
  return 0;
}
