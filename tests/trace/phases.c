/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases and orders that are known exactly; phases.sh says what a trace must hold. Four ranks.
 *   phases              all of them, one after another
 *   phases exit         the same, and it ends without MPI_Finalize
 *   phases threads      two threads of a rank send in one phase */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 300000, MEDIUM = 65536, SMALL = 100, RANKS = 4 };

static int rank, right, left;
static char out[LARGE], in[RANKS][8][LARGE];

static void receive(int from, int i, MPI_Request *r)
{
  MPI_Irecv(in[from][i], LARGE, MPI_BYTE, from, 0, MPI_COMM_WORLD, r);
}

/* Every kind of send to the right, and one to the left. */
static __attribute__((noinline)) void every_kind(void)
{
  MPI_Request r[8], send[2];
  double one = 1, sum;
  for (int i = 0; i < 6; i++) receive(left, i, &r[i]);
  receive(right, 6, &r[6]);
  MPI_Send_init(out, 70000, MPI_BYTE, right, 0, MPI_COMM_WORLD, &send[1]);
  MPI_Send(out, LARGE, MPI_BYTE, right, 0, MPI_COMM_WORLD);
  MPI_Send(out, SMALL, MPI_BYTE, left, 0, MPI_COMM_WORLD);
  MPI_Send(out, MEDIUM, MPI_BYTE, right, 0, MPI_COMM_WORLD);
  MPI_Send(out, MEDIUM - 1, MPI_BYTE, right, 0, MPI_COMM_WORLD);
  MPI_Ssend(out, 0, MPI_BYTE, right, 0, MPI_COMM_WORLD);
  MPI_Isend(out, LARGE, MPI_BYTE, right, 0, MPI_COMM_WORLD, &send[0]);
  MPI_Start(&send[1]);
  MPI_Waitall(7, r, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, send, MPI_STATUSES_IGNORE);
  MPI_Request_free(&send[1]);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void shift(int bytes)
{
  MPI_Sendrecv(out, bytes, MPI_BYTE, right, 0, in[0][0], LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* Sends to itself that MPI buffers, n times one size and another. */
static __attribute__((noinline)) void to_itself(int n, int first, int second)
{
  MPI_Request r[2];
  for (int i = 0; i < n; i++) {
    receive(rank, 0, &r[0]);
    receive(rank, 1, &r[1]);
    MPI_Send(out, first, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
    MPI_Send(out, second, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
}

/* What has no loops: sizes that seem to have no order. */
static void at_random(int n)
{
  unsigned random = 1;
  for (int i = 0; i < n; i++) {
    random = random * 1664525u + 1013904223u;
    to_itself(1, 100 + (random >> 22 & 31), 100 + (random >> 27));
  }
}

static void all_phases(void)
{
  shift(1); /* phase 0 */
  for (int i = 0; i < 6; i++) {
    MPI_Pcontrol(2);
    every_kind();
    MPI_Pcontrol(1);
    if (i % 3 == 0) shift(2);
  }
  MPI_Pcontrol(0);
  shift(3); /* not recorded */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(-1); /* changes nothing, */
  MPI_Pcontrol(1 << 20);
  shift(3);
  for (int i = 0; i < (rank == 3 ? 4 : 5); i++) { /* a rank that differs */
    MPI_Pcontrol(3, "what follows is ignored");
    to_itself(1, 10, 20);
  }
  if (rank < 2) /* a phase that not all are in */
    for (int i = 0; i < 3; i++) {
      MPI_Pcontrol(4);
      to_itself(25, 30, 40);
    }
  for (int i = 0; i < 2; i++) { /* sizes differ between occurrences, at one rank */
    MPI_Pcontrol(5);
    to_itself(1, rank == 2 ? 50 + i : 50, 60);
  }
  MPI_Pcontrol(6); /* numbers differ, and happen to be even in all; from two places */
  to_itself(rank == 1 ? 3 : 1, 70, 80);
  MPI_Pcontrol(6);
  to_itself(1, 70, 80);
  MPI_Pcontrol(7); /* for rank 1 too long */
  to_itself(2048, 90, 91);
  if (rank == 1) at_random(2048);
  MPI_Pcontrol(0xfffff); /* the largest */
  to_itself(1, 1, 1);
}

static void *send_one(void *tag)
{
  MPI_Sendrecv(out, SMALL, MPI_BYTE, rank, *(int *)tag, in[0][*(int *)tag], SMALL, MPI_BYTE, rank,
               *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static void of_two_threads(void)
{
  pthread_t thread;
  int tags[] = {1, 2};
  MPI_Pcontrol(2);
  send_one(&tags[0]);
  if (rank == 0) {
    pthread_create(&thread, NULL, send_one, &tags[1]);
    pthread_join(thread, NULL);
  }
}

int main(int argc, char **argv)
{
  int threads = argc > 1 && strcmp(argv[1], "threads") == 0, level;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right = (rank + 1) % RANKS;
  left = (rank + RANKS - 1) % RANKS;
  if (threads)
    of_two_threads();
  else
    all_phases();
  if (argc > 1 && strcmp(argv[1], "exit") == 0) {
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    exit(3);
  }
  MPI_Finalize();
  return 0;
}
