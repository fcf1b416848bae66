/* SPDX-License-Identifier: BSD-3-Clause */
/* Serial reductions, from which the parameters of agents' model follow: 1, 2, 3… hosts send a
 * vector to the first one at the same time. A. Moody's thesis (2003), figure 3.1 and section 4.1.
 * Each rank stands for a host. Hosts' reductions are messages here; agents' are MPI_Gather and
 * MPI_Reduce, which the collective library gives to agents, by trees with one level. */
#include "measure/serial.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_LOOP = 25, SAMPLES = 11, MOST_BYTES = 32768, MOST_HOSTS = 64, LOOPS = 2000 };
static const int sizes[] = {8, 64, 512, 4096, MOST_BYTES};

typedef enum what { RECEIVE, REDUCE } what_t;

typedef struct serial {
  void (*say)(const char *members);
  MPI_Comm comm;
  int rank, hosts;
  double *in, *out, *parts; /* of this host; the sum; those of the others */
  MPI_Request *request;
} serial_t;

static void say_time(const serial_t *s, const char *executor, const char *what, int bytes,
                     double seconds)
{
  char text[200];
  if (s->rank > 0) return;
  snprintf(text, sizeof text,
           "\"executor\":\"%s\",\"what\":\"%s\",\"hosts\":%d,\"bytes\":%d,\"seconds\":%.9g",
           executor, what, s->hosts, bytes, seconds);
  s->say(text);
}

/* The root reduces what comes as it comes. */
static void by_messages(const serial_t *s, what_t what, int bytes)
{
  int n = bytes / (int)sizeof(double), index;
  if (s->rank > 0) {
    MPI_Send(s->in, bytes, MPI_BYTE, 0, 0, s->comm);
    return;
  }
  for (int i = 1; i < s->hosts; i++)
    MPI_Irecv(s->parts + (size_t)(i - 1) * (size_t)n, bytes, MPI_BYTE, i, 0, s->comm,
              &s->request[i - 1]);
  memcpy(s->out, s->in, (size_t)bytes);
  for (int i = 1; i < s->hosts; i++) {
    MPI_Waitany(s->hosts - 1, s->request, &index, MPI_STATUS_IGNORE);
    if (what == REDUCE)
      MPI_Reduce_local(s->parts + (size_t)index * (size_t)n, s->out, n, MPI_DOUBLE, MPI_SUM);
  }
}

static void by_agents(const serial_t *s, what_t what, int bytes)
{
  int n = bytes / (int)sizeof(double);
  if (what == REDUCE)
    MPI_Reduce(s->in, s->out, n, MPI_DOUBLE, MPI_SUM, 0, s->comm);
  else
    MPI_Gather(s->in, n, MPI_DOUBLE, s->parts, n, MPI_DOUBLE, 0, s->comm);
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds of a loop of barriers, each with a reduction behind it, or alone. */
static double loop_time(const serial_t *s, void (*does)(const serial_t *, what_t, int), what_t what,
                        int bytes)
{
  double begin = MPI_Wtime();
  for (int i = 0; i < IN_LOOP; i++) {
    MPI_Barrier(s->comm);
    if (does) does(s, what, bytes);
  }
  return MPI_Wtime() - begin;
}

/* What reductions add to barriers, at the root: so it doesn't matter by how much ranks leave a
 * barrier apart. The median of loops in turns. */
static double time_of(const serial_t *s, void (*does)(const serial_t *, what_t, int), what_t what,
                      int bytes)
{
  double time[SAMPLES];
  for (int i = -1; i < SAMPLES; i++) { /* the first one to warm up */
    double with = loop_time(s, does, what, bytes);
    double without = loop_time(s, NULL, what, bytes);
    if (i >= 0) time[i] = with > without ? (with - without) / IN_LOOP : 0;
  }
  qsort(time, SAMPLES, sizeof *time, compare);
  return time[SAMPLES / 2];
}

/* What it takes to reduce two vectors. */
static double compute_time(const serial_t *s, int bytes)
{
  int n = bytes / (int)sizeof(double);
  double begin = MPI_Wtime();
  for (int i = 0; i < LOOPS; i++) MPI_Reduce_local(s->in, s->out, n, MPI_DOUBLE, MPI_SUM);
  return (MPI_Wtime() - begin) / LOOPS;
}

static void measure_hosts(const serial_t *s)
{
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int bytes = sizes[i];
    say_time(s, "host", "receive", bytes, time_of(s, by_messages, RECEIVE, bytes));
    say_time(s, "host", "reduce", bytes, time_of(s, by_messages, REDUCE, bytes));
    say_time(s, "agent", "receive", bytes, time_of(s, by_agents, RECEIVE, bytes));
    say_time(s, "agent", "reduce", bytes, time_of(s, by_agents, REDUCE, bytes));
    if (s->hosts == 1) say_time(s, "both", "compute", bytes, compute_time(s, bytes));
  }
}

/* With the first hosts alone. False: memory is out. */
static int measure(serial_t *s, int hosts)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  s->hosts = hosts;
  MPI_Comm_split(MPI_COMM_WORLD, rank < hosts ? 0 : MPI_UNDEFINED, rank, &s->comm);
  if (s->comm == MPI_COMM_NULL) return 1;
  MPI_Comm_rank(s->comm, &s->rank);
  s->in = calloc(1, MOST_BYTES);
  s->out = calloc(1, MOST_BYTES);
  s->parts = calloc((size_t)hosts, MOST_BYTES);
  s->request = calloc((size_t)hosts, sizeof *s->request);
  int room = s->in && s->out && s->parts && s->request;
  if (room) measure_hosts(s);
  free(s->in);
  free(s->out);
  free(s->parts);
  free(s->request);
  MPI_Comm_free(&s->comm);
  return room;
}

/* How many agents the collective library has; 0: it isn't there, or has none. */
static int agents(void)
{
  int (*known)(void);
  *(void **)&known = dlsym(RTLD_DEFAULT, "berth_coll_agents");
  return known ? known() : 0;
}

int serial_run(void (*say)(const char *members))
{
  serial_t s = {.say = say};
  char text[64];
  int rank, ranks, done = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(text, sizeof text, "\"agents\":%d", agents());
  if (rank == 0) say(text);
  int most = ranks < MOST_HOSTS ? ranks : MOST_HOSTS;
  for (int hosts = 1; hosts <= most && done; hosts += hosts < 8 ? 1 : hosts / 4)
    done = measure(&s, hosts);
  if (rank == 0) say("\"done\":true");
  return done;
}
