/* SPDX-License-Identifier: BSD-3-Clause */
/* make_epochs FOLDER: does one-sided operations, each case on a window of its own, and writes what
 * each rank sent to others to FOLDER/CASE.RANK, a line "SRC>DST:BYTES" for each message. The trace
 * of the run numbers the windows as this program numbers the cases: the last one is of another
 * communicator.
 *
 * Targets answer until all ranks are done with a case. They wait by a counter in shared memory,
 * because a barrier would send messages of its own. */
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record.h"

enum { EPOCHS = 3, MOST_BYTES = 1 << 17 };

static int rank, size;
static char *memory, *own, *result;
static MPI_Win win;
static MPI_Group world;

static int right(int far) { return (rank + far) % size; }
static int left(int far) { return (rank + size - far) % size; }

/* --- operations --- */

static void put(int to, int bytes) { MPI_Put(own, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win); }
static void get(int from, int bytes)
{
  MPI_Get(result, bytes, MPI_BYTE, from, 0, bytes, MPI_BYTE, win);
}
static void accumulate(int to, int n)
{
  MPI_Accumulate(own, n, MPI_INT, to, 0, n, MPI_INT, MPI_SUM, win);
}
static void get_accumulate(int to, int n)
{
  MPI_Get_accumulate(own, n, MPI_INT, result, n, MPI_INT, to, 0, n, MPI_INT, MPI_SUM, win);
}

/* --- epochs --- */

static void fence(void) { MPI_Win_fence(0, win); }
static void lock(int target) { MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win); }
static void unlock(int target) { MPI_Win_unlock(target, win); }

/* Opens an epoch with the next two ranks, and exposes the window to the two before. */
static void post_and_start(void)
{
  MPI_Group from, to;
  MPI_Group_incl(world, 2, (const int[]){left(1), left(2)}, &from);
  MPI_Group_incl(world, 2, (const int[]){right(1), right(2)}, &to);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
}
static void complete_and_wait(void)
{
  MPI_Win_complete(win);
  MPI_Win_wait(win);
}

/* --- cases --- */

static void fence_put(int epoch)
{
  (void)epoch;
  put(right(1), 8);
  fence();
}
static void fence_put_long(int epoch)
{
  (void)epoch;
  put(right(1), 20000);
  put(right(1), 9001);
  for (int i = 0; i < 3; i++) put(right(2), 100);
  fence();
}
static void fence_border(int epoch)
{
  (void)epoch;
  put(right(1), 8160);
  put(right(2), 8161);
  fence();
}
static void fence_get(int epoch)
{
  (void)epoch;
  get(right(1), 500);
  get(right(2), 50000);
  get(right(2), 7);
  fence();
}
static void fence_accumulate(int epoch)
{
  (void)epoch;
  for (int i = 0; i < 40; i++) accumulate(right(1), 2500);
  accumulate(right(2), 1);
  fence();
}
static void fence_many(int epoch)
{
  (void)epoch;
  for (int i = 0; i < 1000; i++) put(right(1), 8);
  fence();
}
static void fence_some(int epoch)
{
  if (rank == 0 || epoch < 1) put(right(1), 64);
  if (rank == 1 && epoch < 2) put(right(1), 32);
  fence();
}
static void pscw_put(int epoch)
{
  (void)epoch;
  post_and_start();
  put(right(1), 8);
  put(right(2), 30000);
  complete_and_wait();
}
static void pscw_get(int epoch)
{
  (void)epoch;
  post_and_start();
  get(right(1), 3000);
  get_accumulate(right(2), 10);
  get_accumulate(right(2), 3000);
  complete_and_wait();
}
static void lock_put(int epoch)
{
  (void)epoch;
  for (int far = 1; far < 3; far++) {
    lock(right(far));
    for (int i = 0; i < 10; i++) put(right(far), 24);
    unlock(right(far));
  }
}
static void lock_get(int epoch)
{
  (void)epoch;
  lock(right(1));
  get(right(1), 12345);
  unlock(right(1));
}
static void lock_atomics(int epoch)
{
  int one = 1, other = 2, was;
  (void)epoch;
  lock(right(1));
  MPI_Fetch_and_op(&one, &was, MPI_INT, right(1), 0, MPI_SUM, win);
  unlock(right(1));
  lock(right(2));
  MPI_Compare_and_swap(&one, &other, &was, MPI_INT, right(2), 0, win);
  unlock(right(2));
}
static void lock_requests(int epoch)
{
  MPI_Request request[2];
  (void)epoch;
  lock(right(1));
  MPI_Rput(own, 100, MPI_BYTE, right(1), 0, 100, MPI_BYTE, win, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  unlock(right(1));
  lock(right(2));
  for (int i = 0; i < 2; i++)
    MPI_Rget(result, 300, MPI_BYTE, right(2), 0, 300, MPI_BYTE, win, &request[i]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  unlock(right(2));
}
static void lock_all_put(int epoch)
{
  (void)epoch;
  MPI_Win_lock_all(0, win);
  put(right(1), 10);
  put(right(1), 10);
  MPI_Win_unlock_all(win);
}
/* On a window of ranks 0 to 2, in reverse. */
static void fence_of_others(int epoch)
{
  int rank_there;
  MPI_Group group;
  (void)epoch;
  MPI_Win_get_group(win, &group);
  MPI_Group_rank(group, &rank_there);
  MPI_Group_free(&group);
  put((rank_there + 1) % 3, 400);
  fence();
}

static const struct {
  void (*epoch)(int);
  int fences;
} cases[] = {{fence_put, 1},        {fence_put_long, 1}, {fence_border, 1},   {fence_get, 1},
             {fence_accumulate, 1}, {fence_many, 1},     {fence_some, 1},     {pscw_put, 0},
             {pscw_get, 0},         {lock_put, 0},       {lock_get, 0},       {lock_atomics, 0},
             {lock_requests, 0},    {lock_all_put, 0},   {fence_of_others, 1}};
enum { N_CASES = sizeof cases / sizeof *cases };

/* --- the run --- */

static _Atomic int *counter;

static void make_counter(const char *folder)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/counter", folder);
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, sizeof *counter)) MPI_Abort(MPI_COMM_WORLD, 1);
  counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
}

/* Answers others until all ranks have come here so often. */
static void meet(void)
{
  static int meetings;
  int found;
  atomic_fetch_add(counter, 1);
  meetings++;
  while (atomic_load(counter) < meetings * size)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void write_messages(const char *folder, int number)
{
  size_t n;
  char path[4096];
  const record_message_t *m = record_stop(&n);
  snprintf(path, sizeof path, "%s/%d.%d", folder, number, rank);
  FILE *f = fopen(path, "w");
  for (size_t i = 0; i < n; i++) {
    int to = m[i].destination;
    if (to != rank) /* MPICH asks itself for a lock, too */
      fprintf(f, "%d>%d:%zu\n", to < 0 ? -1 - to : rank, to < 0 ? rank : to, m[i].bytes);
  }
  fclose(f);
}

static void run(const char *folder, int number, MPI_Comm comm)
{
  if (comm != MPI_COMM_NULL) {
    MPI_Win_create(memory, MOST_BYTES, 1, MPI_INFO_NULL, comm, &win);
    if (cases[number].fences) fence();
  }
  record_start(); /* before any rank goes on: a target answers while it waits here */
  meet();
  for (int i = 0; i < EPOCHS && comm != MPI_COMM_NULL; i++) cases[number].epoch(i);
  meet();
  write_messages(folder, number);
  if (comm == MPI_COMM_NULL) return;
  if (cases[number].fences) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  memory = calloc(1, MOST_BYTES), own = calloc(1, MOST_BYTES), result = calloc(1, MOST_BYTES);
  make_counter(argv[1]);
  record_prepare();
  for (int i = 0; i + 1 < N_CASES; i++) run(argv[1], i, MPI_COMM_WORLD);
  MPI_Comm others;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? 0 : MPI_UNDEFINED, -rank, &others);
  run(argv[1], N_CASES - 1, others);
  if (others != MPI_COMM_NULL) MPI_Comm_free(&others);
  MPI_Group_free(&world);
  MPI_Finalize();
  return 0;
}
