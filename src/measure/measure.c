/* SPDX-License-Identifier: BSD-3-Clause */
/* The measuring program: rank 0 reads experiments and distributes them.
 *
 * Ranks that wait for work sleep between two looks for a message, so that they take no time from
 * those that are measured. */
#include "measure/measure.h"
#include "measure/serial.h"
#include "measure/strided.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_COMMAND = 1, TAG_FLOWS, TAG_READY, TAG_GO, TAG_RESULT };
enum { COMMAND_QUIT, COMMAND_BIND, COMMAND_RUN, COMMAND_SERIAL, COMMAND_STRIDED };
enum { MAX_FLOWS = 1 << 16, IDLE_NS = 5000000 };

typedef struct command {
  int what;
  int number; /* a CPU to bind to; samples */
  experiment_t e;
} command_t;

static const char *secret = ""; /* of the run; each line repeats it */

/* Begins a line of the protocol; the caller prints the rest. */
static void begin_line(void) { printf("{\"berth-measure\":1,\"run\":\"%s\",", secret); }

static void nap(long ns)
{
  struct timespec t = {0, ns};
  nanosleep(&t, NULL);
}

void measure_wait(void)
{
  MPI_Request request;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (!done) {
    nap(IDLE_NS);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

/* Receives, and sleeps until something is there. */
static void receive_asleep(void *data, int n, int from, int tag, long ns)
{
  int there = 0;
  for (;;) {
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there) break;
    nap(ns);
  }
  MPI_Recv(data, n, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* --- other ranks ------------------------------------------------------------------------------ */

static void go_of_follower(void *context)
{
  char byte = 0;
  (void)context;
  MPI_Send(&byte, 1, MPI_BYTE, 0, TAG_READY, MPI_COMM_WORLD);
  MPI_Recv(&byte, 1, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void give_up(const char *why)
{
  begin_line();
  printf("\"error\":\"%s\"}\n", why);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void take_part(const experiment_t *e, int rank)
{
  size_t n = (size_t)e->n_flows;
  flow_t *flows = malloc(n * sizeof *flows);
  double *seconds = calloc(n, sizeof *seconds);
  if (!flows || !seconds) give_up("out of memory");
  MPI_Recv(flows, (int)(n * sizeof *flows), MPI_BYTE, 0, TAG_FLOWS, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  if (engine_run(e, flows, rank, go_of_follower, NULL, seconds)) give_up("out of memory");
  MPI_Send(seconds, e->n_flows, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
  free(flows);
  free(seconds);
}

static void follow(int rank)
{
  for (;;) {
    command_t c;
    receive_asleep(&c, sizeof c, 0, TAG_COMMAND, 4000000);
    if (c.what == COMMAND_QUIT) return;
    if (c.what == COMMAND_SERIAL && !serial_run(NULL)) give_up("out of memory");
    if (c.what == COMMAND_STRIDED && !strided_run(c.number, NULL)) give_up("out of memory");
    if (c.what == COMMAND_RUN) take_part(&c.e, rank);
    if (c.what == COMMAND_BIND) {
      int done = place_bind(c.number);
      MPI_Send(&done, 1, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
  }
}

/* --- rank 0 ----------------------------------------------------------------------------------- */

typedef struct leader {
  int n_ranks;
  const flow_t *flows;
  const experiment_t *e;
  char *takes_part; /* per rank */
} leader_t;

static void go_of_leader(void *context)
{
  const leader_t *l = context;
  char byte = 0;
  for (int r = 1; r < l->n_ranks; r++)
    if (l->takes_part[r]) receive_asleep(&byte, 1, r, TAG_READY, 200000);
  for (int r = 1; r < l->n_ranks; r++)
    if (l->takes_part[r]) MPI_Send(&byte, 1, MPI_BYTE, r, TAG_GO, MPI_COMM_WORLD);
}

/* Each flow's receiver sends its result. */
static void collect(const leader_t *l, double *seconds)
{
  size_t n = (size_t)l->e->n_flows;
  double *theirs = malloc(n * sizeof *theirs);
  if (!theirs) give_up("out of memory");
  for (int r = 1; r < l->n_ranks; r++) {
    if (!l->takes_part[r]) continue;
    receive_asleep(theirs, (int)(n * sizeof *theirs), r, TAG_RESULT, 500000);
    for (size_t i = 0; i < n; i++)
      if (l->flows[i].dst == r) seconds[i] = theirs[i];
  }
  free(theirs);
}

static void lead(leader_t *l, double *seconds)
{
  command_t c = {.what = COMMAND_RUN, .e = *l->e};
  size_t n = (size_t)l->e->n_flows;
  memset(l->takes_part, 0, (size_t)l->n_ranks);
  for (size_t i = 0; i < n; i++)
    l->takes_part[l->flows[i].src] = l->takes_part[l->flows[i].dst] = 1;
  for (int r = 1; r < l->n_ranks; r++) {
    if (!l->takes_part[r]) continue;
    MPI_Send(&c, sizeof c, MPI_BYTE, r, TAG_COMMAND, MPI_COMM_WORLD);
    MPI_Send(l->flows, (int)(n * sizeof *l->flows), MPI_BYTE, r, TAG_FLOWS, MPI_COMM_WORLD);
  }
  if (l->takes_part[0]) {
    if (engine_run(l->e, l->flows, 0, go_of_leader, l, seconds)) give_up("out of memory");
  } else {
    go_of_leader(l);
  }
  collect(l, seconds);
}

static void answer(const double *seconds, int n)
{
  begin_line();
  printf("\"seconds\":[");
  for (int i = 0; i < n; i++) printf("%s%.9g", i ? "," : "", seconds[i]);
  printf("]}\n");
  fflush(stdout);
}

/* Reads `n` pairs of ranks. */
static int read_flows(const char *text, int n, int n_ranks, flow_t *flows)
{
  for (int i = 0; i < n; i++) {
    int used = 0;
    flow_t *f = &flows[i];
    if (sscanf(text, " %d %d%n", &f->src, &f->dst, &used) != 2) return 0;
    if (f->src < 0 || f->src >= n_ranks || f->dst < 0 || f->dst >= n_ranks || f->src == f->dst)
      return 0;
    text += used;
  }
  return 1;
}

/* Fills *e from an experiment's line and returns the beginning of its flows. NULL for other
 * lines. */
static const char *read_experiment(const char *line, experiment_t *e)
{
  int used = 0;
  *e = (experiment_t){.batch = 1, .depth = 1, .n_flows = 1};
  if (sscanf(line, "stream %zu %d %d %ld %lf %ld %lf %lf %d%n", &e->size, &e->batch, &e->depth,
             &e->warm, &e->warm_s, &e->count, &e->time_s, &e->hold_s, &e->n_flows, &used) == 9)
    return line + used;
  e->pingpong = sscanf(line, "pingpong %zu %ld %ld%n", &e->size, &e->warm, &e->count, &used) == 3;
  return e->pingpong ? line + used : NULL;
}

static int is_sound(const experiment_t *e)
{
  return e->size > 0 && e->size <= 1 << 30 && e->batch > 0 && e->batch <= 1 << 16 && e->depth > 0 &&
         e->depth <= 2 && e->n_flows > 0 && e->n_flows <= MAX_FLOWS && e->warm >= 0 &&
         (e->count > 0 || e->time_s > 0);
}

static void run_line(const char *line, leader_t *l)
{
  experiment_t e;
  const char *rest = read_experiment(line, &e);
  flow_t *flows = malloc(MAX_FLOWS * sizeof *flows);
  double *seconds = calloc(MAX_FLOWS, sizeof *seconds);
  if (!flows || !seconds) give_up("out of memory");
  if (!rest || !is_sound(&e) || !read_flows(rest, e.n_flows, l->n_ranks, flows))
    give_up("not a line of the protocol");
  l->e = &e;
  l->flows = flows;
  lead(l, seconds);
  answer(seconds, e.n_flows);
  free(flows);
  free(seconds);
}

static void bind_rank(int rank, int cpu, int n_ranks)
{
  command_t c = {.what = COMMAND_BIND, .number = cpu};
  int done = 0;
  if (rank == 0) {
    done = place_bind(cpu);
  } else if (rank > 0 && rank < n_ranks) {
    MPI_Send(&c, sizeof c, MPI_BYTE, rank, TAG_COMMAND, MPI_COMM_WORLD);
    receive_asleep(&done, sizeof done, rank, TAG_RESULT, 200000);
  }
  begin_line();
  printf("\"bound\":%s}\n", done ? "true" : "false");
  fflush(stdout);
}

static void say_who_is_there(const place_t *places, int n_ranks)
{
  transport_t t;
  transport_find(&t);
  begin_line();
  printf("\"ranks\":%d,\"mpi\":\"%s\",\"inside\":\"%s\",\"between\":\"%s\"}\n", n_ranks, t.mpi,
         t.inside, t.between);
  for (int r = 0; r < n_ranks; r++) {
    begin_line();
    printf("\"rank\":%d,\"host\":\"%s\",\"cpus\":\"%s\",\"load\":%.2f,\"cores\":%d}\n", r,
           places[r].host, places[r].cpus, places[r].load.processes, places[r].load.cores);
  }
  begin_line();
  printf("\"ready\":true}\n");
  fflush(stdout);
}

static void say_members(const char *text)
{
  begin_line();
  printf("%s}\n", text);
  fflush(stdout);
}

static void tell_all(int what, int number, int n_ranks)
{
  command_t c = {.what = what, .number = number};
  for (int r = 1; r < n_ranks; r++)
    MPI_Send(&c, sizeof c, MPI_BYTE, r, TAG_COMMAND, MPI_COMM_WORLD);
}

static void run_serial(int n_ranks)
{
  tell_all(COMMAND_SERIAL, 0, n_ranks);
  if (!serial_run(say_members)) give_up("out of memory");
}

static void run_strided(int samples, int n_ranks)
{
  if (n_ranks < 2 || samples < 1) give_up("expected at least 2 ranks and a sample");
  tell_all(COMMAND_STRIDED, samples, n_ranks);
  if (!strided_run(samples, say_members)) give_up("out of memory");
}

/* The end of standard input means quit: berth has ended. */
static void serve(int n_ranks)
{
  leader_t l = {.n_ranks = n_ranks, .takes_part = malloc((size_t)n_ranks)};
  char *line = NULL;
  size_t cap = 0;
  if (!l.takes_part) give_up("out of memory");
  while (getline(&line, &cap, stdin) >= 0 && strcmp(line, "quit\n") != 0) {
    int rank, cpu, samples;
    if (sscanf(line, "bind %d %d", &rank, &cpu) == 2)
      bind_rank(rank, cpu, n_ranks);
    else if (strcmp(line, "serial\n") == 0)
      run_serial(n_ranks);
    else if (sscanf(line, "strided %d", &samples) == 1)
      run_strided(samples, n_ranks);
    else
      run_line(line, &l);
  }
  tell_all(COMMAND_QUIT, 0, n_ranks);
  free(line);
  free(l.takes_part);
}

static char *near_ranks; /* of each rank: whether it is on this host */

int measure_is_near(int rank) { return near_ranks[rank]; }

static void find_near(int n_ranks)
{
  MPI_Comm host;
  MPI_Group all, here;
  int n, *from, *to;
  near_ranks = calloc((size_t)n_ranks, 1);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &n);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(host, &here);
  from = malloc(2 * (size_t)n * sizeof *from);
  if (!near_ranks || !from) give_up("out of memory");
  to = from + n;
  for (int i = 0; i < n; i++) from[i] = i;
  MPI_Group_translate_ranks(here, n, from, all, to);
  for (int i = 0; i < n; i++) near_ranks[to[i]] = 1;
  free(from);
  MPI_Group_free(&all);
  MPI_Group_free(&here);
  MPI_Comm_free(&host);
}

int main(int argc, char **argv)
{
  int rank, n_ranks;
  MPI_Init(&argc, &argv);
  if (argc > 1) secret = argv[1];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  place_t mine, *all = rank == 0 ? malloc((size_t)n_ranks * sizeof *all) : NULL;
  if (rank == 0 && !all) give_up("out of memory");
  place_find(&mine);
  find_near(n_ranks);
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    say_who_is_there(all, n_ranks);
    serve(n_ranks);
  } else {
    follow(rank);
  }
  free(all);
  free(near_ranks);
  MPI_Finalize();
  return 0;
}
