/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits, each in a function of its own; four ranks. They are repeated until each kind took a
 * millisecond once, because on a busy machine the rank that shall wait may be the later one. */
#include <mpi.h>
#include <unistd.h>

enum { FIRST_ROW, SECOND_ROW, ALL, RECEIVE, HERE, THERE, KINDS };
static int rank, seen[KINDS];

/* What a rank does behind `since = MPI_Wtime()` and a call that waits. */
static void waited(int kind, double since)
{
  if (MPI_Wtime() - since > 1e-3) seen[kind] = 1;
}

/* Rank `late` comes later than the others. */
static void be_late(int late)
{
  if (rank == late) usleep(10000);
}

static void waits_in_rows(MPI_Comm row)
{
  be_late(1);
  be_late(2);
  double since = MPI_Wtime();
  MPI_Barrier(row);
  waited(rank < 2 ? FIRST_ROW : SECOND_ROW, since);
}

static void waits_for_all(void)
{
  int in = rank, out;
  be_late(3);
  double since = MPI_Wtime();
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  waited(ALL, since);
}

static void receives(void)
{
  int x = 0;
  be_late(0);
  if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank != 1) return;
  double since = MPI_Wtime();
  MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  waited(RECEIVE, since);
}

static void waits_for_requests(int kind)
{
  int x = 0;
  MPI_Request request;
  be_late(3);
  if (rank == 3) MPI_Send(&x, 1, MPI_INT, 2, kind, MPI_COMM_WORLD);
  if (rank != 2) return;
  MPI_Irecv(&x, 1, MPI_INT, 3, kind, MPI_COMM_WORLD, &request);
  double since = MPI_Wtime();
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  waited(kind, since);
}

static void waits_here(void) { waits_for_requests(HERE); }
static void waits_there(void) { waits_for_requests(THERE); }

static int all_seen(void)
{
  int of_all[KINDS], n = 0;
  MPI_Allreduce(seen, of_all, KINDS, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < KINDS; i++) n += of_all[i];
  return n == KINDS;
}

int main(int argc, char **argv)
{
  MPI_Comm row;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &row);
  for (int i = 0; i < 1000 && !all_seen(); i++) {
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
