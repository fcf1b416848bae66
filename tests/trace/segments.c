/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose phases are known and that doesn't tell them apart; segments.sh says what a trace
 * must hold. Any number of ranks from 3 on.
 *   segments             set-up, 100 exchanges, a checkpoint after every tenth, a last phase
 *   segments loose       the same without a collective call at the end of a checkpoint
 *   segments edges       neighbourhood collectives and one-sided operations between exchanges
 *   segments groups      exchanges with collective calls of halves of the ranks
 *   segments pcontrol    the same exchanges, told apart by MPI_Pcontrol after the set-up
 *   segments threads     another thread sends, too
 *   segments collective  another thread makes a collective call of all ranks
 *   segments kill FILE   exchanges until killed; each rank writes how many it has made, and its
 *                        process, to FILE.RANK
 *   segments refused     collective calls of all ranks that MPI refuses */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

enum { LARGE = 5000 };

static int rank, ranks;
static char out[LARGE], in[64][LARGE];

static void swap(int to, int from, int bytes)
{
  MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in[0], LARGE, MPI_BYTE, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* Two messages to the right and one to the left. */
static APART void exchange(void)
{
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  double one = 1, sum;
  for (int i = 0; i < 2; i++) swap(right, left, 1000);
  swap(left, right, 500);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 0 only receives. */
static APART void checkpoint(int together)
{
  MPI_Request r[64];
  for (int i = 1; rank == 0 && i < ranks; i++)
    MPI_Irecv(in[i], LARGE, MPI_BYTE, i, 1, MPI_COMM_WORLD, &r[i]);
  if (rank == 0)
    MPI_Waitall(ranks - 1, r + 1, MPI_STATUSES_IGNORE);
  else
    MPI_Send(out, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  if (together) MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 tells the others what to do. */
static APART void set_up(void)
{
  MPI_Bcast(out, 100, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < ranks; i++)
    MPI_Send(out, 10 + i, MPI_BYTE, i, 0, MPI_COMM_WORLD);
  if (rank) MPI_Recv(in[0], LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A message to every other rank. */
static APART void last_phase(void)
{
  for (int i = 1; i < ranks; i++) swap((rank + i) % ranks, (rank + ranks - i) % ranks, 77);
}

static APART void known(int together)
{
  set_up();
  for (int step = 1; step <= 100; step++) {
    exchange();
    if (step % 10 == 0) checkpoint(together);
  }
  last_phase();
}

/* A neighbourhood collective of all ranks ends a segment; an operation is in none. */
static APART void edges(void)
{
  MPI_Comm ring;
  MPI_Win window;
  char *memory;
  int around = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &around, 0, &ring);
  MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int step = 0; step < 20; step++) {
    MPI_Win_lock_all(0, window);
    MPI_Put(out, 8, MPI_BYTE, (rank + 1) % ranks, 0, 8, MPI_BYTE, window);
    MPI_Win_unlock_all(window);
    MPI_Neighbor_alltoall(out, 300, MPI_BYTE, in[0], 300, MPI_BYTE, ring);
    exchange();
  }
  MPI_Win_free(&window);
  MPI_Comm_free(&ring);
}

/* The first half of the ranks makes two calls in a step, the second half three. */
static APART void groups(void)
{
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, -rank, &half);
  for (int step = 0; step < 20; step++) {
    for (int i = 0; i < (rank < ranks / 2 ? 2 : 3); i++) MPI_Bcast(out, 8, MPI_BYTE, 0, half);
    exchange();
  }
  MPI_Comm_free(&half);
}

static APART void told_apart(void)
{
  set_up();
  for (int step = 0; step < 20; step++) {
    MPI_Pcontrol(2);
    exchange();
  }
}

static void *send_to_itself(void *unused)
{
  MPI_Sendrecv(out, 7, MPI_BYTE, rank, 9, in[1], LARGE, MPI_BYTE, rank, 9, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return unused;
}

static void *meet(void *unused)
{
  MPI_Barrier(MPI_COMM_WORLD);
  return unused;
}

static APART void threads(void *(*what)(void *))
{
  for (int step = 0; step < 20; step++) {
    pthread_t thread;
    pthread_create(&thread, NULL, what, NULL);
    pthread_join(thread, NULL);
    exchange();
  }
}

/* Each number that is in the file is of exchanges that were made before. */
static APART void until_killed(const char *file)
{
  char name[4096], text[32];
  snprintf(name, sizeof name, "%s.%d", file, rank);
  FILE *f = fopen(name, "w");
  if (!f) MPI_Abort(MPI_COMM_WORLD, 1);
  for (long step = 1;; step++) {
    exchange();
    if (step % 10 == 0) checkpoint(1);
    snprintf(text, sizeof text, "%-12ld %d\n", step, (int)getpid());
    if (pwrite(fileno(f), text, strlen(text), 0) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static APART void refused(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int step = 0; step < 20; step++) {
    exchange();
    MPI_Bcast(out, -1, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  int level;
  MPI_Init_thread(&argc, &argv,
                  strcmp(what, "threads") && strcmp(what, "collective") ? MPI_THREAD_SINGLE
                                                                        : MPI_THREAD_MULTIPLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!*what) known(1);
  if (!strcmp(what, "loose")) known(0);
  if (!strcmp(what, "edges")) edges();
  if (!strcmp(what, "groups")) groups();
  if (!strcmp(what, "pcontrol")) told_apart();
  if (!strcmp(what, "threads")) threads(send_to_itself);
  if (!strcmp(what, "collective")) threads(meet);
  if (!strcmp(what, "kill")) until_killed(argv[2]);
  if (!strcmp(what, "refused")) refused();
  MPI_Finalize();
  return 0;
}
