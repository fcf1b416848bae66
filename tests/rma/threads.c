/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication from several threads of each rank: threads [ROUNDS] [THREADS]. Each
 * thread has a window of its own (on a communicator of its own) for lock epochs and lock_all epochs
 * with flushes; all threads of all ranks share one window with counters and with a row for each
 * thread. Needs MPI_THREAD_MULTIPLE. Rank 0 prints what was done if all was right; else the job
 * aborts. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16, ROW = 64, COUNTERS = 2 };

static int rank, size, threads = 4, rounds = 50;
static MPI_Win shared_window;
static MPI_Comm comms[MOST_THREADS];

typedef struct {
  int number;
  MPI_Win win;
  long swapped;
} thread_t;

static void expect(long found, long wanted, const char *what, int thread, int round)
{
  if (found == wanted) return;
  printf("rank %d, thread %d, round %d: %s is %ld, expected %ld\n", rank, thread, round, what,
         found, wanted);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The place of a thread's row at another rank, as a displacement: only that thread uses it. */
static MPI_Aint row_of(int thread) { return COUNTERS + ((MPI_Aint)rank * threads + thread) * ROW; }

/* Under a lock of the own window: each rank writes and reads its own part at the next rank. */
static void use_own_window(thread_t *t, int round)
{
  long out[ROW], in[ROW];
  int target = (rank + 1 + round) % size, kind = round % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
  MPI_Aint at = (MPI_Aint)rank * ROW;
  for (int i = 0; i < ROW; i++) out[i] = ((long)round * 100 + t->number) * 1000 + rank + i;
  MPI_Win_lock(kind, target, 0, t->win);
  MPI_Put(out, ROW, MPI_LONG, target, at, ROW, MPI_LONG, t->win);
  MPI_Win_unlock(target, t->win);
  MPI_Win_lock_all(0, t->win);
  MPI_Get(in, ROW, MPI_LONG, target, at, ROW, MPI_LONG, t->win);
  MPI_Win_flush(target, t->win);
  for (int i = 0; i < ROW; i++)
    expect(in[i], out[i], "a value of the own window", t->number, round);
  MPI_Win_unlock_all(t->win);
}

/* Within the lock_all of main: a flush completes what all threads of the rank began. */
static void use_row(const thread_t *t, int round)
{
  long out[ROW], in[ROW];
  int target = (rank + round) % size;
  for (int i = 0; i < ROW; i++) out[i] = ((long)round * 100 + t->number) * 1000 + rank - i;
  MPI_Put(out, ROW, MPI_LONG, target, row_of(t->number), ROW, MPI_LONG, shared_window);
  MPI_Win_flush(target, shared_window);
  MPI_Get(in, ROW, MPI_LONG, target, row_of(t->number), ROW, MPI_LONG, shared_window);
  if (round % 2)
    MPI_Win_flush_all(shared_window);
  else
    MPI_Win_flush(target, shared_window);
  for (int i = 0; i < ROW; i++) expect(in[i], out[i], "a value of a row", t->number, round);
}

/* Counter 0 of the last rank grows by fetch-and-op, counter 1 by compare-and-swap. */
static void use_counters(thread_t *t, int round, long *last)
{
  long one = 1, old = -1, next, value = 0;
  int target = size - 1;
  MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 0, MPI_SUM, shared_window);
  MPI_Win_flush(target, shared_window);
  if (old <= *last) expect(old, *last + 1, "a counter that must grow", t->number, round);
  *last = old;
  for (value = t->swapped;; value = old) {
    next = value + 1;
    MPI_Compare_and_swap(&next, &value, &old, MPI_LONG, target, 1, shared_window);
    MPI_Win_flush(target, shared_window);
    if (old == value) break;
  }
  t->swapped = next;
}

static void *work(void *argument)
{
  thread_t *t = argument;
  long last = -1;
  for (int round = 0; round < rounds; round++) {
    use_own_window(t, round);
    use_row(t, round);
    use_counters(t, round, &last);
  }
  return NULL;
}

static void run(void)
{
  pthread_t ids[MOST_THREADS];
  static thread_t all[MOST_THREADS];
  long *memory[MOST_THREADS];
  for (int i = 0; i < threads; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    all[i].number = i;
    MPI_Win_allocate((MPI_Aint)size * 8 * ROW * sizeof(long), sizeof(long), MPI_INFO_NULL, comms[i],
                     &memory[i], &all[i].win);
  }
  MPI_Win_lock_all(0, shared_window);
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, &all[i]);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  MPI_Win_unlock_all(shared_window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < threads; i++) {
    MPI_Win_free(&all[i].win);
    MPI_Comm_free(&comms[i]);
  }
}

int main(int argc, char **argv)
{
  int provided;
  long *memory;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) rounds = atoi(argv[1]);
  if (argc > 2) threads = atoi(argv[2]);
  if (threads < 1 || threads > MOST_THREADS) threads = MOST_THREADS;
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("skipped: the MPI doesn't provide MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  MPI_Aint bytes = (MPI_Aint)(COUNTERS + size * threads * ROW) * (MPI_Aint)sizeof(long);
  bytes = (bytes + 4095) / 4096 * 4096; /* MPICH 4.0.2 is wrong for other sizes */
  MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &shared_window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, shared_window);
  memset(memory, 0, bytes);
  MPI_Win_unlock(rank, shared_window);
  MPI_Barrier(MPI_COMM_WORLD);
  run();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, shared_window);
  long all = (long)size * threads * rounds;
  for (int i = 0; i < COUNTERS && rank == size - 1; i++) expect(memory[i], all, "a counter", -1, i);
  MPI_Win_unlock(rank, shared_window);
  MPI_Win_free(&shared_window);
  if (rank == 0) printf("%d ranks, %d threads each, %d rounds\n", size, threads, rounds);
  MPI_Finalize();
  return 0;
}
