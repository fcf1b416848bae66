/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of step of a rank's program, each in a phase of its own; program.sh says what a trace
 * must hold. Four ranks. It sends what MPI buffers before it receives, so that nothing hangs.
 *   program             all of them
 *   program long N      10 N messages of each rank to itself, with an epilogue */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, SMALL = 8, LARGE = 100000 };

static int rank, right, left;
static char out[LARGE], in[RANKS][LARGE];
static MPI_Comm twin; /* of MPI_COMM_WORLD */
static MPI_Request r[8];
static MPI_Status status, statuses[8];

static void post(int size, int to, int tag)
{
  MPI_Send(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void receive(int from, int tag, MPI_Request *request)
{
  MPI_Irecv(in[tag], LARGE, MPI_BYTE, from, tag, MPI_COMM_WORLD, request);
}

static void blocking_receives(void)
{
  post(SMALL, right, 0);
  MPI_Recv(in[0], LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  post(SMALL, right, 1);
  MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
  post(SMALL, left, 0);
  MPI_Probe(right, 0, MPI_COMM_WORLD, &status);
  MPI_Recv(in[0], LARGE, MPI_BYTE, right, 0, MPI_COMM_WORLD, &status);
  MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
}

/* Whoever comes first is asked for; that says nothing on another communicator, nor of another rank.
 */
static void probed_receives(void)
{
  int flag = 0;
  post(SMALL, right, 0);
  MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
  MPI_Recv(in[0], LARGE, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status);
  post(SMALL, right, 1);
  while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(in[0], LARGE, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  post(SMALL, right, 0);
  MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  post(SMALL, right, 2);
  MPI_Send(out, SMALL, MPI_BYTE, right, 0, twin);
  MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
  MPI_Recv(in[0], LARGE, MPI_BYTE, left, 0, twin, MPI_STATUS_IGNORE);
  MPI_Recv(in[0], LARGE, MPI_BYTE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  post(SMALL, right, 3);
  post(SMALL, left, 4);
  MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in[0], LARGE, MPI_BYTE, right, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in[0], LARGE, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void matched_receives(void)
{
  MPI_Message message;
  int flag = 0;
  post(SMALL, right, 0);
  MPI_Mprobe(left, 0, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(in[0], LARGE, MPI_BYTE, &message, &status);
  post(SMALL, right, 0);
  while (!flag) MPI_Improbe(left, 0, MPI_COMM_WORLD, &flag, &message, &status);
  MPI_Imrecv(in[0], LARGE, MPI_BYTE, &message, r);
  MPI_Wait(r, &status);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(in[0], LARGE, MPI_BYTE, &message, &status);
}

/* What waits for one request, or for all. */
static void waits_for_all(void)
{
  int flag = 0;
  receive(left, 0, &r[0]);
  post(SMALL, right, 0);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  MPI_Wait(r, MPI_STATUS_IGNORE); /* MPI_REQUEST_NULL */
  receive(left, 0, &r[0]);
  receive(right, 1, &r[1]);
  receive(MPI_PROC_NULL, 2, &r[2]);
  r[3] = MPI_REQUEST_NULL;
  post(SMALL, right, 0);
  post(SMALL, left, 1);
  MPI_Waitall(4, r, statuses);
  receive(right, 0, &r[0]);
  post(SMALL, left, 0);
  while (!flag) MPI_Test(r, &flag, MPI_STATUS_IGNORE);
  receive(left, 0, &r[0]);
  receive(MPI_ANY_SOURCE, 1, &r[1]);
  post(SMALL, right, 0);
  post(SMALL, left, 1);
  for (flag = 0; !flag;) MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitall(0, r, MPI_STATUSES_IGNORE);
}

static void post_three(void)
{
  for (int tag = 0; tag < 3; tag++) receive(tag == 1 ? right : left, tag, &r[tag]);
  post(SMALL, right, 0);
  post(SMALL, left, 1);
  post(SMALL, right, 2);
}

/* What takes whichever request comes first. */
static void waits_for_some(void)
{
  int index, indices[8], n = 0, done, flag;
  post_three();
  for (int i = 0; i < 4; i++) MPI_Waitany(3, r, &index, &status); /* the last one has none left */
  MPI_Barrier(MPI_COMM_WORLD);
  post_three();
  for (; n < 3; n += done) MPI_Waitsome(3, r, &done, indices, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  post_three();
  for (n = 0; n < 3; n += flag) MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  post_three();
  for (n = 0; n < 3; n += done) MPI_Testsome(3, r, &done, indices, statuses);
  MPI_Barrier(MPI_COMM_WORLD);
  receive(left, 0, &r[0]); /* one receive alone is no choice */
  MPI_Isend(out, SMALL, MPI_BYTE, right, 0, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 2; i++) MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  post_three(); /* those that a choice left */
  MPI_Waitany(3, r, &index, &status);
  MPI_Waitall(3, r, statuses);
}

static void persistent_requests(void)
{
  MPI_Recv_init(in[0], LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in[1], LARGE, MPI_BYTE, left, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Send_init(out, SMALL, MPI_BYTE, right, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Send_init(out, LARGE, MPI_BYTE, right, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, statuses); /* none is active */
  for (int i = 0; i < 10; i++) {
    MPI_Startall(4, r);
    MPI_Waitall(4, r, statuses);
  }
  MPI_Start(&r[0]);
  MPI_Start(&r[2]);
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; i++) MPI_Request_free(&r[i]);
}

static void exchanges(void)
{
  MPI_Sendrecv(out, SMALL, MPI_BYTE, right, 0, in[0], LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD,
               &status);
  MPI_Sendrecv(out, LARGE, MPI_BYTE, right, 0, in[0], LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in[0], LARGE, MPI_BYTE, left, 0, right, 0, MPI_COMM_WORLD, &status);
  MPI_Sendrecv(out, SMALL, MPI_BYTE, right, 0, in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0,
               MPI_COMM_WORLD, &status);
  MPI_Sendrecv(out, LARGE, MPI_BYTE, MPI_PROC_NULL, 0, in[0], LARGE, MPI_BYTE, MPI_PROC_NULL, 0,
               MPI_COMM_WORLD, &status);
}

static void waits_for_sends(void)
{
  receive(left, 0, &r[0]);
  receive(left, 1, &r[1]);
  receive(left, 2, &r[2]);
  MPI_Isend(out, SMALL, MPI_BYTE, right, 0, MPI_COMM_WORLD, &r[3]);
  MPI_Isend(out, LARGE, MPI_BYTE, right, 1, MPI_COMM_WORLD, &r[4]);
  MPI_Issend(out, SMALL, MPI_BYTE, right, 2, MPI_COMM_WORLD, &r[5]);
  MPI_Wait(&r[3], MPI_STATUS_IGNORE);
  MPI_Waitall(3, r, statuses);
  MPI_Waitall(2, &r[4], statuses); /* both to the same rank */
}

/* A receive that nobody sends to is cancelled. One was matched before, so it can't be. Another one
 * is freed. */
static void forgotten_requests(void)
{
  int flag;
  receive(left, 0, r);
  MPI_Cancel(r);
  MPI_Wait(r, &status);
  receive(left, 0, r);
  MPI_Cancel(r);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  receive(left, 3, r);
  post(SMALL, right, 3);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 1000; i++) /* the MPI looks what has come */
    MPI_Iprobe(left, 2, MPI_COMM_WORLD, &flag, &status);
  MPI_Cancel(r);
  MPI_Wait(r, &status);
  receive(left, 1, r);
  MPI_Request_free(r);
  post(SMALL, right, 1);
  receive(left, 2, r); /* the handle may be the same */
  post(SMALL, right, 2);
  MPI_Wait(r, &status);
}

static void other_communicators(void)
{
  MPI_Comm half, other;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half); /* 1 0 and 3 2 */
  MPI_Send(out, SMALL, MPI_BYTE, rank % 2, 0, half);
  MPI_Recv(in[0], LARGE, MPI_BYTE, rank % 2, 0, half, &status);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 3 : 1, 0, &other);
  MPI_Send(out, SMALL, MPI_BYTE, 0, 0, other); /* to rank 3 or 1 */
  if (rank % 2) {
    MPI_Recv(in[0], LARGE, MPI_BYTE, 1, 0, other, &status);
    MPI_Recv(in[0], LARGE, MPI_BYTE, 0, 0, other, &status);
  }
  MPI_Barrier(other);
  MPI_Comm_free(&other);
  MPI_Comm_free(&half);
}

static void collectives(void)
{
  MPI_Comm half;
  int a[RANKS] = {0}, b[RANKS], c[RANKS], ones[] = {1, 1, 1, 1}, places[] = {0, 1, 2, 3};
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half);
  MPI_Bcast(a, 1, MPI_INT, 1, half); /* rank 0 or 2 */
  MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, half);
  MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, half);
  MPI_Bcast(a, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Scatterv(a, ones, places, MPI_INT, b, 1, MPI_INT, 3, MPI_COMM_WORLD);
  MPI_Gather(b, 1, MPI_INT, a, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Gatherv(b, 1, MPI_INT, a, ones, places, MPI_INT, 3, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allgather(b, 1, MPI_INT, a, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(b, 1, MPI_INT, a, ones, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Reduce_scatter(a, b, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, r);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  MPI_Ibcast(a, 1, MPI_INT, 1, half, &r[1]);
  MPI_Ireduce(b, c, 1, MPI_INT, MPI_SUM, 0, half, &r[0]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&half);
}

static void exchange(int to, int from)
{
  receive(from, 0, &r[0]);
  MPI_Isend(out, SMALL, MPI_BYTE, to, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* Loops in loops; the prologue and the last iteration differ at one rank. */
static void loops(long n)
{
  int one = 1, sum;
  if (rank == 0)
    MPI_Sendrecv(out, 1, MPI_BYTE, 0, 0, in[0], 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
  for (long i = 0; i < n; i++) {
    for (int k = 0; k < 10; k++) {
      exchange(right, left);
      exchange(left, right);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void to_itself(long n)
{
  for (long i = 0; i < n; i++) {
    for (int k = 0; k < 10; k++) exchange(rank, rank);
    MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Calls that an MPI refuses. */
static void refused(void)
{
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Recv(in[0], -1, MPI_BYTE, left, 0, MPI_COMM_WORLD, &status);
  MPI_Recv(in[0], 1, MPI_BYTE, RANKS, 0, MPI_COMM_WORLD, &status);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  post(SMALL, right, 0);
  MPI_Recv(in[0], LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD, &status);
}

/* A rank answers whose message came, five times; goes on to others, twice; and answers in another
 * communicator. */
static void answers(void)
{
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half); /* 1 0 and 3 2 */
  for (int i = 0; i < 5; i++) {
    post(SMALL, right, 0);
    MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    post(SMALL, left, 1);
    MPI_Recv(in[0], LARGE, MPI_BYTE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; i++) {
    post(SMALL, right, 0);
    MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
  }
  for (int i = 0; i < 2; i++) {
    MPI_Send(out, SMALL, MPI_BYTE, rank % 2, 0, half);
    MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0, half, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; i++) post(SMALL, right, 0);
  for (int i = 0; i < 2; i++)
    MPI_Recv(in[0], LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
  post(SMALL, left, 1); /* answers the second one */
  MPI_Recv(in[0], LARGE, MPI_BYTE, right, 1, MPI_COMM_WORLD, &status);
  MPI_Comm_free(&half);
}

static void phase(int level, void (*steps)(void))
{
  MPI_Pcontrol(level);
  steps();
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hundred_loops(void) { loops(100); }

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right = (rank + 1) % RANKS;
  left = (rank + RANKS - 1) % RANKS;
  if (argc > 2) {
    to_itself(atol(argv[2]));
    MPI_Finalize();
    return 0;
  }
  phase(2, blocking_receives);
  phase(3, matched_receives);
  phase(4, waits_for_all);
  phase(5, waits_for_some);
  phase(6, persistent_requests);
  phase(7, exchanges);
  phase(8, waits_for_sends);
  phase(9, forgotten_requests);
  phase(10, other_communicators);
  phase(11, collectives);
  phase(12, hundred_loops);
  phase(13, refused);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  phase(14, probed_receives);
  MPI_Comm_free(&twin);
  phase(15, answers);
  MPI_Finalize();
  return 0;
}
