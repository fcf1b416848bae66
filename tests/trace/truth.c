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
#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

int rank, ranks, next, before, barriers;
char out[ROOM], in[ROOM];
FILE *expected;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void expect(int dst, long size, long count)
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
#if MPI_VERSION >= 4
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
static void partitioned_sends(void) {}
#endif

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
