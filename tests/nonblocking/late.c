/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that enter calls at very different times: late. Rank 0 prints "right" if all results were;
 * else the job ends with a line that says what was wrong. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init     MPIX_Bcast_init
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LATE_US = 300000, MANY = 64, LONG = 40000, ROUNDS = 20 };

static int rank, size;
static const char *part = "start"; /* what is tried now */

static void fail(const char *what, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void fail(const char *what, ...)
{
  va_list list;
  va_start(list, what);
  fprintf(stderr, "%s: rank %d of %d: ", part, rank, size);
  vfprintf(stderr, what, list);
  fprintf(stderr, "\n");
  va_end(list);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}
static void same(const char *what, long at, long found, long expected)
{
  if (found != expected)
    fail("%s: element %ld: found %ld, expected %ld", what, at, found, expected);
}
static void stuck(int signal)
{
  (void)signal;
  fprintf(stderr, "%s: rank %d of %d: still waits\n", part, rank, size);
  sleep(1);
  _exit(1);
}

static void begin(const char *name)
{
  part = name;
  alarm(60);
}

/* What a rank has in a round; and the sum of it over all ranks. */
static long number(int r, int round, long i) { return 1000L * r + 7L * round + i; }
static long sum(int round, long i)
{
  return 1000L * (size * (size - 1) / 2) + (7L * round + i) * size;
}

/* Work without a call of MPI, for so much time of this core. */
static double work_us(long us)
{
  struct timespec t;
  volatile double x = 1;
  long begin, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  begin = t.tv_sec * 1000000 + t.tv_nsec / 1000;
  do {
    for (int i = 0; i < 1000; i++) x = x * 1.0000001 + 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    now = t.tv_sec * 1000000 + t.tv_nsec / 1000;
  } while (now - begin < us);
  return x;
}

static void wait_by_test(MPI_Request *request)
{
  for (int done = 0; !done;) MPI_Test(request, &done, MPI_STATUS_IGNORE);
  if (*request != MPI_REQUEST_NULL) fail("MPI_Test: expected MPI_REQUEST_NULL");
}

/* One rank is late, and the others poll. The late one is each rank in turn, in another call. */
static void late_rank(void)
{
  static long in[LONG], out[LONG];
  static const int counts[] = {1, 100, LONG};
  begin("one rank is late");
  for (int k = 0; k < 3; k++) {
    int n = counts[k], late = (size - 1 + k) % size;
    MPI_Request requests[3];
    char none = 0;
    for (int i = 0; i < n; i++) in[i] = number(rank, k, i), out[i] = -1;
    if (rank == late) usleep(LATE_US);
    MPI_Iallreduce(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Ibcast(&none, 1, MPI_CHAR, late, MPI_COMM_WORLD, &requests[2]);
    wait_by_test(&requests[1]);
    for (int done = 0; !done;) MPI_Testall(3, requests, &done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) same("MPI_Iallreduce", i, out[i], sum(k, i));
  }
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Nobody's barrier is complete before the last rank has begun it, by the clock that all have. */
static void late_barrier(void)
{
  begin("a late rank and a barrier");
  for (int round = 0; round < 2; round++) {
    MPI_Request barrier;
    double begun, ended, last;
    if (rank == (round + 1) % size) usleep(LATE_US / 3);
    begun = now();
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    wait_by_test(&barrier);
    ended = now();
    MPI_Allreduce(&begun, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (ended < last)
      fail("MPI_Ibarrier: complete %g s before the last rank begins it", last - ended);
  }
}

/* The root begins many broadcasts before any other rank has begun one. */
static void early_root(int persistent)
{
  static long data[MANY][LONG / MANY];
  MPI_Request requests[MANY];
  int n = LONG / MANY;
  begin(persistent ? "64 persistent broadcasts" : "64 broadcasts");
  for (int root = 0; root < size && root < 3; root += 2) {
    for (int k = 0; k < MANY; k++)
      for (int i = 0; i < n; i++) data[k][i] = rank == root ? number(root, k, i) : -1;
    /* short ones and long ones */
    for (int k = 0; k < MANY && persistent; k++)
      MPI_Bcast_init(data[k], k % 4 ? n / 100 + k % 7 : n, MPI_LONG, root, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &requests[k]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != root) usleep(LATE_US / 2 + 1000 * rank);
    for (int k = 0; k < MANY && !persistent; k++)
      MPI_Ibcast(data[k], k % 4 ? n / 100 + k % 7 : n, MPI_LONG, root, MPI_COMM_WORLD,
                 &requests[k]);
    if (persistent) MPI_Startall(MANY, requests);
    if (rank % 2)
      for (int k = MANY - 1; k >= 0; k--) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    else
      MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < MANY; k++) {
      int count = k % 4 ? n / 100 + k % 7 : n;
      for (int i = 0; i < n; i++)
        same("MPI_Ibcast", i, data[k][i], i < count || rank == root ? number(root, k, i) : -1);
    }
    for (int k = 0; k < MANY && persistent; k++) MPI_Request_free(&requests[k]);
  }
}

/* A rank works between the start and MPI_Wait; others have the result as soon as they can. */
static void busy_rank(void)
{
  static long in[LONG], out[LONG];
  begin("a rank works");
  for (int k = 0; k < 4; k++) {
    int n = k % 2 ? LONG : 10;
    MPI_Request request;
    for (int i = 0; i < n; i++) in[i] = number(rank, k, i), out[i] = -1;
    MPI_Iallreduce(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == k % size) work_us(LATE_US / 3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++) same("MPI_Iallreduce", i, out[i], sum(k, i));
  }
}

/* Persistent calls, in each of which another rank is a little late, or two rounds before the rest.
 */
static void late_rounds(void)
{
  static long in[2][1000], out[2][1000];
  MPI_Request requests[2];
  begin("late in persistent calls");
  for (int k = 0; k < 2; k++)
    MPI_Allreduce_init(in[k], out[k], 1000, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[k]);
  for (int round = 0; round < ROUNDS; round++) {
    int k = (round + rank) % 2; /* ranks begin with different ones */
    for (int i = 0; i < 1000; i++) {
      in[0][i] = number(rank, round, i);
      in[1][i] = number(rank, round + 1000, i);
      out[0][i] = out[1][i] = -1;
    }
    if (rank == round % size) usleep(LATE_US / 60);
    MPI_Start(&requests[k]);
    if (rank == (round + 1) % size) work_us(LATE_US / 60);
    MPI_Start(&requests[!k]);
    MPI_Wait(&requests[round / 2 % 2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[!(round / 2 % 2)], MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; i++) {
      same("the first MPI_Allreduce_init", i, out[0][i], sum(round, i));
      same("the second MPI_Allreduce_init", i, out[1][i], sum(round + 1000, i));
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* A request stays incomplete for long while many others come and go on another communicator. */
static void long_request(void)
{
  MPI_Comm other;
  MPI_Request slow;
  long mine = number(rank, 0, 0), all = -1;
  begin("others come and go");
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (rank != size - 1) MPI_Iallreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &slow);
  for (int k = 0; k < 300; k++) {
    long in = number(rank, k, 1), out = -1;
    MPI_Request quick;
    MPI_Iallreduce(&in, &out, 1, MPI_LONG, MPI_SUM, other, &quick);
    MPI_Wait(&quick, MPI_STATUS_IGNORE);
    same("MPI_Iallreduce", k, out, sum(k, 1));
  }
  if (rank == size - 1) MPI_Iallreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &slow);
  MPI_Wait(&slow, MPI_STATUS_IGNORE);
  same("the slow MPI_Iallreduce", 0, all, sum(0, 0));
  MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
  signal(SIGALRM, stuck);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  late_rank();
  late_barrier();
  early_root(0);
  early_root(1);
  busy_rank();
  late_rounds();
  long_request();
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
