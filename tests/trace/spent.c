/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits, each in a function of its own; four ranks. They are repeated, because on a busy machine
 * the rank that shall wait may be the later one. */
#include <mpi.h>
#include <unistd.h>

static int rank;

/* Rank `late` comes later than the others. */
static void be_late(int late)
{
  if (rank == late) usleep(10000);
}

static void waits_in_rows(MPI_Comm row)
{
  be_late(1);
  be_late(2);
  MPI_Barrier(row);
}

static void waits_for_all(void)
{
  int in = rank, out;
  be_late(3);
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void receives(void)
{
  int x = 0;
  be_late(0);
  if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waits_for_requests(int tag)
{
  int x = 0;
  MPI_Request request;
  be_late(3);
  if (rank == 3) MPI_Send(&x, 1, MPI_INT, 2, tag, MPI_COMM_WORLD);
  if (rank != 2) return;
  MPI_Irecv(&x, 1, MPI_INT, 3, tag, MPI_COMM_WORLD, &request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

static void waits_here(void) { waits_for_requests(1); }
static void waits_there(void) { waits_for_requests(2); }

int main(int argc, char **argv)
{
  MPI_Comm row;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &row);
  for (int i = 0; i < 20; i++) {
    waits_in_rows(row);
    waits_for_all();
    receives();
    waits_here();
    waits_there();
  }
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
