/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the job that measures, and has it do experiments by the protocol of src/measure. */
#include "calib/job/measuring_job.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/no_memory.h"

enum { START_S = 120, PATIENCE_S = 60, LONGEST_LINE = 1 << 24 };

static volatile sig_atomic_t interrupted;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[N_SIGNALS], before_pipe;
static sigset_t blocked_before;

static void on_signal(int number) { interrupted = number; }

int job_interrupted(void) { return interrupted; }

/* What a script has ignored stays ignored. A job that is gone shows when it is read from. A thread
 * that waits for signals has them blocked in all: here they are not, nor in the job, which would
 * never end by them. */
static void catch_signals(void)
{
  struct sigaction action = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};
  sigset_t open;
  interrupted = 0;
  sigemptyset(&open);
  for (int i = 0; i < N_SIGNALS; i++) {
    sigaction(signals[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
    sigaddset(&open, signals[i]);
  }
  pthread_sigmask(SIG_UNBLOCK, &open, &blocked_before);
  sigaction(SIGPIPE, &ignore, &before_pipe);
}

static void release_signals(void)
{
  pthread_sigmask(SIG_SETMASK, &blocked_before, NULL);
  for (int i = 0; i < N_SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
  sigaction(SIGPIPE, &before_pipe, NULL);
}

/* Waits for the job's end, at most that long; it isn't waited for again. */
static bool await_end(job_t *job, double seconds, process_end_t *end)
{
  for (double until = clock_s() + seconds; clock_s() < until; usleep(10000))
    if (process_has_ended(&job->process, end)) return end->signal || end->code >= 0;
  return false;
}

/* The job closed its output, or doesn't read: how it ended. A launcher does so a little later. */
static int gone(job_t *job, berth_error_t *err)
{
  const char *when = job->is_ready ? "before it was done" : "before its ranks said where they are";
  char how[64];
  process_end_t end;
  if (interrupted)
    return berth_fail(err, BERTH_MISSING, "interrupted by signal %d", (int)interrupted);
  if (job->process.pid <= 0 || !await_end(job, 5, &end))
    return berth_fail(err, BERTH_MISSING, "the measuring job, %.60s, closed its output %s",
                      job->launcher, when);
  return berth_fail(err, BERTH_MISSING, "the measuring job, %.60s, %s %s", job->launcher,
                    process_end_text(end, how, sizeof how), when);
}

/* Reads more of what the job says, until a time. */
static int read_more(job_t *job, double until, berth_error_t *err)
{
  struct pollfd p = {.fd = job->process.from, .events = POLLIN};
  double left = until - clock_s();
  int ready = left > 0 ? poll(&p, 1, (int)(left * 1e3) + 1) : 0;
  if (interrupted || (ready < 0 && errno != EINTR)) return gone(job, err);
  if (ready == 0 && left <= 0)
    return berth_fail(err, BERTH_MISSING, "the measuring job does not answer");
  if (ready <= 0) return BERTH_OK;
  if (job->used > LONGEST_LINE)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "the measuring job: found a line of more than %d bytes, expected less",
                      LONGEST_LINE);
  if (!array_reserve(&job->buffer, &job->cap, job->used + 65536, 1)) return no_memory(err);
  ssize_t n = read(job->process.from, job->buffer + job->used, 65535);
  if (n <= 0) return n < 0 && errno == EINTR && !interrupted ? BERTH_OK : gone(job, err);
  job->used += (size_t)n;
  job->buffer[job->used] = '\0';
  return BERTH_OK;
}

/* Lines that aren't of the protocol are for the user. */
int job_line(job_t *job, double patience_s, cJSON **out, berth_error_t *err)
{
  double until = clock_s() + patience_s;
  for (*out = NULL; !*out;) {
    char *end = job->used ? memchr(job->buffer, '\n', job->used) : NULL;
    if (!end) {
      int rc = read_more(job, until, err);
      if (rc) return rc;
      continue;
    }
    *end = '\0';
    const char *record = strstr(job->buffer, job->begin);
    json_source_t source = {"the measuring job", 0, err, NULL};
    if (record)
      *out = json_parse(record, strlen(record), &source);
    else
      job->other_line(job->buffer);
    if (record && !*out) return err->code;
    size_t line = (size_t)(end + 1 - job->buffer);
    memmove(job->buffer, end + 1, job->used - line);
    job->used -= line;
  }
  return BERTH_OK;
}

/* A line that isn't the one that was waited for: an error that the job tells, or nonsense. */
static int unexpected(const cJSON *line, berth_error_t *err)
{
  const char *why = cJSON_GetStringValue(cJSON_GetObjectItem(line, "error"));
  return berth_fail(err, BERTH_BAD_INPUT, "the measuring job: %s",
                    why ? why : "found a line of another kind, expected a result");
}

static int take_hello(job_t *job, const json_place_t *at)
{
  const char *mpi, *inside, *between;
  int rc = json_get_int(at, "ranks", JSON_NEEDED, 1, 1 << 24, &job->n_ranks);
  if (!rc) rc = json_get_string(at, "mpi", JSON_NEEDED, &mpi);
  if (!rc) rc = json_get_string(at, "inside", JSON_NEEDED, &inside);
  if (!rc) rc = json_get_string(at, "between", JSON_NEEDED, &between);
  if (rc) return rc;
  job->mpi = strdup(mpi);
  job->inside = strdup(inside);
  job->between = strdup(between);
  job->ranks = calloc((size_t)job->n_ranks, sizeof *job->ranks);
  if (job->mpi && job->inside && job->between && job->ranks) return BERTH_OK;
  return no_memory(at->source->err);
}

static int take_rank(job_t *job, const json_place_t *at)
{
  int rank;
  const char *host, *cpus;
  load_t load = {0};
  int rc = json_get_int(at, "rank", JSON_NEEDED, 0, job->n_ranks - 1, &rank);
  if (!rc) rc = json_get_string(at, "host", JSON_NEEDED, &host);
  if (!rc) rc = json_get_string(at, "cpus", JSON_NEEDED, &cpus);
  if (!rc) rc = json_get_number(at, "load", JSON_OPTIONAL, 0, 0, &load.processes);
  if (!rc) rc = json_get_int(at, "cores", JSON_OPTIONAL, 0, 1 << 24, &load.cores);
  if (rc || job->ranks[rank].host) return rc;
  job->ranks[rank] = (job_rank_t){strdup(host), strdup(cpus), load};
  if (job->ranks[rank].host && job->ranks[rank].cpus) return BERTH_OK;
  return no_memory(at->source->err);
}

bool job_is_one_host(const job_t *job)
{
  for (int r = 1; r < job->n_ranks; r++)
    if (strcmp(job->ranks[r].host, job->ranks[0].host) != 0) return false;
  return true;
}

const job_rank_t *job_busiest(const job_t *job)
{
  const job_rank_t *busiest = &job->ranks[0];
  for (int r = 1; r < job->n_ranks; r++) {
    const load_t *a = &job->ranks[r].load, *b = &busiest->load;
    if (a->processes * b->cores > b->processes * a->cores) busiest = &job->ranks[r];
  }
  return busiest;
}

static int read_ranks(job_t *job, berth_error_t *err)
{
  json_source_t source = {"the measuring job", 0, err, NULL};
  for (bool ready = false; !ready;) {
    cJSON *line;
    int rc = job_line(job, START_S, &line, err);
    if (rc) return rc;
    json_place_t at = json_root(&source, line);
    ready = cJSON_IsTrue(cJSON_GetObjectItem(line, "ready"));
    if (!job->ranks && cJSON_GetObjectItem(line, "ranks"))
      rc = take_hello(job, &at);
    else if (job->ranks && cJSON_GetObjectItem(line, "rank"))
      rc = take_rank(job, &at);
    else if (!ready)
      rc = unexpected(line, err);
    cJSON_Delete(line);
    if (rc) return rc;
  }
  for (int r = 0; r < job->n_ranks; r++)
    if (!job->ranks[r].host)
      return berth_fail(err, BERTH_BAD_INPUT, "the measuring job: found nothing about rank %d", r);
  if (job->n_ranks && job_is_one_host(job))
    *job->between = '\0'; /* nothing carries messages there */
  return job->n_ranks ? BERTH_OK : unexpected(NULL, err);
}

int job_start(job_t *job, char *const *argv, const char *secret, void (*other_line)(const char *),
              berth_error_t *err)
{
  *job = (job_t){.process = {0, -1, -1}, .other_line = other_line};
  snprintf(job->begin, sizeof job->begin, "{\"berth-measure\":1,\"run\":\"%s\",", secret);
  snprintf(job->launcher, sizeof job->launcher, "%s", argv[0]);
  catch_signals();
  int rc = process_start(&job->process, argv, PROCESS_BOTH, err);
  if (!rc) rc = read_ranks(job, err);
  job->is_ready = !rc;
  return rc;
}

int job_say(job_t *job, const char *text, berth_error_t *err)
{
  for (size_t n = strlen(text); n > 0;) {
    ssize_t written = write(job->process.to, text, n);
    if (written < 0 && errno == EINTR && !interrupted) continue;
    if (written <= 0) return gone(job, err);
    text += written;
    n -= (size_t)written;
  }
  return BERTH_OK;
}

int job_bind(job_t *job, int rank, int cpu, berth_error_t *err)
{
  char text[64];
  cJSON *line;
  snprintf(text, sizeof text, "bind %d %d\n", rank, cpu);
  int rc = job_say(job, text, err);
  if (!rc) rc = job_line(job, PATIENCE_S, &line, err);
  if (rc) return rc;
  const cJSON *bound = cJSON_GetObjectItem(line, "bound");
  if (!cJSON_IsBool(bound))
    rc = unexpected(line, err);
  else if (cJSON_IsFalse(bound))
    rc = berth_fail(err, BERTH_MISSING,
                    "rank %d could not be bound to PU %d of host \"%.60s\", expected that it may "
                    "run there as its launcher said",
                    rank, cpu, job->ranks[rank].host);
  cJSON_Delete(line);
  return rc;
}

static char *experiment_line(const berth_calib_experiment_t *e, const int *rank_of_pu)
{
  size_t cap = 200 + 24 * e->n_flows, n;
  char *text = malloc(cap);
  if (!text) return NULL;
  if (e->mode == BERTH_CALIB_PINGPONG)
    n = (size_t)snprintf(text, cap, "pingpong %zu %ld %ld", e->size, e->warm, e->count);
  else
    n = (size_t)snprintf(text, cap, "stream %zu %d %d %ld %.6f %ld %.6f %.6f %zu", e->size,
                         e->batch, e->depth, e->warm, e->warm_s, e->count, e->time_s, e->hold_s,
                         e->n_flows);
  for (size_t i = 0; i < e->n_flows; i++)
    n += (size_t)snprintf(text + n, cap - n, " %d %d", rank_of_pu[e->flows[i].src],
                          rank_of_pu[e->flows[i].dst]);
  snprintf(text + n, cap - n, "\n");
  return text;
}

static int take_seconds(const cJSON *line, size_t n, double *seconds, berth_error_t *err)
{
  const cJSON *list = cJSON_GetObjectItem(line, "seconds"), *node;
  size_t found = 0;
  cJSON_ArrayForEach(node, list) if (found < n && cJSON_IsNumber(node)) seconds[found++] =
      node->valuedouble;
  return list && found == n ? BERTH_OK : unexpected(line, err);
}

int job_run(job_t *job, const berth_calib_experiment_t *e, const int *rank_of_pu, double patience_s,
            double *seconds, berth_error_t *err)
{
  char *text = experiment_line(e, rank_of_pu);
  if (!text) return no_memory(err);
  int rc = job_say(job, text, err);
  free(text);
  cJSON *line;
  if (!rc) rc = job_line(job, fmax(patience_s, PATIENCE_S + 30 * e->estimate_s), &line, err);
  if (rc) return rc;
  rc = take_seconds(line, e->n_flows, seconds, err);
  cJSON_Delete(line);
  return rc;
}

/* Ends it with one signal after another. */
static void end_process(job_t *job, bool kindly)
{
  process_end_t end;
  process_t *p = &job->process;
  if (!kindly) kill(p->pid, SIGTERM);
  await_end(job, kindly ? 20 : 10, &end);
  if (p->pid > 0) kill(p->pid, SIGTERM);
  if (p->pid > 0) await_end(job, 5, &end);
  if (p->pid > 0) kill(p->pid, SIGKILL);
}

void job_end(job_t *job, bool kindly)
{
  process_t *p = &job->process;
  if (p->pid > 0 && kindly) job_say(job, "quit\n", NULL);
  if (p->to >= 0) close(p->to);
  p->to = -1;
  if (p->pid > 0) end_process(job, kindly);
  process_wait(p);
  release_signals();
  for (int r = 0; r < job->n_ranks && job->ranks; r++) {
    free(job->ranks[r].host);
    free(job->ranks[r].cpus);
  }
  free(job->ranks);
  free(job->buffer);
  free(job->mpi);
  free(job->inside);
  free(job->between);
}
