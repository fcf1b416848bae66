/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends messages and puts down, in files of its own, how many it had begun and finished:
 *   survive abort|exit|term|kill MS RANK FOLDER         until that rank ends so, after so long
 *   survive end 0 0 FOLDER                              until there is FOLDER/stop
 *   survive show RANKS FOLDER                           what is in the files, as lines
 *     SOURCE DESTINATION SIZE FINISHED BEGUN  and  calls FINISHED BEGUN, of MPI_Allreduce
 * Signals come by a timer: in the middle of anything. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 16, LARGEST = 20000, EVERY = 10 };
static const int sizes[] = {8, 1000, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct tally {
  _Atomic long begun, finished;
} tally_t;

typedef struct tallies {
  tally_t sent[MOST_RANKS][SIZES], calls;
} tallies_t;

static tallies_t *tallies;
static int rank, ranks;
static char out[LARGEST], in[LARGEST];

static tallies_t *map_file(const char *folder, int of, int flags)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, of);
  int fd = open(path, flags, 0600);
  if (fd < 0 || ((flags & O_CREAT) && ftruncate(fd, sizeof *tallies) != 0)) exit(90);
  int protection = flags & O_CREAT ? PROT_READ | PROT_WRITE : PROT_READ;
  void *p = mmap(NULL, sizeof *tallies, protection, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) exit(91);
  close(fd);
  return p;
}

static void show(int n, const char *folder)
{
  long finished = 0, begun = 0;
  for (int src = 0; src < n; src++) {
    const tallies_t *t = map_file(folder, src, O_RDONLY);
    for (int dst = 0; dst < n; dst++)
      for (int k = 0; k < SIZES; k++)
        printf("%d %d %d %ld %ld\n", src, dst, sizes[k], t->sent[dst][k].finished,
               t->sent[dst][k].begun);
    if (t->calls.finished > finished) finished = t->calls.finished;
    if (t->calls.begun > begun) begun = t->calls.begun;
  }
  printf("calls %ld %ld\n", finished, begun);
}

/* One message of each size to the rank that is `shift` further, each by another call. */
static void exchange(int shift)
{
  int to = (rank + shift) % ranks, from = (rank + ranks - shift) % ranks;
  for (int k = 0; k < SIZES; k++) {
    tally_t *t = &tallies->sent[to][k];
    MPI_Request requests[2];
    atomic_fetch_add(&t->begun, 1);
    if (k == 1) {
      MPI_Irecv(in, sizes[k], MPI_BYTE, from, k, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, sizes[k], MPI_BYTE, to, k, MPI_COMM_WORLD, &requests[1]);
    } else {
      MPI_Sendrecv(out, sizes[k], MPI_BYTE, to, k, in, sizes[k], MPI_BYTE, from, k, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    atomic_fetch_add(&t->finished, 1);
    if (k == 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A signal to this process by itself. */
static void set_timer(int number, long ms)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
  struct itimerspec when = {.it_value = {ms / 1000, ms % 1000 * 1000000 + 1}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
    exit(92);
}

/* Whether all ranks stop, as the dying one says. */
static int all_stop(int mine)
{
  int any = 0;
  atomic_fetch_add(&tallies->calls.begun, 1);
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  atomic_fetch_add(&tallies->calls.finished, 1);
  return any;
}

int main(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[1], "show") == 0) {
    show(atoi(argv[2]), argv[3]);
    return 0;
  }
  const char *how = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  tallies = map_file(argv[4], rank, O_RDWR | O_CREAT);
  MPI_Barrier(MPI_COMM_WORLD);
  long ms = atol(argv[2]);
  double end = 0;
  int mine = rank == atoi(argv[3]);
  char stop[4096];
  snprintf(stop, sizeof stop, "%s/stop", argv[4]);
  int late = 0, orderly = strcmp(how, "end") == 0;
  for (int step = 0;; step++) {
    exchange(step % ranks);
    if (step == 0) { /* there is something to survive, however busy the machine is */
      end = now() + (double)ms / 1e3;
      if (mine && strcmp(how, "term") == 0) set_timer(SIGTERM, ms);
      if (mine && strcmp(how, "kill") == 0) set_timer(SIGKILL, ms);
    }
    late = mine && (orderly ? access(stop, F_OK) == 0 : now() > end);
    if (late && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (late && strcmp(how, "exit") == 0) exit(3);
    if (step % EVERY == 0 && all_stop(late && orderly)) break;
  }
  MPI_Finalize();
  return 0;
}
