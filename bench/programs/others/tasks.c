/* SPDX-License-Identifier: BSD-3-Clause */
/* tasks [TASKS]: rank 0 hands out tasks to whoever is free. It waits for any of 15 persistent
 * receives (MPI_Waitany) and answers with the next task (MPI_Isend). Workers "compute" for 10 to 40
 * ms, as on an accelerator that leaves the core free, and return results by MPI_Ssend. Tasks have
 * 10 to 160 KB, results 100 B to 60 KB. */
#include <time.h>

#include "../timed.h"

enum { MASTER = 0, WORK = 1, RESULT = 2, STOP = 3, TASK_MAX = 160000, RESULT_MAX = 60000 };

static char task[RANKS][TASK_MAX], result[RANKS][RESULT_MAX];

/* A number from low to high that is always the same for the same task. */
static int drawn(int number, int salt, int low, int high)
{
  unsigned x = (unsigned)number * 2654435761u ^ (unsigned)salt * 40503u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return low + (int)(x % (unsigned)(high - low + 1));
}

static int task_bytes(int number) { return drawn(number, 1, 10000, TASK_MAX); }
static int result_bytes(int number) { return drawn(number, 2, 100, RESULT_MAX); }

static void compute(int number)
{
  struct timespec t = {0, drawn(number, 3, 10, 40) * 1000000L};
  nanosleep(&t, NULL);
}

static void send_task(int worker, int number, int tasks, MPI_Request *sent)
{
  MPI_Wait(sent, MPI_STATUS_IGNORE);
  *(int *)task[worker] = number;
  if (number < tasks)
    MPI_Isend(task[worker], task_bytes(number), MPI_BYTE, worker, WORK, MPI_COMM_WORLD, sent);
  else
    MPI_Isend(task[worker], 0, MPI_BYTE, worker, STOP, MPI_COMM_WORLD, sent);
}

static void master(int tasks)
{
  MPI_Request sent[RANKS], receive[RANKS - 1];
  for (int w = 1; w < RANKS; w++) {
    sent[w] = MPI_REQUEST_NULL;
    MPI_Recv_init(result[w], RESULT_MAX, MPI_BYTE, w, RESULT, MPI_COMM_WORLD, &receive[w - 1]);
  }
  MPI_Startall(RANKS - 1, receive);
  for (int w = 1; w < RANKS; w++) send_task(w, w - 1, tasks, &sent[w]);
  for (int next = RANKS - 1; next < tasks + RANKS - 1; next++) {
    int which, bytes;
    MPI_Status status;
    MPI_Waitany(RANKS - 1, receive, &which, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    expect(bytes, result_bytes(*(int *)result[which + 1]), "a result's bytes");
    if (next < tasks) MPI_Start(&receive[which]);
    send_task(which + 1, next, tasks, &sent[which + 1]);
  }
  MPI_Waitall(RANKS - 1, sent + 1, MPI_STATUSES_IGNORE);
  for (int w = 1; w < RANKS; w++) MPI_Request_free(&receive[w - 1]);
}

static void worker(void)
{
  MPI_Status status;
  for (;;) {
    MPI_Recv(task[0], TASK_MAX, MPI_BYTE, MASTER, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) return;
    int number = *(int *)task[0];
    compute(number);
    *(int *)result[0] = number;
    MPI_Ssend(result[0], result_bytes(number), MPI_BYTE, MASTER, RESULT, MPI_COMM_WORLD);
  }
}

static void farm(int rank, int tasks)
{
  if (rank == MASTER)
    master(tasks);
  else
    worker();
}

int main(int argc, char **argv)
{
  int rank = begin(&argc, &argv), tasks = argc > 1 ? atoi(argv[1]) : 90;
  if (tasks < RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  farm(rank, RANKS);
  double begun = start_clock();
  farm(rank, tasks);
  stop_clock(begun);
  return MPI_Finalize();
}
