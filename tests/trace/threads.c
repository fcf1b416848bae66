/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that do everything at once that the tracer has to tell apart or share:
 *   threads THREADS ROUNDS LIBRARY PHASES FILE
 * for two ranks. Each thread of one rank talks to that of the other with its number, on
 * communicators, requests, types and windows of its own, and loads a library that sends. Meanwhile
 * threads come and go that send once, until there is the file. With PHASES 1 each thread changes
 * the phase. Each rank prints what the trace has to have, as acp.py does: of windows only what was
 * put, and where. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_SIZES = 256, MOST_THREADS = 64, SHORT_LIVED = 200, OF_LIBRARY = 5, OF_SHORT_LIVED = 7 };

typedef struct worker {
  int number; /* from 1 */
  MPI_Comm comm;
  pthread_t thread;
  long sent[2][MOST_SIZES]; /* by destination and size */
  long put[MOST_SIZES];     /* to the other rank */
  long allreduces, reversed, barriers, ibarriers, bcasts, bcast_inits, gathers;
} worker_t;

static int rank, other, rounds;
static int with_phases;
static const char *library, *end_file;
static worker_t workers[MOST_THREADS];
static pthread_barrier_t together; /* of a rank's workers: what follows is done at once */

static void fail(const char *what)
{
  fprintf(stderr, "threads: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Sizes of a thread's messages: some are those of another's, too. */
static int size_of(const worker_t *w, int kind) { return 10 + 20 * kind + w->number; }

static void blocking(worker_t *w, MPI_Comm comm, int peer, int size)
{
  char out[MOST_SIZES] = "", in[MOST_SIZES];
  if (rank == 0) MPI_Send(out, size, MPI_BYTE, peer, w->number, comm);
  MPI_Recv(in, size, MPI_BYTE, peer, w->number, comm, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Ssend(out, size, MPI_BYTE, peer, w->number, comm);
  w->sent[other][size]++;
}

static void non_blocking(worker_t *w, int round)
{
  char out[MOST_SIZES] = "", in[MOST_SIZES];
  int size = size_of(w, 1), done = 0;
  MPI_Request r[2];
  MPI_Irecv(in, size, MPI_BYTE, other, w->number, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, size, MPI_BYTE, other, w->number, MPI_COMM_WORLD, &r[1]);
  w->sent[other][size]++;
  if (round % 3 == 0) {
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    return;
  }
  for (int i = 0; i < 2; i++, done = 0) {
    while (round % 3 == 1 && !done) MPI_Test(&r[i], &done, MPI_STATUS_IGNORE);
    if (!done) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
  }
}

static void persistent(worker_t *w)
{
  char out[MOST_SIZES] = "", in[MOST_SIZES];
  int size = size_of(w, 2);
  MPI_Request r[2];
  MPI_Recv_init(in, size, MPI_BYTE, other, w->number, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, size, MPI_BYTE, other, w->number, MPI_COMM_WORLD, &r[1]);
  MPI_Startall(2, r);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; i++) MPI_Start(&r[i]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  w->sent[other][size] += 2;
  for (int i = 0; i < 2; i++) MPI_Request_free(&r[i]);
}

static void communicators(worker_t *w)
{
  MPI_Comm same, reversed, grid;
  int one = 1, sum, ring = 2, periodic = 1, from[2], mine = 0;
  MPI_Comm_dup(w->comm, &same);
  MPI_Comm_split(w->comm, 0, -rank, &reversed);
  MPI_Cart_create(w->comm, 1, &ring, &periodic, 0, &grid);
  blocking(w, same, other, size_of(w, 3));
  blocking(w, reversed, rank, size_of(w, 3)); /* the other has this rank there */
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, same);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, reversed);
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, from, 1, MPI_INT, grid);
  if (sum != 2) fail("a wrong sum");
  w->allreduces++;
  w->reversed++;
  w->gathers++;
  w->sent[other][4] += 2; /* the neighbour on both sides */
  MPI_Comm_free(&grid);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&same);
}

static void types(worker_t *w)
{
  char out[2 * MOST_SIZES] = "", in[2 * MOST_SIZES];
  int size = size_of(w, 4);
  MPI_Datatype type;
  MPI_Type_vector(size, 1, size % 3 ? 2 : 1, MPI_BYTE, &type); /* some have gaps */
  MPI_Type_commit(&type);
  MPI_Sendrecv(out, 1, type, other, w->number, in, 1, type, other, w->number, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  w->sent[other][size]++;
  MPI_Type_free(&type);
}

static void windows(worker_t *w)
{
  char out[MOST_SIZES] = "", *memory;
  int size = size_of(w, 5);
  MPI_Win win;
  MPI_Win_allocate(MOST_SIZES, 1, MPI_INFO_NULL, w->comm, &memory, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, size, MPI_BYTE, other, 0, size, MPI_BYTE, win);
  MPI_Put(out, size, MPI_BYTE, other, 0, size, MPI_BYTE, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
  w->put[size] += 2;
}

static void collectives(worker_t *w)
{
  int value = 0;
  MPI_Request r;
  MPI_Barrier(w->comm);
  MPI_Ibarrier(w->comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Bcast(&value, 1, MPI_INT, 0, w->comm);
  w->barriers++;
  w->ibarriers++;
  w->bcasts++;
}

static void load_and_send(worker_t *w)
{
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void (*run)(int) = handle ? (void (*)(int))dlsym(handle, "plugin_run") : NULL;
  if (!run) fail(dlerror());
  run(rank);
  w->sent[rank][OF_LIBRARY]++;
  dlclose(handle);
}

static void *work(void *worker)
{
  worker_t *w = worker;
  for (int round = 0; round < rounds; round++) {
    pthread_barrier_wait(&together);
    if (with_phases) MPI_Pcontrol(1 + (round + w->number) % 4);
    blocking(w, MPI_COMM_WORLD, other, size_of(w, 0));
    non_blocking(w, round);
    persistent(w);
    types(w);
    collectives(w);
    if (round % 4 == 0) communicators(w);
    if (round % 8 == 1) windows(w);
    if (round % 2) continue;
    pthread_barrier_wait(&together);
    load_and_send(w);
  }
  return NULL;
}

static void *send_once(void *unused)
{
  char out[OF_SHORT_LIVED] = "", in[OF_SHORT_LIVED];
  MPI_Sendrecv(out, OF_SHORT_LIVED, MPI_BYTE, rank, 0, in, OF_SHORT_LIVED, MPI_BYTE, rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

/* Threads that follow one another, of which the next may get the place of the last. */
static void *come_and_go(void *worker)
{
  worker_t *w = worker;
  for (int i = 0; i < SHORT_LIVED || access(end_file, F_OK) != 0; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, send_once, NULL) != 0) fail("no thread");
    pthread_join(thread, NULL);
    w->sent[rank][OF_SHORT_LIVED]++;
    if (i > SHORT_LIVED) usleep(10000);
  }
  return NULL;
}

static void print_calls(const char *what, long count)
{
  if (rank == 0) printf("coll %s %ld\n", what, count);
}

static void print(const worker_t *w)
{
  for (int to = 0; to < 2; to++)
    for (int size = 0; size < MOST_SIZES; size++)
      if (w->sent[to][size]) printf("p2p %d %d %d %ld\n", rank, to, size, w->sent[to][size]);
  for (int size = 0; size < MOST_SIZES; size++)
    if (w->put[size]) printf("rma %d %d %d %ld\n", rank, other, size, w->put[size]);
  print_calls("MPI_Allreduce 0,1 4 -", w->allreduces);
  print_calls("MPI_Allreduce 1,0 4 -", w->reversed);
  print_calls("MPI_Neighbor_allgather 0,1 8 -", w->gathers);
  print_calls("MPI_Barrier 0,1 0 -", w->barriers);
  print_calls("MPI_Ibarrier 0,1 0 -", w->ibarriers);
  print_calls("MPI_Bcast 0,1 4 0", w->bcasts);
}

/* Open MPI 4.1 sets topologies up when there is the first one, and knows no threads there. */
static void make_first_topology(void)
{
  MPI_Comm grid;
  int ring = 2, periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ring, &periodic, 0, &grid);
  MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
  int level, n = argc > 5 ? atoi(argv[1]) : 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE || n < 1 || n + 1 > MOST_THREADS) fail("not so many threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  rounds = atoi(argv[2]);
  library = argv[3];
  with_phases = atoi(argv[4]);
  end_file = argv[5];
  pthread_barrier_init(&together, NULL, (unsigned)n);
  make_first_topology();
  for (int i = 0; i <= n; i++) {
    workers[i].number = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  for (int i = 0; i <= n; i++)
    if (pthread_create(&workers[i].thread, NULL, i ? work : come_and_go, &workers[i]) != 0)
      fail("no thread");
  for (int i = 0; i <= n; i++) pthread_join(workers[i].thread, NULL);
  for (int i = 0; i <= n; i++) {
    MPI_Comm_free(&workers[i].comm);
    print(&workers[i]);
  }
  MPI_Finalize();
  return 0;
}
