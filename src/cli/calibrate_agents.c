/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the measuring program with the collective library and agents, and fits the model's
 * parameters to its serial reductions: T = C + L + (hosts - 1)(r + c). C is what one host alone
 * takes, r the slope of receiving, c is measured by itself, L is the rest. */
#include "cli/calibrate_agents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/secret.h"
#include "base/text.h"
#include "calib/job/measuring_job.h"
#include "cli/cli.h"
#include "cli/mpi_library.h"
#include "cli/print/progress.h"

enum { PATIENCE_S = 120 }; /* for a time */

typedef enum what { RECEIVE, REDUCE, COMPUTE } what_t;

/* A time. What is computed has no executor. */
typedef struct row {
  what_t what;
  bool agent;
  int hosts, bytes;
  double seconds;
} row_t;

typedef struct serial {
  row_t *row;
  size_t n, cap;
  int ranks, agents;
  bool done;
} serial_t;

static int take_row(const json_place_t *at, serial_t *s)
{
  static const char *const names[] = {
      [RECEIVE] = "receive", [REDUCE] = "reduce", [COMPUTE] = "compute"};
  const char *executor, *what;
  row_t row = {0};
  int rc = json_get_string(at, "executor", JSON_NEEDED, &executor);
  if (!rc) rc = json_get_string(at, "what", JSON_NEEDED, &what);
  if (!rc) rc = json_get_int(at, "hosts", JSON_NEEDED, 1, 1 << 20, &row.hosts);
  if (!rc) rc = json_get_int(at, "bytes", JSON_NEEDED, 1, 1 << 30, &row.bytes);
  if (!rc) rc = json_get_number(at, "seconds", JSON_NEEDED, 0, false, &row.seconds);
  if (rc) return rc;
  while (row.what < COMPUTE && strcmp(what, names[row.what]) != 0) row.what++;
  row.agent = strcmp(executor, "agent") == 0;
  return ARRAY_ADD(&s->row, &s->n, &s->cap, row) ? BERTH_OK : no_memory(at->source->err);
}

static int take_line(const cJSON *line, serial_t *s, berth_error_t *err)
{
  const json_source_t source = {"the measuring job", 0, err, NULL};
  json_place_t at = json_root(&source, line);
  int rc = json_get_bool(&at, "done", JSON_OPTIONAL, &s->done);
  if (!rc) rc = json_get_int(&at, "agents", JSON_OPTIONAL, 0, 1 << 30, &s->agents);
  return rc || !cJSON_GetObjectItem(line, "executor") ? rc : take_row(&at, s);
}

/* It has measured in vain without an agent for each rank. */
static int check_agents(const serial_t *s, berth_error_t *err)
{
  if (s->agents == 0) return berth_fail(err, BERTH_MISSING, "the measuring job had no agents");
  if (s->ranks >= 3 && s->agents >= s->ranks) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found %d rank%s on %d host%s, expected one on each of at least 3 hosts",
                    s->ranks, text_plural(s->ranks), s->agents, text_plural(s->agents));
}

static int read_lines(job_t *job, serial_t *s, berth_error_t *err)
{
  int rc = job_say(job, "serial\n", err);
  while (!rc && !s->done) {
    cJSON *line;
    char text[64];
    snprintf(text, sizeof text, "with %d hosts", s->n ? s->row[s->n - 1].hosts : 1);
    progress("measuring serial reductions", text);
    rc = job_line(job, PATIENCE_S, &line, err);
    if (rc) break;
    rc = take_line(line, s, err);
    if (!rc) rc = check_agents(s, err);
    cJSON_Delete(line);
  }
  progress(NULL, NULL);
  return rc;
}

/* The launcher's command with the measuring program behind it, which gets the library and its
 * settings by `env`: that works with every launcher, and with scripts that start one. */
static int build(const calibrate_agents_t *c, const char *secret, char ***argv, berth_error_t *err)
{
  char *measure = NULL, *library = NULL, *preload = NULL;
  char **words = calloc(c->n + 10, sizeof *words);
  int rc = words ? mpi_library_measure(c->mpi, &measure, err) : no_memory(err);
  if (!rc) rc = mpi_library_coll(c->mpi, &library, err);
  if (!rc && !(preload = text_printf("LD_PRELOAD=%s", library))) rc = no_memory(err);
  if (!rc) {
    const char *const behind[] = {
        "env",   preload, "BERTH_AGENTS=1", "BERTH_AGENTS_CALLS=all", "BERTH_AGENTS_DEGREE=65535",
        measure, secret};
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) words[n++] = text_printf("%s", c->command[i]);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
      words[n++] = text_printf("%s", behind[i]);
    for (size_t i = 0; i < n && !rc; i++)
      if (!words[i]) rc = no_memory(err);
  }
  *argv = words;
  free(measure);
  free(library);
  free(preload);
  return rc;
}

static void print_line(const char *line) { fprintf(stderr, "%s\n", line); }

static int measure(const calibrate_agents_t *c, serial_t *s, berth_error_t *err)
{
  char secret[SECRET_LENGTH + 1], **argv = NULL;
  job_t job;
  int rc = secret_make(secret, err);
  if (!rc) rc = build(c, secret, &argv, err);
  if (!rc) {
    progress("starting", argv[0]);
    rc = job_start(&job, argv, secret, print_line, err);
    s->ranks = job.n_ranks;
    if (!rc) rc = read_lines(&job, s, err);
    job_end(&job, !rc);
  }
  launch_free_argv(argv);
  return rc;
}

/* A line by least squares through the times of several hosts. */
typedef struct fit {
  double slope, at_none; /* seconds for each more sender, and without any */
} fit_t;

static fit_t fit_of(const serial_t *s, bool agent, int bytes)
{
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < s->n; i++) {
    const row_t *r = &s->row[i];
    if (r->what != RECEIVE || r->agent != agent || r->bytes != bytes || r->hosts < 2) continue;
    double senders = r->hosts - 1;
    n++;
    x += senders;
    y += r->seconds;
    xx += senders * senders;
    xy += senders * r->seconds;
  }
  double slope = (n * xy - x * y) / (n * xx - x * x);
  return (fit_t){fmax(slope, 0), (y - slope * x) / n};
}

/* The time of one host; -1: there is none. */
static double alone(const serial_t *s, what_t what, bool agent, int bytes)
{
  for (size_t i = 0; i < s->n; i++) {
    const row_t *r = &s->row[i];
    if (r->what == what && r->agent == agent && r->hosts == 1 && r->bytes == bytes)
      return r->seconds;
  }
  return -1;
}

/* The sizes that were measured, rising. */
static size_t sizes_of(const serial_t *s, int *bytes, size_t most)
{
  size_t n = 0;
  for (size_t i = 0; i < s->n && n < most; i++)
    if (s->row[i].what == COMPUTE) bytes[n++] = s->row[i].bytes;
  return n;
}

enum { MOST_SIZES = 16 };

typedef struct executor {
  double start_s, latency_s;
  double receive_s[MOST_SIZES], compute_s[MOST_SIZES];
} executor_t;

static executor_t parameters_of(const serial_t *s, bool agent, const int *bytes, size_t n)
{
  executor_t e = {.start_s = fmax(0, alone(s, REDUCE, agent, bytes[0]))};
  e.latency_s = fmax(0, fit_of(s, agent, bytes[0]).at_none - e.start_s);
  for (size_t i = 0; i < n; i++) {
    e.receive_s[i] = fit_of(s, agent, bytes[i]).slope;
    e.compute_s[i] = alone(s, COMPUTE, false, bytes[i]);
  }
  return e;
}

static void put_points(json_out_t *j, const char *key, const int *amounts, int unit,
                       const double *seconds, size_t n)
{
  json_open(j, key, '[', JSON_ONE_LINE);
  for (size_t i = 0; i < n; i++) {
    json_open(j, NULL, '[', JSON_ONE_LINE);
    json_put_number(j, NULL, amounts[i] / unit);
    json_put_number(j, NULL, seconds[i]);
    json_close(j);
  }
  json_close(j);
}

static void put_executor(json_out_t *j, const char *key, const executor_t *e, const int *bytes,
                         size_t n)
{
  const int element = (int)sizeof(double);
  json_open(j, key, '{', JSON_LINES);
  json_put_number(j, "latency_s", e->latency_s);
  json_put_number(j, "start_s", e->start_s);
  put_points(j, "receive_bytes_s", bytes, 1, e->receive_s, n);
  json_open(j, "compute", '[', JSON_LINES);
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "operation", "sum");
  json_put_string(j, "type", "double");
  json_put_u64(j, "element_bytes", (uint64_t)element);
  put_points(j, "elements_s", bytes, element, e->compute_s, n);
  json_close(j);
  json_close(j);
  json_close(j);
}

/* How far the measured reductions are from the model's, at most and on average. */
static void say_error(const serial_t *s, const executor_t *e, const char *name, bool agent,
                      const int *bytes, size_t n)
{
  double most = 0, sum = 0, count = 0;
  for (size_t k = 0; k < s->n; k++) {
    const row_t *r = &s->row[k];
    if (r->what != REDUCE || r->agent != agent || r->hosts < 2 || r->seconds <= 0) continue;
    for (size_t i = 0; i < n; i++) {
      if (bytes[i] != r->bytes) continue;
      double model =
          e->start_s + e->latency_s + (r->hosts - 1) * (e->receive_s[i] + e->compute_s[i]);
      double error = fabs(model / r->seconds - 1);
      most = fmax(most, error);
      sum += error;
      count++;
    }
  }
  if (count == 0) count = 1;
  char latency[TEXT_NUMBER], start[TEXT_NUMBER], receive[TEXT_NUMBER];
  printf("%-6s start %s, latency %s, %s for each message of %d B; the model is %.0f%% off the "
         "measured reductions on average, %.0f%% at most\n",
         name, text_seconds(e->start_s, start), text_seconds(e->latency_s, latency),
         text_seconds(e->receive_s[0], receive), bytes[0], 100 * sum / count, 100 * most);
}

static int write_result(const calibrate_agents_t *c, const serial_t *s, berth_error_t *err)
{
  int bytes[MOST_SIZES];
  size_t n = sizes_of(s, bytes, MOST_SIZES);
  json_out_t j;
  if (n == 0) return berth_fail(err, BERTH_MISSING, "the measuring job measured nothing");
  executor_t host = parameters_of(s, false, bytes, n), agent = parameters_of(s, true, bytes, n);
  int rc = json_begin(&j, c->output, "berth-agents", err);
  if (rc) return rc;
  json_put_made(&j, "name", text_printf("%d hosts", s->ranks));
  put_executor(&j, "host", &host, bytes, n);
  put_executor(&j, "agent", &agent, bytes, n);
  json_close(&j);
  rc = out_commit(j.out, err);
  if (rc || strcmp(c->output, "-") == 0) return rc;
  say_error(s, &host, "hosts:", false, bytes, n);
  say_error(s, &agent, "agents:", true, bytes, n);
  printf("berth agents %s estimates reductions\n", c->output);
  return BERTH_OK;
}

int calibrate_agents(const calibrate_agents_t *c)
{
  berth_error_t err = {0};
  serial_t s = {0};
  int rc = out_check(c->output, &err);
  if (!rc) rc = measure(c, &s, &err);
  if (!rc) rc = write_result(c, &s, &err);
  free(s.row);
  if (!rc) return BERTH_OK;
  cli_report(c->program, &err);
  return job_interrupted() ? 128 + job_interrupted() : rc;
}
