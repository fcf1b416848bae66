/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the measuring program with the collective library and agents, and fits the model's
 * parameters to its serial reductions: T = C + L + (hosts - 1)(r + c). C is what one host alone
 * takes, c is measured by itself, L and r follow by least squares. Trees of agents are measured,
 * too, to see how far the model is off. */
#include "cli/calibrate_agents.h"

#include <berth/agents.h>
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

/* A reduction by agents, by a tree. */
typedef struct tree_row {
  int hosts, degree, bytes;
  double seconds;
} tree_row_t;

typedef struct serial {
  row_t *row;
  size_t n, cap;
  tree_row_t *tree;
  size_t trees, tree_cap;
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

static int take_tree(const json_place_t *at, serial_t *s)
{
  tree_row_t row = {0};
  int rc = json_get_int(at, "hosts", JSON_NEEDED, 1, 1 << 20, &row.hosts);
  if (!rc) rc = json_get_int(at, "degree", JSON_NEEDED, 2, 1 << 20, &row.degree);
  if (!rc) rc = json_get_int(at, "bytes", JSON_NEEDED, 1, 1 << 30, &row.bytes);
  if (!rc) rc = json_get_number(at, "seconds", JSON_NEEDED, 0, false, &row.seconds);
  if (rc) return rc;
  return ARRAY_ADD(&s->tree, &s->trees, &s->tree_cap, row) ? BERTH_OK : no_memory(at->source->err);
}

static int take_line(const cJSON *line, serial_t *s, berth_error_t *err)
{
  const json_source_t source = {"the measuring job", 0, err, NULL};
  json_place_t at = json_root(&source, line);
  int rc = json_get_bool(&at, "done", JSON_OPTIONAL, &s->done);
  if (!rc) rc = json_get_int(&at, "agents", JSON_OPTIONAL, 0, 1 << 30, &s->agents);
  if (!rc && cJSON_GetObjectItem(line, "executor")) rc = take_row(&at, s);
  if (!rc && cJSON_GetObjectItem(line, "degree")) rc = take_tree(&at, s);
  return rc;
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
    const char *const behind[] = {"env",   preload, "BERTH_AGENTS=1", "BERTH_AGENTS_CALLS=all",
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

static void say_load(const calibrate_agents_t *c, const job_rank_t *busiest)
{
  char busy[LOAD_TEXT];
  if (load_is_high(&busiest->load))
    fprintf(stderr, "%s: %s\n", c->program, load_text(&busiest->load, busiest->host, busy));
}

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
    if (!rc) say_load(c, job_busiest(&job));
    if (!rc) rc = read_lines(&job, s, err);
    job_end(&job, !rc);
  }
  launch_free_argv(argv);
  return rc;
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

/* Sums over the times of several hosts: x is the number of senders, y the time without C. */
typedef struct sums {
  double n, x, y, xx, xy;
} sums_t;

static sums_t sums_of(const serial_t *s, bool agent, int bytes, double start_s)
{
  sums_t f = {0};
  for (size_t i = 0; i < s->n; i++) {
    const row_t *r = &s->row[i];
    if (r->what != RECEIVE || r->agent != agent || r->bytes != bytes || r->hosts < 2) continue;
    double senders = r->hosts - 1, seconds = r->seconds - start_s;
    f.n++;
    f.x += senders;
    f.y += seconds;
    f.xx += senders * senders;
    f.xy += senders * seconds;
  }
  return f;
}

/* By least squares: L, which isn't below 0, with the shortest messages; then r of each size, which
 * isn't below that of a smaller one. */
static executor_t parameters_of(const serial_t *s, bool agent, const int *bytes, size_t n)
{
  executor_t e = {.start_s = fmax(0, alone(s, REDUCE, agent, bytes[0]))};
  const sums_t f = sums_of(s, agent, bytes[0], e.start_s);
  e.latency_s = fmax(0, (f.y * f.xx - f.x * f.xy) / (f.n * f.xx - f.x * f.x));
  for (size_t i = 0; i < n; i++) {
    const sums_t of = sums_of(s, agent, bytes[i], e.start_s);
    e.receive_s[i] = fmax(i ? e.receive_s[i - 1] : 0, (of.xy - e.latency_s * of.x) / of.xx);
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

static void put_trees(json_out_t *j, const serial_t *s)
{
  json_open(j, "trees", '[', JSON_LINES);
  for (size_t i = 0; i < s->trees; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "hosts", (uint64_t)s->tree[i].hosts);
    json_put_u64(j, "degree", (uint64_t)s->tree[i].degree);
    json_put_u64(j, "bytes", (uint64_t)s->tree[i].bytes);
    json_put_number(j, "measured_s", s->tree[i].seconds);
    json_close(j);
  }
  json_close(j);
}

/* What the model makes of a tree, and how long its messages take one after the other: hosts that
 * share cores can't do better. */
typedef struct predicted {
  double model, serial;
} predicted_t;

static predicted_t predict(const berth_agents_t *a, const tree_row_t *t)
{
  const berth_reduction_t r = {a, "sum", "double", t->hosts, t->bytes / (int)sizeof(double)};
  return (predicted_t){
      berth_reduction_time(&r, BERTH_REDUCE_AGENT, (berth_reduce_tree_t){t->degree, 0}),
      berth_reduction_serial(&r, BERTH_REDUCE_AGENT)};
}

/* How far both are off, on average, in the times of a size. */
static void say_size(const berth_agents_t *a, const serial_t *s, int bytes)
{
  double model = 0, serial = 0, n = 0;
  char size[TEXT_NUMBER];
  for (size_t i = 0; i < s->trees; i++) {
    const tree_row_t *t = &s->tree[i];
    if (t->bytes != bytes) continue;
    const predicted_t p = predict(a, t);
    model += fabs(p.model / t->seconds - 1);
    serial += fabs(p.serial / t->seconds - 1);
    n++;
  }
  printf("%10s: the model is %.0f%% off on average, one message after the other %.0f%%\n",
         text_bytes(bytes, size), 100 * model / n, 100 * serial / n);
}

/* What was measured of trees, with all hosts. The parameters aren't from trees, so the model
 * predicts them. */
static void say_trees(const berth_agents_t *a, const serial_t *s)
{
  char size[TEXT_NUMBER], measured[TEXT_NUMBER], model[TEXT_NUMBER], serial[TEXT_NUMBER];
  printf("\nReductions by agents' trees on %d hosts\n%10s %8s %12s %12s %24s\n", s->ranks, "",
         "degree", "measured", "model", "one after the other");
  for (size_t i = 0; i < s->trees; i++) {
    const tree_row_t *t = &s->tree[i];
    if (t->hosts != s->ranks) continue;
    const predicted_t p = predict(a, t);
    printf("%10s %8d %12s %12s %24s\n", text_bytes(t->bytes, size), t->degree,
           text_seconds(t->seconds, measured), text_seconds(p.model, model),
           text_seconds(p.serial, serial));
  }
  printf("On 3 to %d hosts:\n", s->ranks);
  for (size_t i = 0; i < s->trees && s->tree[i].degree == s->tree[0].degree &&
                     s->tree[i].hosts == s->tree[0].hosts;
       i++)
    say_size(a, s, s->tree[i].bytes);
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
  put_trees(&j, s);
  json_close(&j);
  rc = out_commit(j.out, err);
  if (rc || strcmp(c->output, "-") == 0) return rc;
  say_error(s, &host, "hosts:", false, bytes, n);
  say_error(s, &agent, "agents:", true, bytes, n);
  berth_agents_t *a = s->trees ? berth_agents_load(c->output, err) : NULL;
  if (s->trees && !a) return err->code;
  if (a) say_trees(a, s);
  berth_agents_free(a);
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
  free(s.tree);
  if (!rc) return BERTH_OK;
  cli_report(c->program, &err);
  return job_interrupted() ? 128 + job_interrupted() : rc;
}
