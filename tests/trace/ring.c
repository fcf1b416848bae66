/* SPDX-License-Identifier: BSD-3-Clause */
/* A deterministic program for finalize.sh: exchanges in a ring, collective calls in rows, one-sided
 * operations, in phases. It wants MPI-IO's errors to end it, and looks, when MPI_Finalize is under
 * way, whether that is still so. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int check_errors(MPI_Comm comm, int keyval, void *value, void *extra)
{
  MPI_Errhandler now;
  MPI_File_get_errhandler(MPI_FILE_NULL, &now);
  if (now != MPI_ERRORS_ARE_FATAL) {
    fprintf(stderr, "the error handler of MPI_FILE_NULL is another one\n");
    exit(1);
  }
  return MPI_SUCCESS;
}

/* Enough kinds of messages for 17 ranks to be more than one group (pattern_frame.h). */
static void exchange(int rank, int ranks, int step, char *out, char *in)
{
  MPI_Request request[36];
  for (int i = 0; i < 18; i++) {
    int bytes = 8 * (18 * step + i + 1), left = (rank + ranks - 1) % ranks;
    MPI_Irecv(in, 4096, MPI_BYTE, left, i, MPI_COMM_WORLD, &request[i]);
    MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % ranks, i, MPI_COMM_WORLD, &request[18 + i]);
  }
  MPI_Waitall(36, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  static char out[4096], in[4096];
  int rank, ranks, key, sum;
  MPI_Comm row;
  MPI_Win win;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* MPICH sets its files' errors back, before what comes now, once a file was opened. */
  MPI_File_open(MPI_COMM_SELF, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, check_errors, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3, rank, &row);
  MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int step = 0; step < 4; step++) {
    exchange(rank, ranks, step, out, in);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (step % 3) continue;
    MPI_Bcast(out, 16, MPI_BYTE, 0, row);
    MPI_Win_fence(0, win);
    MPI_Put(out, 8, MPI_BYTE, (rank + 2) % ranks, 0, 8, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
