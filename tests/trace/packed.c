/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives datatypes of every kind, in every way. Each rank writes FILE.RANK: a line SIDE
 * FUNCTION SIZE PIECES SPAN for each message whose data aren't contiguous. packed.sh compares them
 * with the trace.
 *
 *   packed FILE            all of them
 *   packed FILE deep       a datatype that is too deep for the tracer
 *   packed FILE many N     N layouts */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "packed_types.h"

enum { THREADS = 4 };
static char other[ROOM];
static FILE *log_file;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rank, ranks;

static void expect(const char *side, const char *function, long size, long pieces, long span)
{
  if (pieces < 2) return;
  pthread_mutex_lock(&mutex);
  fprintf(log_file, "%d %s MPI_%s %ld %ld %ld\n", rank, side, function, size, pieces, span);
  pthread_mutex_unlock(&mutex);
}

static void every_datatype(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MPI_Datatype t = cases[i].make();
    void *at = cases[i].bottom ? MPI_BOTTOM : room + MIDDLE;
    MPI_Request request;
    if (!cases[i].own) t = committed(t);
    MPI_Irecv(other, (int)cases[i].size, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(at, cases[i].count, t, rank, 1, MPI_COMM_WORLD);
    expect("sends", "Send", cases[i].size, cases[i].pieces, cases[i].span);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!cases[i].only_sent) {
      MPI_Isend(other, (int)cases[i].size, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request);
      MPI_Recv(at, cases[i].count, t, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect("receives", "Recv", cases[i].size, cases[i].pieces, cases[i].span);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (!cases[i].own) MPI_Type_free(&t);
  }
}

/* The vector of every_function. */
#define SENT(function)     expect("sends", #function, 24, 3, 40)
#define RECEIVED(function) expect("receives", #function, 24, 3, 40)

static void every_send(MPI_Datatype v, int to)
{
  const int from = (rank + ranks - 1) % ranks;
  MPI_Request request;
#define ONE(function, call)                                                                        \
  MPI_Irecv(other, 24, MPI_BYTE, from, 2, MPI_COMM_WORLD, &request);                               \
  MPI_Barrier(MPI_COMM_WORLD);                                                                     \
  call;                                                                                            \
  SENT(function);                                                                                  \
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#define BLOCKING(function) ONE(function, MPI_##function(room, 1, v, to, 2, MPI_COMM_WORLD))
#define LATER(function)                                                                            \
  ONE(function, MPI_Request r; MPI_##function(room, 1, v, to, 2, MPI_COMM_WORLD, &r);              \
      MPI_Wait(&r, MPI_STATUS_IGNORE))
  BLOCKING(Send)
  BLOCKING(Bsend) BLOCKING(Ssend)
      BLOCKING(Rsend){LATER(Isend)} {LATER(Ibsend)} {LATER(Issend)} {LATER(Irsend)}
#if MPI_VERSION >= 4
  ONE(Send_c, MPI_Send_c(room, 1, v, to, 2, MPI_COMM_WORLD))
#endif
}

static void every_receive(MPI_Datatype v, int from)
{
  const int to = (rank + 1) % ranks;
  MPI_Message message;
  MPI_Request request, r;
#define SEND_ONE MPI_Isend(other, 24, MPI_BYTE, to, 3, MPI_COMM_WORLD, &request);
#define WAIT_ONE MPI_Wait(&request, MPI_STATUS_IGNORE);
  SEND_ONE
  MPI_Recv(room, 1, v, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  RECEIVED(Recv);
  WAIT_ONE
  SEND_ONE
  MPI_Recv(room, 1, v, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  RECEIVED(Recv);
  WAIT_ONE
  SEND_ONE
  MPI_Irecv(room, 2, v, from, 3, MPI_COMM_WORLD, &r); /* as it is posted */
  expect("receives", "Irecv", 48, 5, 80);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  WAIT_ONE
  SEND_ONE
  MPI_Mprobe(from, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(room, 1, v, &message, MPI_STATUS_IGNORE);
  RECEIVED(Mrecv);
  WAIT_ONE
  SEND_ONE
  MPI_Mprobe(from, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(room, 1, v, &message, &r);
  RECEIVED(Imrecv);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  WAIT_ONE
#if MPI_VERSION >= 4
  SEND_ONE
  MPI_Recv_c(room, 1, v, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  RECEIVED(Recv_c);
  WAIT_ONE
#endif
}

static void both_ways(MPI_Datatype v, int to, int from)
{
  MPI_Datatype s = committed(make_struct());
  MPI_Sendrecv(room, 1, v, to, 4, other, 2, s, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SENT(Sendrecv);
  expect("receives", "Sendrecv", 24, 3, 32);
  MPI_Sendrecv(room, 24, MPI_BYTE, to, 4, other, 2, s, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect("receives", "Sendrecv", 24, 3, 32);
  MPI_Sendrecv(room, 1, v, to, 4, other, 24, MPI_BYTE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SENT(Sendrecv);
  MPI_Sendrecv_replace(room, 1, v, to, 4, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SENT(Sendrecv_replace);
  RECEIVED(Sendrecv_replace);
#if MPI_VERSION >= 4
  /* MPICH 4.0 frees the datatypes of these, whoever needs them */
  MPI_Request r;
  MPI_Datatype last = committed(make_vector());
  MPI_Isendrecv(room, 1, committed(make_vector()), to, 4, other, 2, s, from, 4, MPI_COMM_WORLD, &r);
  SENT(Isendrecv);
  expect("receives", "Isendrecv", 24, 3, 32);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Isendrecv_replace(room, 1, last, to, 4, from, 4, MPI_COMM_WORLD, &r);
  SENT(Isendrecv_replace);
  RECEIVED(Isendrecv_replace);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
#else
  MPI_Type_free(&s);
#endif
}

/* The datatypes are freed before the requests are started. */
static void persistent(void)
{
  static const struct {
    int (*init)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    const char *name;
  } sends[] = {{MPI_Send_init, "Send_init"},
               {MPI_Bsend_init, "Bsend_init"},
               {MPI_Ssend_init, "Ssend_init"},
               {MPI_Rsend_init, "Rsend_init"}};
  for (int k = 0; k < 4; k++) {
    MPI_Datatype v = committed(make_vector()), h = committed(make_hindexed_block());
    MPI_Request r[3];
    MPI_Recv_init(other, 1, h, rank, 5, MPI_COMM_WORLD, &r[0]);
    sends[k].init(room, 1, v, rank, 5, MPI_COMM_WORLD, &r[1]);
    MPI_Recv_init(other, 1, v, rank, 6, MPI_COMM_WORLD, &r[2]); /* never started */
    MPI_Type_free(&v);
    MPI_Type_free(&h);
    for (int i = 0; i < 3; i++) {
      if (i == 2) {
        MPI_Startall(2, r);
      } else {
        MPI_Start(&r[0]);
        MPI_Start(&r[1]);
      }
      MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
      expect("sends", sends[k].name, 24, 3, 40);
      expect("receives", "Recv_init", 24, 3, 28);
    }
    for (int i = 0; i < 3; i++) MPI_Request_free(&r[i]);
  }
}

/* New datatypes have the handles of freed ones. */
static void reused_handles(void)
{
  for (int i = 1; i <= 60; i++) {
    MPI_Request request;
    MPI_Datatype t = committed(vector(i % 7 + 2, i % 3 + 1, i % 3 ? i % 3 + 2 : 1, MPI_INT));
    long length = i % 3 + 1, blocks = i % 7 + 2, stride = i % 3 ? i % 3 + 2 : 1;
    MPI_Irecv(other, (int)(4 * length * blocks), MPI_BYTE, rank, 7, MPI_COMM_WORLD, &request);
    MPI_Send(room, 1, t, rank, 7, MPI_COMM_WORLD);
    expect("sends", "Send", 4 * length * blocks, stride == length ? 1 : blocks,
           4 * (stride * (blocks - 1) + length));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
  }
}

static void nothing_to_count(MPI_Datatype v)
{
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Request r;
  MPI_Datatype raw = make_indexed();
  MPI_Send(room, 1, v, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
  MPI_Recv(room, 1, v, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(room, 1, v, MPI_PROC_NULL, 8, room, 1, v, MPI_PROC_NULL, 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Mrecv(room, 1, v, &message, MPI_STATUS_IGNORE);
  MPI_Recv_init(room, 1, v, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Request_free(&r);
  /* calls that fail: with a wrong tag, or a datatype that isn't committed */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int failed = 0;
  failed += MPI_Send(room, 1, v, rank, -77, MPI_COMM_WORLD) != MPI_SUCCESS;
  failed += MPI_Isend(room, 1, v, rank, -77, MPI_COMM_WORLD, &r) != MPI_SUCCESS;
  failed += MPI_Recv(room, 1, v, rank, -77, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failed += MPI_Irecv(room, 1, v, rank, -77, MPI_COMM_WORLD, &r) != MPI_SUCCESS;
  failed += MPI_Recv_init(room, 1, v, rank, -77, MPI_COMM_WORLD, &r) != MPI_SUCCESS;
  failed += MPI_Sendrecv(room, 1, v, rank, -77, other, 1, v, rank, -77, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failed += MPI_Send(room, 1, raw, rank, 8, MPI_COMM_WORLD) != MPI_SUCCESS;
  failed += MPI_Irecv(room, 1, raw, rank, 8, MPI_COMM_WORLD, &r) != MPI_SUCCESS;
  failed += MPI_Recv(room, 1, MPI_DATATYPE_NULL, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS;
  if (failed != 9) printf("%d calls failed, expected 9\n", failed);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&raw);
  MPI_Pcontrol(0);
  MPI_Recv_init(other, 1, v, rank, 8, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  MPI_Send(room, 1, v, rank, 8, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Pcontrol(1);
  MPI_Request_free(&r);
}

/* Each thread has datatypes of its own, and one of all. */
static void *in_thread(void *of_all)
{
  static int number;
  const MPI_Datatype all = *(MPI_Datatype *)of_all;
  pthread_mutex_lock(&mutex);
  const int self = number++;
  pthread_mutex_unlock(&mutex);
  char *from = room + 4096 * self, *to = other + 4096 * self;
  for (int i = 0; i < 50; i++) {
    MPI_Request r[2];
    MPI_Datatype t = committed(vector(2 + self, 1, 2 + i % 3, MPI_INT));
    MPI_Irecv(to, 1, all, rank, 100 + self, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(to + 2048, 1, t, rank, 200 + self, MPI_COMM_WORLD, &r[1]);
    MPI_Send(from, 24, MPI_BYTE, rank, 100 + self, MPI_COMM_WORLD);
    MPI_Send(from, 1, t, rank, 200 + self, MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    expect("receives", "Irecv", 24, 3, 40);
    expect("receives", "Irecv", 4 * (2 + self), 2 + self, 4 * ((1 + self) * (2 + i % 3) + 1));
    expect("sends", "Send", 4 * (2 + self), 2 + self, 4 * ((1 + self) * (2 + i % 3) + 1));
    MPI_Type_free(&t);
  }
  return NULL;
}

static void in_threads(MPI_Datatype v)
{
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, in_thread, &v);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

/* So many layouts, each once. */
static void many_layouts(int n)
{
  for (int i = 0; i < n; i++) {
    MPI_Request r;
    MPI_Datatype t = committed(hvector(2, 1, 8 + i, MPI_INT));
    MPI_Irecv(other, 8, MPI_BYTE, rank, 9, MPI_COMM_WORLD, &r);
    MPI_Send(room, 1, t, rank, 9, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
  }
}

static void too_deep(void)
{
  MPI_Request r;
  MPI_Datatype t = committed(deep(40));
  MPI_Irecv(other, 1, t, rank, 9, MPI_COMM_WORLD, &r);
  MPI_Send(room, 1, t, rank, 9, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Type_free(&t);
}

static void everything(int level)
{
  static char buffer[1 << 16];
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Datatype v = committed(make_vector());
  every_datatype();
  every_send(v, (rank + 1) % ranks);
  every_receive(v, (rank + ranks - 1) % ranks);
  both_ways(v, (rank + 1) % ranks, (rank + ranks - 1) % ranks);
  persistent();
  reused_handles();
  nothing_to_count(v);
  if (level == MPI_THREAD_MULTIPLE) in_threads(v);
  MPI_Type_free(&v);
  MPI_Buffer_detach(&(void *){NULL}, &(int){0});
}

int main(int argc, char **argv)
{
  int level;
  char name[256];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  log_file = fopen(name, "w");
  if (argc > 3)
    many_layouts(atoi(argv[3]));
  else if (argc > 2)
    too_deep();
  else
    everything(level);
  fclose(log_file);
  MPI_Finalize();
  return 0;
}
