/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose traffic is known: each rank does every kind of send and writes beside it what a
 * trace has to hold, as lines
 *     p2p SRC DST SIZE COUNT          in ranks of MPI_COMM_WORLD
 *     coll OP RANKS BYTES ROOT COUNT  ranks separated by commas, root - for none
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

/* On a row, whose ends have one neighbour, and on a ring where each sends to the next two. */
static void neighbourhoods(void)
{
  MPI_Comm row, ring, plain;
  MPI_Request q;
  int open_ended = 0, pairs = 2 * (ranks - 1), two[] = {1, 1}, one[] = {1, 2}, displs[] = {0, 64};
  int from[] = {before, (rank + ranks - 2) % ranks}, to[] = {next, (rank + 2) % ranks};
  MPI_Aint places[] = {0, 64};
  MPI_Datatype types[] = {MPI_BYTE, MPI_INT};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open_ended, 0, &row);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, row);
  expect_mean("MPI_Neighbor_allgather", 12 * pairs);
  MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, two, displs, MPI_INT, row);
  expect_mean("MPI_Neighbor_allgatherv", 4 * pairs);
  MPI_Neighbor_alltoall(out, 5, MPI_BYTE, in, 5, MPI_BYTE, ring);
  expect_mean("MPI_Neighbor_alltoall", 10 * ranks);
  /* what goes up to a neighbour comes from below there */
  int received[] = {2, 1};
  MPI_Neighbor_alltoallv(out, one, displs, MPI_INT, in, received, displs, MPI_INT, row);
  expect_mean("MPI_Neighbor_alltoallv", 4 * 3 * (ranks - 1));
  MPI_Neighbor_alltoallw(out, one, places, types, in, one, places, types, ring);
  expect_mean("MPI_Neighbor_alltoallw", 9 * ranks);
  MPI_Ineighbor_alltoall(out, 6, MPI_BYTE, in, 6, MPI_BYTE, ring, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  expect_mean("MPI_Ineighbor_alltoall", 12 * ranks);
#if MPI_VERSION >= 4
  MPI_Count many[] = {1, 2}, back[] = {2, 1};
  MPI_Neighbor_alltoallv_c(out, many, places, MPI_INT, in, back, places, MPI_INT, row);
  expect_mean("MPI_Neighbor_alltoallv_c", 4 * 3 * (ranks - 1));
#endif
  MPI_Comm_idup(row, &plain, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Ineighbor_allgather(out, 3, MPI_BYTE, in, 3, MPI_BYTE, plain, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  expect_mean("MPI_Ineighbor_allgather", 3 * pairs);
  MPI_Comm_free(&plain);
  MPI_Comm_free(&row);
  MPI_Comm_free(&ring);
}

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

static void every_kind(int provided)
{
  static char buffer[1 << 20];
  void *detached;
  int size;
  MPI_Buffer_attach(buffer, sizeof buffer);
  blocking_sends();
  nonblocking_sends();
  persistent_sends();
  started_together();
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
    every_kind(provided);
  fclose(expected);
  MPI_Finalize();
  return 0;
}
