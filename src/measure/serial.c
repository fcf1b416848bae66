/* SPDX-License-Identifier: BSD-3-Clause */
/* Serial reductions, from which the parameters of agents' model follow: 1, 2, 3… hosts send a
 * vector to the first one at the same time. A. Moody's thesis (2003), figure 3.1 and section 4.1.
 * Each rank stands for a host. Hosts' reductions are messages here; agents' are MPI_Gather and
 * MPI_Reduce, which the collective library gives to agents, by trees with one level. Then agents'
 * trees of several degrees, which the model is compared with. */
#include "measure/serial.h"

#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/common_clock.h"
#include "measure/measure.h"

enum { SAMPLES = 101, LEAST_SAMPLES = 5, MOST_BYTES = 32768, MOST_HOSTS = 64, LOOPS = 2000 };
#define TIME_S        0.5    /* for the calls of a time, unless that is too few */
#define MOST_S        10.0   /* if hosts come late again and again */
#define MARGIN_S      500e-6 /* for telling all hosts when a call begins */
#define MOST_MARGIN_S 0.5
static const int sizes[] = {8, 64, 512, 4096, MOST_BYTES};

typedef enum what { RECEIVE, REDUCE } what_t;

typedef struct serial {
  void (*say)(const char *members);
  MPI_Comm comm;
  int rank, hosts;
  double *in, *out, *parts; /* of this host; the sum; those of the others */
  MPI_Request *request;
} serial_t;

/* As the library's setting of BERTH_AGENTS_DEGREE. */
static void set_degree(int degree)
{
  void (*set)(int);
  *(void **)&set = dlsym(RTLD_DEFAULT, "berth_coll_set_degree");
  if (set) set(degree);
}

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

/* What is measured. */
typedef struct timed {
  void (*does)(const serial_t *, what_t, int);
  what_t what;
  int bytes;
} timed_t;

/* All hosts begin at one moment. Returns what the call takes on the first one from then on, and
 * there whether a host came late. */
static double sample(const serial_t *s, const timed_t *t, double moment, bool *late)
{
  int own, all = 0;
  double end;
  own = common_clock_now() > moment;
  common_clock_wait(moment);
  t->does(s, t->what, t->bytes);
  end = common_clock_now();
  MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, s->comm);
  *late = all > 0;
  return end - moment;
}

/* The median of calls, each of which begins on all hosts at once. Only the first host's result
 * counts. Calls to which a host came late don't count, unless all are late. */
static double time_of(const serial_t *s, timed_t t)
{
  double time[SAMPLES], margin = MARGIN_S, begin = MPI_Wtime();
  int n = 0, in_time = 0;
  common_clock_set(s->comm);
  t.does(s, t.what, t.bytes); /* makes connections */
  for (int tries = 0;; tries++) {
    bool late;
    double spent = MPI_Wtime() - begin;
    bool more = in_time < SAMPLES && (in_time < LEAST_SAMPLES || spent < TIME_S) &&
                (tries < LEAST_SAMPLES || spent < MOST_S);
    double moment = more ? common_clock_now() + margin : -1; /* as the first host says */
    MPI_Bcast(&moment, 1, MPI_DOUBLE, 0, s->comm);
    if (moment < 0) break;
    double seconds = sample(s, &t, moment, &late);
    if (late) margin = fmin(2 * margin, MOST_MARGIN_S);
    if (in_time == 0 && !late) n = 0;
    in_time += !late;
    if ((!late || in_time == 0) && n < SAMPLES) time[n++] = seconds;
  }
  qsort(time, (size_t)n, sizeof *time, compare);
  return time[n / 2];
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
    say_time(s, "host", "receive", bytes, time_of(s, (timed_t){by_messages, RECEIVE, bytes}));
    say_time(s, "host", "reduce", bytes, time_of(s, (timed_t){by_messages, REDUCE, bytes}));
    say_time(s, "agent", "receive", bytes, time_of(s, (timed_t){by_agents, RECEIVE, bytes}));
    say_time(s, "agent", "reduce", bytes, time_of(s, (timed_t){by_agents, REDUCE, bytes}));
    if (s->hosts == 1) say_time(s, "both", "compute", bytes, compute_time(s, bytes));
  }
}

enum { ONE_LEVEL = 65535 };
static const int degrees[] = {2, 3, 4, 8, 16}, tree_sizes[] = {8, 64, 4096, MOST_BYTES};

static void say_tree(const serial_t *s, int degree, int bytes, double seconds)
{
  char text[200];
  if (s->rank > 0) return;
  snprintf(text, sizeof text, "\"degree\":%d,\"hosts\":%d,\"bytes\":%d,\"seconds\":%.9g", degree,
           s->hosts, bytes, seconds);
  s->say(text);
}

/* Those with more than one level. */
static void measure_trees(const serial_t *s)
{
  for (size_t d = 0; d < sizeof degrees / sizeof *degrees && degrees[d] < s->hosts; d++) {
    set_degree(degrees[d]);
    for (size_t i = 0; i < sizeof tree_sizes / sizeof *tree_sizes; i++)
      say_tree(s, degrees[d], tree_sizes[i],
               time_of(s, (timed_t){by_agents, REDUCE, tree_sizes[i]}));
  }
  set_degree(ONE_LEVEL);
}

/* With the hosts of a communicator. False: memory is out. */
static int measure_all(serial_t *s)
{
  MPI_Comm_rank(s->comm, &s->rank);
  s->in = calloc(1, MOST_BYTES);
  s->out = calloc(1, MOST_BYTES);
  s->parts = calloc((size_t)s->hosts, MOST_BYTES);
  s->request = calloc((size_t)s->hosts, sizeof *s->request);
  int room = s->in && s->out && s->parts && s->request;
  if (room) measure_hosts(s);
  if (room) measure_trees(s);
  free(s->in);
  free(s->out);
  free(s->parts);
  free(s->request);
  return room;
}

/* With the first hosts alone. False: memory is out. */
static int measure(serial_t *s, int hosts)
{
  int rank, done = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  s->hosts = hosts;
  MPI_Comm_split(MPI_COMM_WORLD, rank < hosts ? 0 : MPI_UNDEFINED, rank, &s->comm);
  if (s->comm != MPI_COMM_NULL) {
    done = measure_all(s);
    MPI_Comm_free(&s->comm);
  }
  measure_wait();
  return done;
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
  set_degree(ONE_LEVEL);
  int most = ranks < MOST_HOSTS ? ranks : MOST_HOSTS;
  for (int hosts = 1; hosts <= most && done; hosts += hosts < 8 ? 1 : hosts / 4)
    done = measure(&s, hosts);
  if (rank == 0) say("\"done\":true");
  return done;
}
