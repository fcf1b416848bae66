/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose traffic is known: each rank does every kind of send and writes beside it what a
 * trace has to hold, as lines
 *     p2p SRC DST SIZE COUNT          in ranks of MPI_COMM_WORLD
 *     coll OP RANKS BYTES ROOT COUNT  ranks separated by commas, root - for none
 *     rma SRC WINDOW SYNC OP TARGET SIZE COUNT    one-sided operations
 *     epochs SRC WINDOW SYNC OP COUNT             those in which there were any
 *     unmodelled OP COUNT                         calls that are known by name alone
 * to the file PREFIX.RANK. Runs with 4 ranks or more under any MPI.
 *
 *   truth PREFIX [sizes|jump]    sizes: one destination with more sizes than a trace keeps;
 *                                jump: an error handler that doesn't return */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 16, TAG = 5, THREADS = 4 };

static int rank, ranks, next, before; /* world ranks; neighbours on a ring */
static char out[ROOM], in[ROOM];
static int barriers; /* of the functions below, on MPI_COMM_WORLD */
static FILE *expected;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void expect(int dst, long size, long count)
{
  pthread_mutex_lock(&mutex);
  fprintf(expected, "p2p %d %d %ld %ld\n", rank, dst, size, count);
  pthread_mutex_unlock(&mutex);
}

static void receive(int from, MPI_Comm comm)
{
  MPI_Recv(in, ROOM, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
}

/* Receives are posted first, so that a ready send may be sent and none blocks. */
static MPI_Request post_receive(int from)
{
  MPI_Request r;
  MPI_Irecv(in, ROOM, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &r);
  MPI_Barrier(MPI_COMM_WORLD);
  barriers++;
  return r;
}

typedef int send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Calls go through pointers to be listed; the symbols are the interposed ones all the same. */
static void blocking_sends(void)
{
  static send_t *const sends[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) {
      MPI_Request r = post_receive(before);
      sends[k](out, 100 + k, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
      sends[k](out, 3, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
  for (int k = 0; k < 4; k++) expect(next, 100 + k, 3);
}

/* One that MPI_Cancel comes after, before there is a receive for it, whether MPI has cancelled it
 * then or not. So that it is known who has a message to receive, ranks say so to the next. */
static void cancel(MPI_Request *send)
{
  MPI_Request r;
  MPI_Status status;
  int mine = 0, theirs = 0;
  MPI_Cancel(send);
  MPI_Barrier(MPI_COMM_WORLD);
  barriers++;
  MPI_Irecv(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r);
  MPI_Wait(send, &status);
  MPI_Test_cancelled(&status, &mine);
  MPI_Sendrecv(&mine, 1, MPI_INT, next, TAG + 1, &theirs, 1, MPI_INT, before, TAG + 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (theirs) MPI_Cancel(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void cancelled_sends(void)
{
  static isend_t *const sends[] = {MPI_Isend, MPI_Ibsend, MPI_Issend};
  static const int sizes[] = {21, 60001}; /* one that is sent at once, one that waits */
  MPI_Request r;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      sends[i](out, sizes[k], MPI_BYTE, next, TAG, MPI_COMM_WORLD, &r);
      cancel(&r);
    }
    MPI_Send_init(out, sizes[k], MPI_BYTE, next, TAG, MPI_COMM_WORLD, &r);
    for (int i = 0; i < 2; i++) {
      MPI_Start(&r);
      cancel(&r);
    }
    MPI_Request_free(&r);
    expect(next, sizes[k], 5);
  }
  expect(next, sizeof(int), 10);
  MPI_Irecv(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r);
  MPI_Cancel(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void nonblocking_sends(void)
{
  static isend_t *const sends[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
  for (int k = 0; k < 4; k++) {
    MPI_Request r[3] = {post_receive(before)};
    sends[k](out, 25, MPI_DOUBLE, next, TAG, MPI_COMM_WORLD, &r[1]);
    sends[k](out, 25, MPI_DOUBLE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  }
  expect(next, 25 * 8, 4);
}

static void persistent_sends(void)
{
  static isend_t *const inits[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
  MPI_Request s[5];
  for (int k = 0; k < 4; k++) inits[k](out, 300 + k, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &s[k]);
  MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &s[4]);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i <= k; i++) {
      MPI_Request r = k < 4 ? post_receive(before) : MPI_REQUEST_NULL;
      MPI_Start(&s[k]);
      MPI_Wait(&s[k], MPI_STATUS_IGNORE);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
  for (int k = 0; k < 4; k++) expect(next, 300 + k, k + 1);
  for (int k = 0; k < 5; k++) MPI_Request_free(&s[k]);
}

/* Sends and receives started together; a request that was made and never started. */
static void started_together(void)
{
  MPI_Request r[4];
  MPI_Send_init(out, 7, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r[1]);
  MPI_Ssend_init(out, 9, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &r[2]);
  MPI_Recv_init(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r[3]);
  MPI_Request never;
  MPI_Send_init(out, 8, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &never);
  for (int i = 0; i < 6; i++) {
    MPI_Startall(4, r);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
  for (int k = 0; k < 4; k++) MPI_Request_free(&r[k]);
  MPI_Request_free(&never);
  expect(next, 7, 6);
  expect(next, 9, 6);
}

/* Requests that are freed while they are under way: what was started stays counted. */
static void freed_under_way(void)
{
  for (int i = 0; i < 5; i++) {
    MPI_Request s, r = post_receive(before);
    MPI_Send_init(out, 14, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &s);
    MPI_Start(&s);
    MPI_Request_free(&s);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  expect(next, 14, 5);
}

/* The handle of a freed send request comes back for a receive, which is nothing to count. */
static void handles_used_again(void)
{
  for (int i = 0; i < 20; i++) {
    MPI_Request s, r;
    MPI_Send_init(out, 11 + i % 2, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &s);
    MPI_Start(&s);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    MPI_Request_free(&s);
    MPI_Recv_init(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
  }
  expect(next, 11, 10);
  expect(next, 12, 10);
}

static void combined_sends(void)
{
  for (int i = 0; i < 4; i++) {
    MPI_Sendrecv(out, 40, MPI_INT, next, TAG, in, 40, MPI_INT, before, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 50, MPI_INT, before, TAG, next, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 40, MPI_INT, MPI_PROC_NULL, TAG, in, 40, MPI_INT, MPI_PROC_NULL, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  expect(next, 160, 4);
  expect(before, 200, 4);
}

#if MPI_VERSION >= 4
static void newer_sends(void)
{
  MPI_Request r[2];
  MPI_Isendrecv(out, 60, MPI_BYTE, next, TAG, in, 60, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Isendrecv_replace(out, 61, MPI_BYTE, next, TAG, before, TAG, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  expect(next, 60, 1);
  expect(next, 61, 1);
  MPI_Irecv_c(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r[0]);
  MPI_Send_c(out, 62, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Send_init_c(out, 63, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &r[1]);
  MPI_Irecv_c(in, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r[0]);
  MPI_Start(&r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Request_free(&r[1]);
  MPI_Sendrecv_c(out, 64, MPI_BYTE, next, TAG, in, 64, MPI_BYTE, before, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  for (int size = 62; size <= 64; size++) expect(next, size, 1);
}
#else
static void newer_sends(void) {}
#endif

static void empty_and_own(void)
{
  MPI_Request r = post_receive(before);
  MPI_Send(NULL, 0, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  expect(next, 0, 1);
  r = post_receive(rank);
  MPI_Send(out, 13, MPI_BYTE, rank, TAG, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  expect(rank, 13, 1);
}

/* A type's handle is used again for a type of another size. */
static void derived_types(void)
{
  for (int i = 0; i < 10; i++) {
    MPI_Datatype t;
    MPI_Type_vector(2 + i % 2, 3, 5, MPI_DOUBLE, &t);
    MPI_Type_commit(&t);
    MPI_Request r = post_receive(before);
    MPI_Send(out, 2, t, next, TAG, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
  }
  expect(next, 2 * 2 * 3 * 8, 5);
  expect(next, 2 * 3 * 3 * 8, 5);
  MPI_Request r = post_receive(before);
  MPI_Send(out, 4, MPI_DOUBLE_INT, next, TAG, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  expect(next, 4 * 12, 1);
}

/* Rank 0 of a communicator sends to its last one. */
static void send_within(MPI_Comm comm, int size, int last_in_world)
{
  int own, n;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &n);
  if (n == 1) return;
  if (own == 0) MPI_Send(out, size, MPI_BYTE, n - 1, TAG, comm);
  if (own == n - 1) receive(0, comm);
  if (own == 0) expect(last_in_world, size, 1);
}

static void communicators(void)
{
  MPI_Comm dup, half, dup_of_half, cart;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  send_within(dup, 20, ranks - 1);
  /* ranks reversed: the last one in it is the lowest of the parity in the world */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  send_within(half, 21, rank % 2);
  MPI_Comm_dup(half, &dup_of_half);
  MPI_Comm_free(&half);
  send_within(dup_of_half, 22, rank % 2);
  MPI_Comm_free(&dup_of_half);
  MPI_Comm_free(&dup);
  int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &cart);
  send_within(cart, 23, ranks - 1);
  MPI_Comm_free(&cart);
}

/* The handle comes back for other members: what was cached for it must be gone. */
static void communicators_used_again(void)
{
  for (int i = 0; i < 30; i++) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, i % 2 ? rank : -rank, &part);
    int low = rank < ranks / 2, first = low ? 0 : ranks / 2, end = low ? ranks / 2 : ranks;
    send_within(part, 24, i % 2 ? end - 1 : first);
    MPI_Comm_free(&part);
  }
}

static void intercommunicator(void)
{
  MPI_Comm part, inter;
  int low = rank < ranks / 2, own;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, low ? ranks / 2 : 0, 77, &inter);
  MPI_Comm_rank(part, &own);
  /* rank 0 here sends to rank 1 there */
  if (own == 0) MPI_Send(out, 31, MPI_BYTE, 1, TAG, inter);
  if (own == 0) expect(low ? ranks / 2 + 1 : 1, 31, 1);
  if (own == 1) receive(0, inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

/* What MPI refuses was not sent. */
static void refused(void)
{
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
  MPI_Request r;
  int wrong = MPI_Send(out, 1, MPI_BYTE, ranks, TAG, dup) == MPI_SUCCESS;
  wrong += MPI_Send(out, -1, MPI_BYTE, next, TAG, dup) == MPI_SUCCESS;
  wrong += MPI_Send(out, 1, MPI_BYTE, next, -99, dup) == MPI_SUCCESS; /* a tag cannot be that */
  wrong += MPI_Isend(out, 1, MPI_BYTE, next, -99, dup, &r) == MPI_SUCCESS;
  wrong += MPI_Send(out, 1, (MPI_Datatype)0, next, TAG, dup) == MPI_SUCCESS;
  wrong += MPI_Bcast(out, 1, MPI_INT, 99, dup) == MPI_SUCCESS;
  wrong += MPI_Ibcast(out, 1, MPI_INT, 99, dup, &r) == MPI_SUCCESS;
  if (wrong) fprintf(stderr, "truth: %d wrong calls were not refused\n", wrong);
  MPI_Comm_free(&dup);
}

/* Each thread sends sizes of its own, some of which others send too, to this same rank. */
static void *thread_main(void *number)
{
  int k = (int)(size_t)number, tag = 100 + k;
  char to[512], from[512];
  MPI_Request s, r;
  MPI_Send_init(to, 400 + k, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &s);
  for (int i = 0; i < 500; i++) {
    MPI_Irecv(from, 512, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &r);
    MPI_Send(to, 80 + (i + k) % 8, MPI_BYTE, rank, tag, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (i % 10) continue;
    MPI_Irecv(from, 512, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &r);
    MPI_Start(&s);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&s);
  expect(rank, 400 + k, 50);
  for (int size = 80; size < 88; size++)
    expect(rank, size, 62 + ((size - 80 - k + 8) % 8 < 4)); /* 500 = 62 * 8 + 4 */
  return NULL;
}

static void threads(int provided)
{
  pthread_t thread[THREADS];
  if (provided != MPI_THREAD_MULTIPLE) return;
  for (size_t k = 0; k < THREADS; k++) pthread_create(&thread[k], NULL, thread_main, (void *)k);
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
}

/* A child of fork leaves in the ordinary way, which must not disturb its parent's tables. */
static void forked_child(void)
{
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  int status;
  waitpid(pid, &status, 0);
}

/* Writes an expected collective, once: by the first of the list. */
static void expect_coll(const char *op, const int *list, int n, double bytes, int root, int count)
{
  if (rank != list[0]) return;
  fprintf(expected, "coll %s ", op);
  for (int i = 0; i < n; i++) fprintf(expected, "%s%d", i ? "," : "", list[i]);
  fprintf(expected, " %.0f ", bytes);
  if (root < 0)
    fprintf(expected, "- %d\n", count);
  else
    fprintf(expected, "%d %d\n", root, count);
}

static void rooted_collectives(MPI_Comm comm, const int *list, int n)
{
  int own, counts[n], displs[n];
  MPI_Comm_rank(comm, &own);
  for (int i = 0; i < n; i++) counts[i] = i + 1, displs[i] = i * 64;
  void *recv_in_place = own == 1 ? MPI_IN_PLACE : in;
  const void *send_in_place = own == 1 ? MPI_IN_PLACE : out;
  MPI_Bcast(out, 5, MPI_INT, 1, comm);
  MPI_Gather(send_in_place, 6, MPI_BYTE, in, 6, MPI_BYTE, 1, comm);
  MPI_Gatherv(out, own + 1, MPI_INT, in, counts, displs, MPI_INT, 0, comm);
  MPI_Scatter(out, 7, MPI_BYTE, recv_in_place, 7, MPI_BYTE, 1, comm);
  MPI_Scatterv(out, counts, displs, MPI_INT, in, own + 1, MPI_INT, 0, comm);
  MPI_Reduce(out, in, 8, MPI_INT, MPI_MAX, 0, comm);
  expect_coll("MPI_Bcast", list, n, 20, 1, 1);
  expect_coll("MPI_Gather", list, n, 6, 1, 1);
  expect_coll("MPI_Gatherv", list, n, (int)(4 * (n + 1) / 2.0 + 0.5), 0, 1);
  expect_coll("MPI_Scatter", list, n, 7, 1, 1);
  expect_coll("MPI_Scatterv", list, n, (int)(4 * (n + 1) / 2.0 + 0.5), 0, 1);
  expect_coll("MPI_Reduce", list, n, 32, 0, 1);
}

static void rootless_collectives(MPI_Comm comm, const int *list, int n)
{
  int own, counts[n], displs[n], sum = n * (n + 1) / 2;
  MPI_Datatype types[n];
  MPI_Comm_rank(comm, &own);
  for (int i = 0; i < n; i++) counts[i] = i + 1, displs[i] = i * 64, types[i] = MPI_BYTE;
  MPI_Barrier(comm);
  MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, comm);
  MPI_Allgatherv(out, own + 1, MPI_BYTE, in, counts, displs, MPI_BYTE, comm);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  for (int i = 0; i < n; i++) counts[i] = 9;
  MPI_Alltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, comm);
  MPI_Alltoallw(out, counts, displs, types, in, counts, displs, types, comm);
  for (int i = 0; i < 3; i++) MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, comm);
  MPI_Scan(out, in, 5, MPI_INT, MPI_MAX, comm);
  MPI_Exscan(out, in, 6, MPI_INT, MPI_MAX, comm);
  for (int i = 0; i < n; i++) counts[i] = i + 1;
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_MAX, comm);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_MAX, comm);
  expect_coll("MPI_Barrier", list, n, 0, -1, 1);
  expect_coll("MPI_Allgather", list, n, 12, -1, 1);
  expect_coll("MPI_Allgatherv", list, n, (int)((n + 1) / 2.0 + 0.5), -1, 1);
  expect_coll("MPI_Alltoall", list, n, 8.0 * n, -1, 1);
  expect_coll("MPI_Alltoallv", list, n, 9.0 * n, -1, 1);
  expect_coll("MPI_Alltoallw", list, n, 9.0 * n, -1, 1);
  expect_coll("MPI_Allreduce", list, n, 16, -1, 3);
  expect_coll("MPI_Scan", list, n, 20, -1, 1);
  expect_coll("MPI_Exscan", list, n, 24, -1, 1);
  expect_coll("MPI_Reduce_scatter", list, n, 4.0 * sum, -1, 1);
  expect_coll("MPI_Reduce_scatter_block", list, n, 8.0 * n, -1, 1);
}

static void nonblocking_collectives(MPI_Comm comm, const int *list, int n)
{
  MPI_Request r[3];
  MPI_Ibarrier(comm, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Ibcast(out, 5, MPI_INT, 0, comm, &r[0]);
  MPI_Iallreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, comm, &r[1]);
  MPI_Ialltoall(out + ROOM / 2, 2, MPI_INT, in + ROOM / 2, 2, MPI_INT, comm, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  expect_coll("MPI_Ibarrier", list, n, 0, -1, 1);
  expect_coll("MPI_Ibcast", list, n, 20, 0, 1);
  expect_coll("MPI_Iallreduce", list, n, 16, -1, 1);
  expect_coll("MPI_Ialltoall", list, n, 8.0 * n, -1, 1);
}

/* On a communicator with ranks of one parity, in reverse order. */
static void collectives(void)
{
  MPI_Comm half;
  int list[ranks], n = 0;
  for (int r = ranks - 1; r >= 0; r--)
    if (r % 2 == rank % 2) list[n++] = r;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  rooted_collectives(half, list, n);
  rootless_collectives(half, list, n);
  nonblocking_collectives(half, list, n);
  MPI_Comm_free(&half);
}

/* bytes of all ranks together as their mean, for neighbourhood collectives of all ranks */
static void expect_mean(const char *op, int bytes)
{
  int list[ranks];
  for (int i = 0; i < ranks; i++) list[i] = i;
  expect_coll(op, list, ranks, (bytes + ranks / 2) / ranks, -1, 1);
}

/* A call's message to each end of a row that there is. */
static void expect_row(int down, int up)
{
  if (rank > 0) expect(rank - 1, down, 1);
  if (rank < ranks - 1) expect(rank + 1, up, 1);
}

/* On a row, whose ends have one neighbour. */
static void on_a_row(MPI_Comm row)
{
  MPI_Comm plain;
  MPI_Request q;
  int pairs = 2 * (ranks - 1), two[] = {1, 1}, one[] = {1, 2}, displs[] = {0, 64};
  MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, row);
  expect_mean("MPI_Neighbor_allgather", 12 * pairs);
  expect_row(12, 12);
  MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, two, displs, MPI_INT, row);
  expect_mean("MPI_Neighbor_allgatherv", 4 * pairs);
  expect_row(4, 4);
  /* what goes up to a neighbour comes from below there */
  int received[] = {2, 1};
  MPI_Neighbor_alltoallv(out, one, displs, MPI_INT, in, received, displs, MPI_INT, row);
  expect_mean("MPI_Neighbor_alltoallv", 4 * 3 * (ranks - 1));
  expect_row(4, 8);
#if MPI_VERSION >= 4
  MPI_Aint places[] = {0, 64};
  MPI_Count many[] = {1, 2}, back[] = {2, 1};
  MPI_Neighbor_alltoallv_c(out, many, places, MPI_INT, in, back, places, MPI_INT, row);
  expect_mean("MPI_Neighbor_alltoallv_c", 4 * 3 * (ranks - 1));
  expect_row(4, 8);
#endif
  MPI_Comm_idup(row, &plain, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Ineighbor_allgather(out, 3, MPI_BYTE, in, 3, MPI_BYTE, plain, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  expect_mean("MPI_Ineighbor_allgather", 3 * pairs);
  expect_row(3, 3);
  MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
  if (MPI_Neighbor_alltoall(out, -1, MPI_BYTE, in, -1, MPI_BYTE, plain) == MPI_SUCCESS)
    fprintf(stderr, "truth: a wrong neighbourhood collective was not refused\n");
  MPI_Comm_free(&plain);
}

/* On a ring where each sends to the next two, one of them twice, and to itself. */
static void on_a_ring(void)
{
  MPI_Comm ring;
  MPI_Request q;
  int far = (rank + 2) % ranks, from_far = (rank + ranks - 2) % ranks;
  int from[] = {before, from_far, before, rank}, to[] = {next, far, next, rank};
  int counts[] = {1, 2, 3, 4};
  MPI_Aint places[] = {0, 64, 128, 192};
  MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_BYTE, MPI_INT};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, from, MPI_UNWEIGHTED, 4, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_alltoall(out, 5, MPI_BYTE, in, 5, MPI_BYTE, ring);
  expect_mean("MPI_Neighbor_alltoall", 20 * ranks);
  MPI_Ineighbor_alltoall(out, 6, MPI_BYTE, in, 6, MPI_BYTE, ring, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  expect_mean("MPI_Ineighbor_alltoall", 24 * ranks);
  for (int size = 5; size <= 6; size++) {
    expect(next, size, 2);
    expect(far, size, 1);
    expect(rank, size, 1);
  }
  MPI_Neighbor_alltoallw(out, counts, places, types, in, counts, places, types, ring);
  expect_mean("MPI_Neighbor_alltoallw", 28 * ranks);
  expect(next, 1, 1);
  expect(far, 8, 1);
  expect(next, 3, 1);
  expect(rank, 16, 1);
  MPI_Comm_free(&ring);
}

/* On a graph: a star around the last rank, in an order of ranks that is reversed. */
static void on_a_graph(void)
{
  MPI_Comm reversed, star;
  int index[ranks], edges[2 * ranks], n = 0, own;
  for (int r = 1; r < ranks; r++) edges[n++] = r;
  index[0] = n;
  for (int r = 1; r < ranks; r++) edges[n++] = 0, index[r] = n;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Graph_create(reversed, ranks, index, edges, 0, &star);
  MPI_Comm_rank(star, &own);
  MPI_Neighbor_allgather(out, 50, MPI_BYTE, in, 50, MPI_BYTE, star);
  int list[ranks];
  for (int r = 0; r < ranks; r++) list[r] = ranks - 1 - r;
  expect_coll("MPI_Neighbor_allgather", list, ranks, (100 * (ranks - 1) + ranks / 2) / ranks, -1,
              1);
  if (own) expect(ranks - 1, 50, 1);
  for (int r = 0; !own && r < ranks - 1; r++) expect(r, 50, 1);
  MPI_Comm_free(&star);
  MPI_Comm_free(&reversed);
}

static void neighbourhoods(void)
{
  MPI_Comm row;
  int open_ended = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open_ended, 0, &row);
  on_a_row(row);
  MPI_Comm_free(&row);
  on_a_ring();
  on_a_graph();
}

#if MPI_VERSION >= 4
/* Each is a call, and messages to neighbours, whenever it is started. */
static void persistent_collectives(void)
{
  MPI_Request r[4];
  MPI_Comm row;
  int list[ranks], closed = 0, counts[] = {1, 2}, back[] = {2, 1}, displs[] = {0, 64};
  for (int i = 0; i < ranks; i++) list[i] = i;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &closed, 0, &row);
  MPI_Bcast_init(out, 70, MPI_BYTE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Allreduce_init(MPI_IN_PLACE, in, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Neighbor_alltoallv_init(out, counts, displs, MPI_INT, in, back, displs, MPI_INT, row,
                              MPI_INFO_NULL, &r[2]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[3]); /* never started */
  for (int i = 0; i < 3; i++) {
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Startall(2, r + 1);
    MPI_Waitall(2, r + 1, MPI_STATUSES_IGNORE);
    expect_row(4, 8);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&r[i]);
  expect_coll("MPI_Bcast_init", list, ranks, 70, 1, 3);
  expect_coll("MPI_Allreduce_init", list, ranks, 12, -1, 3);
  expect_coll("MPI_Neighbor_alltoallv_init", list, ranks, (12 * (ranks - 1) + ranks / 2) / ranks,
              -1, 3);
  MPI_Comm_free(&row);
}

/* Each partition is a message when it is ready. */
static void partitioned_sends(void)
{
  MPI_Request s, r;
  int some[] = {4, 0};
  MPI_Psend_init(out, 6, 10, MPI_INT, next, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &s);
  MPI_Precv_init(in, 6, 10, MPI_INT, before, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&r);
    MPI_Start(&s);
    MPI_Pready(5, s);
    MPI_Pready_range(1, 3, s);
    MPI_Pready_list(2, some, s);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  expect(next, 40, 12);
  MPI_Request_free(&s);
  MPI_Request_free(&r);
}
#else
static void persistent_collectives(void) {}
static void partitioned_sends(void) {}
#endif

/* Both groups of an intercommunicator; the root is in the lower one. */
static void on_an_intercommunicator(int n_low)
{
  MPI_Comm part, inter;
  int low = rank < n_low, own, list[ranks];
  for (int i = 0; i < ranks; i++) list[i] = i;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, low ? n_low : 0, 78, &inter);
  MPI_Comm_rank(part, &own);
  int root = !low ? 1 : own == 1 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(out, 45, MPI_BYTE, root, inter);
  expect_coll("MPI_Bcast", list, ranks, 45, 1, 1);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

/* The same members in other groups are another communicator. */
static void intercommunicator_collectives(void)
{
  int list[ranks];
  for (int i = 0; i < ranks; i++) list[i] = i;
  expect_coll("MPI_Barrier", list, ranks, 0, -1, barriers);
  on_an_intercommunicator(ranks / 2);
  on_an_intercommunicator(ranks - 1);
}

static void expect_rma(int win, const char *sync, const char *op, int target, int size, int count)
{
  fprintf(expected, "rma %d %d %s MPI_%s %d %d %d\n", rank, win, sync, op, target, size, count);
}

static void expect_epochs(int win, const char *sync, const char *op, int count)
{
  fprintf(expected, "epochs %d %d %s MPI_%s %d\n", rank, win, sync, op, count);
}

/* Three fences with 1, 2 and 3 puts between them and one with none; an accumulation in one of them;
 * one that MPI refuses, in an epoch of its own. */
static void fences(MPI_Win win, int number)
{
  int x = 7, wrong = 0;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k <= i && i < 3; k++) {
      MPI_Put(out, 8, MPI_BYTE, next, 64 * rank, 8, MPI_BYTE, win);
      MPI_Put(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, 8, MPI_BYTE, win);
    }
    if (i == 1) MPI_Accumulate(&x, 1, MPI_INT, before, 512, 1, MPI_INT, MPI_SUM, win);
    if (i == 3) wrong += MPI_Get(in, -1, MPI_BYTE, next, 0, -1, MPI_BYTE, win) == MPI_SUCCESS;
    if (i == 3) wrong += MPI_Put(out, 1, MPI_BYTE, ranks, 0, 1, MPI_BYTE, win) == MPI_SUCCESS;
    MPI_Win_fence(i < 3 ? 0 : MPI_MODE_NOSUCCEED, win);
  }
  if (wrong) fprintf(stderr, "truth: %d wrong operations were not refused\n", wrong);
  expect_rma(number, "fence", "Put", next, 8, 6);
  expect_rma(number, "fence", "Accumulate", before, 4, 1);
  expect_epochs(number, "fence", "Put", 3);
  expect_epochs(number, "fence", "Accumulate", 1);
}

static void starts_and_posts(MPI_Win win, int number)
{
  MPI_Group all, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &before, &from);
  for (int i = 0; i < 2; i++) {
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    for (int k = 0; k < 3; k++)
      MPI_Put(out, 20 + k % 2, MPI_BYTE, next, 64 * rank, 20 + k % 2, MPI_BYTE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
  }
  expect_rma(number, "pscw", "Put", next, 20, 4);
  expect_rma(number, "pscw", "Put", next, 21, 2);
  expect_epochs(number, "pscw", "Put", 2);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&all);
}

/* Each target that is locked has epochs of its own. */
static void locks(MPI_Win win, int number)
{
  for (int i = 0; i < 4; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, before, 0, win);
    for (int k = 0; k < 3; k++) {
      int to = k == 1 ? before : next;
      MPI_Put(out, 5, MPI_INT, to, 64 * rank, 5, MPI_INT, win);
      MPI_Win_flush(to, win); /* ends no epoch */
    }
    if (i % 2) MPI_Get(in, 9, MPI_BYTE, next, 0, 9, MPI_BYTE, win);
    MPI_Win_unlock(next, win);
    MPI_Win_unlock(before, win);
  }
  expect_rma(number, "lock", "Put", next, 20, 8);
  expect_rma(number, "lock", "Put", before, 20, 4);
  expect_rma(number, "lock", "Get", next, 9, 2);
  expect_epochs(number, "lock", "Put", 8);
  expect_epochs(number, "lock", "Get", 2);
}

/* Every operation in two epochs in which all are locked, one of them to the rank itself. */
static void all_locked(MPI_Win win, int number)
{
  static const char *const ops[] = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"};
  static const char *const others[] = {"Get_accumulate", "Fetch_and_op", "Compare_and_swap"};
  long x = 1, y = 2, z;
  MPI_Request r[4];
  for (int i = 0; i < 2; i++) {
    int to = i ? rank : next;
    MPI_Win_lock_all(0, win);
    MPI_Rput(out, 40, MPI_BYTE, to, 64 * rank, 40, MPI_BYTE, win, &r[0]);
    MPI_Rget(in, 41, MPI_BYTE, to, 64 * rank, 41, MPI_BYTE, win, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Raccumulate(out, 5, MPI_LONG, to, 1024, 5, MPI_LONG, MPI_SUM, win, &r[2]);
    MPI_Rget_accumulate(out, 5, MPI_LONG, in, 5, MPI_LONG, to, 1024, 5, MPI_LONG, MPI_SUM, win,
                        &r[3]);
    MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, in, 5, MPI_LONG, to, 1024, 5, MPI_LONG, MPI_NO_OP, win);
    MPI_Fetch_and_op(&x, &z, MPI_LONG, to, 1024, MPI_SUM, win);
    MPI_Compare_and_swap(&x, &y, &z, MPI_LONG, to, 1024, win);
    MPI_Win_unlock_all(win);
    for (int k = 0; k < 4; k++) expect_rma(number, "lock_all", ops[k], to, k < 2 ? 40 + k : 40, 1);
    for (int k = 0; k < 3; k++) expect_rma(number, "lock_all", others[k], to, k ? 8 : 40, 1);
  }
  for (int k = 0; k < 4; k++) expect_epochs(number, "lock_all", ops[k], 2);
  for (int k = 0; k < 3; k++) expect_epochs(number, "lock_all", others[k], 2);
}

/* The address of what a rank attached is the neighbour's to know. */
static void on_a_dynamic_window(MPI_Win win, int number)
{
  MPI_Aint own, there;
  MPI_Win_attach(win, in, ROOM);
  MPI_Get_address(in, &own);
  MPI_Sendrecv(&own, 1, MPI_AINT, before, TAG, &there, 1, MPI_AINT, next, TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect(before, sizeof own, 1);
  MPI_Win_fence(0, win);
  MPI_Put(out, 30, MPI_BYTE, next, there, 30, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, in);
  expect_rma(number, "fence", "Put", next, 30, 1);
  expect_epochs(number, "fence", "Put", 1);
}

/* Ranks of one parity in reverse order: two windows, which the trace has in the order of their
 * first ranks. */
static void on_halves(int number)
{
  MPI_Comm half;
  MPI_Win win;
  int own, n;
  void *base;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &n);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, half, &base, &win);
  MPI_Win_fence(0, win);
  if (own == 0) MPI_Put(out, 33, MPI_BYTE, n - 1, 0, 33, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  number += rank % 2 == (ranks - 1) % 2; /* those of the last rank, which is their first */
  if (own == 0) expect_rma(number, "fence", "Put", rank % 2, 33, 1);
  if (own == 0) expect_epochs(number, "fence", "Put", 1);
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
}

/* On windows that were made in all ways; the handle comes back for another one. */
static void one_sided(void)
{
  static char memory[4096];
  MPI_Win win;
  void *base;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  fences(win, 0);
  starts_and_posts(win, 0);
  MPI_Win_free(&win);
  MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  locks(win, 1);
  all_locked(win, 1);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  fences(win, 2);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  on_a_dynamic_window(win, 3);
  MPI_Win_free(&win);
  on_halves(4);
}

/* MPI-IO, of which the trace has names and numbers of calls. */
static void files(const char *path)
{
  char name[512];
  MPI_File file;
  MPI_Request q;
  snprintf(name, sizeof name, "%s-io", path);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  for (int i = 0; i < 3; i++)
    MPI_File_write_at_all(file, 64 * rank, out, 16, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, 64 * rank, in, 64, MPI_BYTE, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 64 * rank, out, 16, MPI_INT);
  MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  fprintf(expected, "unmodelled MPI_File_write_at_all 3\n");
  fprintf(expected, "unmodelled MPI_File_iread_at 1\n");
  fprintf(expected, "unmodelled MPI_File_write_at_all_begin 1\n");
}

/* One line of a program sends more sizes to one rank than a trace keeps apart. */
static void many_sizes(void)
{
  enum { WINDOW = 15 }; /* messages on their way: the processes may share a core */
  for (int i = 0; i < 3000; i += WINDOW) {
    MPI_Request r[2 * WINDOW];
    for (int k = 0; k < WINDOW; k++)
      MPI_Irecv(in + k * 4096, 4096, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &r[k]);
    for (int k = 0; k < WINDOW; k++)
      MPI_Isend(out, (i + k) % 1000 * 7 % 4001, MPI_BYTE, next, TAG, MPI_COMM_WORLD,
                &r[WINDOW + k]);
    MPI_Waitall(2 * WINDOW, r, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 1000; i++) expect(next, i * 7 % 4001, 3);
}

static jmp_buf out_of_mpi;

static void leave_mpi(MPI_Comm *comm, int *code, ...)
{
  (void)comm, (void)code;
  longjmp(out_of_mpi, 1);
}

/* An error handler leaves the MPI call by a jump, as an exception would. */
static void left_by_a_jump(void)
{
  MPI_Errhandler handler;
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_create_errhandler(leave_mpi, &handler);
  MPI_Comm_set_errhandler(dup, handler);
  for (int i = 0; i < 3; i++) {
    if (setjmp(out_of_mpi) == 0) MPI_Send(out, 1, MPI_BYTE, ranks, TAG, dup);
    MPI_Sendrecv(out, 17, MPI_BYTE, next, TAG, in, 17, MPI_BYTE, before, TAG, dup,
                 MPI_STATUS_IGNORE);
    if (setjmp(out_of_mpi) == 0) MPI_Send(out, 1, MPI_BYTE, ranks, TAG, dup);
    derived_types(); /* further down the stack */
  }
  expect(next, 17, 3);
}

static void every_kind(int provided, const char *path)
{
  static char buffer[1 << 20];
  void *detached;
  int size;
  MPI_Buffer_attach(buffer, sizeof buffer);
  blocking_sends();
  nonblocking_sends();
  cancelled_sends();
  persistent_sends();
  started_together();
  freed_under_way();
  handles_used_again();
  combined_sends();
  newer_sends();
  empty_and_own();
  derived_types();
  communicators();
  communicators_used_again();
  intercommunicator();
  forked_child();
  refused();
  threads(provided);
  collectives();
  neighbourhoods();
  persistent_collectives();
  partitioned_sends();
  one_sided();
  files(path);
  intercommunicator_collectives();
  MPI_Buffer_detach(&detached, &size);
}

int main(int argc, char **argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  before = (rank + ranks - 1) % ranks;
  char path[512];
  snprintf(path, sizeof path, "%s.%d", argv[1], rank);
  if (ranks < 4 || !(expected = fopen(path, "w"))) MPI_Abort(MPI_COMM_WORLD, 1);
  if (argc > 2 && strcmp(argv[2], "sizes") == 0)
    many_sizes();
  else if (argc > 2 && strcmp(argv[2], "jump") == 0)
    left_by_a_jump();
  else
    every_kind(provided, argv[1]);
  fclose(expected);
  MPI_Finalize();
  return 0;
}
