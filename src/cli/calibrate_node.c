/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures this machine step by step. The file has what was measured after each step, so the same
 * command goes on after an interruption. */
#include "cli/calibrate_node.h"

#include <berth/strided.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine_load.h"
#include "base/out_file.h"
#include "calib/job/seats.h"
#include "calib/job/strided_job.h"
#include "calib/node/calib_node.h"
#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/targets.h"
#include "cli/print/node_view.h"
#include "cli/print/progress.h"

typedef struct session {
  const calibrate_node_t *o;
  berth_topo_t *topo;
  int host;               /* this machine in it */
  berth_topo_t *replaced; /* the file's finished record is in it; the new one replaces it when it is
                             finished, too. NULL: there is none */
  calib_node_t *node;
  double begin_s;
  load_t load; /* before */
  size_t done_before;
} session_t;

static int samples_of(const calibrate_node_t *o)
{
  return o->samples ? o->samples : CALIB_NODE_SAMPLES;
}

static bool goes_on(void) { return cli_stopped_by() == 0; }

static int own_name(char *name, size_t size, berth_error_t *err)
{
  if (gethostname(name, size) == 0) {
    name[size - 1] = '\0';
    return BERTH_OK;
  }
  return berth_fail(err, BERTH_MISSING, "cannot read this machine's name: %s", strerror(errno));
}

static berth_topo_t *describe_this(const char *name, berth_error_t *err)
{
  char *text = berth_host_describe(0, err);
  berth_topo_t *t = text ? berth_topo_from_description(name, text, err) : NULL;
  free(text);
  return t;
}

/* A topology of one host is this machine's. */
static int find_host(const berth_topo_t *t, const char *name)
{
  return berth_topo_n_hosts(t) == 1 ? 0 : seats_find_host(t, name);
}

/* A file of this command: a topology with a record of this machine. NULL: it is none. */
static berth_topo_t *load_own(const char *path, const char *name)
{
  bool is_file = strcmp(path, "-") != 0 && access(path, R_OK) == 0;
  if (!is_file || load_kind(path) != FILE_TOPOLOGY) return NULL;
  berth_topo_t *t = berth_topo_load(path, NULL);
  int host = t ? find_host(t, name) : -1;
  if (host >= 0 && berth_topo_host_node(t, host)) return t;
  berth_topo_free(t);
  return NULL;
}

/* The file may be new, empty, or the topology of the command line. What else isn't of this command
 * stays. */
static int check_overwrites(const calibrate_node_t *o, berth_error_t *err)
{
  static const char *const kinds[] = {[FILE_PATTERN] = "a pattern",
                                      [FILE_TOPOLOGY] =
                                          "a topology without measurements of this machine",
                                      [FILE_MAPPING] = "a mapping",
                                      [FILE_OTHER] = "another file"};
  struct stat file;
  if (stat(o->output, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0 ||
      (o->topology && target_is_same(o->output, o->topology)))
    return BERTH_OK;
  file_kind_t kind = load_kind(o->output);
  berth_topo_t *whole = kind == FILE_TOPOLOGY ? berth_topo_load(o->output, err) : NULL;
  if (kind == FILE_TOPOLOGY && !whole) return err->code; /* it is damaged */
  berth_topo_free(whole);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found %s, expected a new file, or measurements of this machine; remove "
                    "the file or name another one",
                    o->output, kinds[kind]);
}

/* Whether a record is of this machine. */
static int check_processor(const session_t *s, const berth_node_t *before, berth_error_t *err)
{
  const char *was = berth_node_processor(before);
  const char *is = calib_node_machine(s->node)->processor;
  if (strcmp(was, is) == 0) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found measurements of \"%s\", expected those of this machine, \"%s\"; "
                    "remove the file or name another one",
                    s->o->output, was, is);
}

/* Whether something is added to a record: to an unfinished one, or messages in blocks to any. */
static bool is_continued(const calibrate_node_t *o, const berth_node_t *record)
{
  return o->launch.command || !berth_node_is_complete(record);
}

/* The tables of messages in blocks are another measurement, which stays. */
static int keep_tables(session_t *s, const berth_node_t *from, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < berth_node_n_strided(from) && !rc; i++)
    rc = berth_node_add_strided(calib_node_add_to(s->node), berth_node_strided_at(from, i), err);
  return rc;
}

static int prepare(session_t *s, berth_error_t *err)
{
  char name[256], date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  int rc = own_name(name, sizeof name, err);
  if (rc) return rc;
  berth_topo_t *earlier = load_own(s->o->output, name);
  if (!earlier) rc = check_overwrites(s->o, err);
  if (!rc) rc = out_check(s->o->output, err);
  const berth_node_t *record =
      earlier ? berth_topo_host_node(earlier, find_host(earlier, name)) : NULL;
  if (earlier && (rc || !is_continued(s->o, record))) {
    s->replaced = earlier;
    earlier = NULL;
  }
  if (rc) return rc;
  s->topo = earlier          ? earlier
            : s->o->topology ? load_topology("--topology", s->o->topology, err)
                             : describe_this(name, err);
  if (!s->topo) return err->code;
  s->host = find_host(s->topo, name);
  if (s->host < 0)
    return berth_fail(err, BERTH_BAD_INPUT, "%s: found no host %s, expected this machine in it",
                      s->o->topology ? s->o->topology : s->o->output, name);
  s->node = calib_node_new(date, samples_of(s->o), earlier ? record : NULL, err);
  if (!s->node) return err->code;
  if (record) rc = check_processor(s, record, err);
  return rc || !s->replaced ? rc : keep_tables(s, record, err);
}

static int write_file(session_t *s, berth_error_t *err)
{
  berth_topo_t *fitted = calib_node_fit(s->node, s->topo, s->host, err);
  int rc = fitted ? berth_topo_save(fitted, s->o->output, err) : err->code;
  berth_topo_free(fitted);
  return rc;
}

static bool to_file(const session_t *s) { return strcmp(s->o->output, "-") != 0; }

static int measure(session_t *s, berth_error_t *err)
{
  size_t n = calib_node_steps(s->node);
  int rc = BERTH_OK;
  while (!rc && calib_node_done(s->node) < n) {
    const char *what = calib_node_next(s->node);
    progress_parts("measuring", calib_node_done(s->node), n, what);
    rc = calib_node_do(s->node, goes_on, err);
    bool whole = calib_node_done(s->node) == n;
    if (!rc && to_file(s) && (whole || !s->replaced)) rc = write_file(s, err);
    if (rc || !s->o->verbose) continue;
    progress(NULL, NULL);
    fprintf(stderr, "%8.2f s  %s\n", clock_s() - s->begin_s, what);
  }
  progress(NULL, NULL);
  return rc;
}

static void tell_parts(int done, int parts)
{
  progress_parts("measuring", (size_t)done, (size_t)parts, "messages in blocks");
}

/* Whether the user's launcher starts what is needed, before the minutes of the node's steps. */
static int try_launch(const session_t *s, berth_error_t *err)
{
  job_t job;
  bool started;
  int rc = measuring_launch_start(&s->o->launch, &job, &started, err);
  if (!rc) rc = strided_job_check(&job, err);
  if (started) job_end(&job, !rc);
  return rc;
}

/* Messages whose data lie in blocks, by two ranks of the user's MPI. */
static int measure_strided(session_t *s, berth_error_t *err)
{
  job_t job;
  bool started;
  int rc = measuring_launch_start(&s->o->launch, &job, &started, err);
  if (!rc)
    rc = strided_job_measure(&job, samples_of(s->o), calib_node_add_to(s->node), tell_parts, err);
  progress(NULL, NULL);
  if (started) job_end(&job, !rc);
  return rc || !to_file(s) ? rc : write_file(s, err);
}

/* The signal that ended the work; 0: none. */
static int stopped_by(void) { return cli_stopped_by() ? cli_stopped_by() : job_interrupted(); }

static int stopped(const session_t *s)
{
  size_t done = calib_node_done(s->node);
  fprintf(stderr, "%s: interrupted", s->o->program);
  if (s->replaced && done < calib_node_steps(s->node))
    fprintf(stderr, "; %s has its earlier measurements", s->o->output);
  else if (to_file(s) && done > 0)
    fprintf(stderr, "; %s has %zu of %zu steps, and the same command goes on with it", s->o->output,
            done, calib_node_steps(s->node));
  else if (to_file(s))
    fprintf(stderr, "; nothing was written to %s", s->o->output);
  fputc('\n', stderr);
  return 128 + stopped_by();
}

static void print_result(const session_t *s)
{
  FILE *to = to_file(s) ? stdout : stderr;
  node_view_text(to, calib_node_record(s->node));
  fprintf(to, "\n%s: %zu of %zu steps%s measured in %.0f s\n", s->o->output,
          calib_node_steps(s->node) - s->done_before, calib_node_steps(s->node),
          s->o->launch.command ? " and messages in blocks" : "", clock_s() - s->begin_s);
  char busy[LOAD_TEXT];
  if (load_is_high(&s->load))
    fprintf(stderr, "%s: %s\n", s->o->program, load_text(&s->load, "this machine", busy));
}

static int run(session_t *s)
{
  berth_error_t err = {0}, later = {0};
  int rc = prepare(s, &err);
  s->begin_s = clock_s();
  if (!rc && (s->done_before = calib_node_done(s->node)) > 0 &&
      s->done_before < calib_node_steps(s->node))
    fprintf(stderr, "%s: %s has %zu of %zu steps; going on with the others\n", s->o->program,
            s->o->output, s->done_before, calib_node_steps(s->node));
  if (!rc && s->replaced)
    fprintf(stderr, "%s: %s is finished; measuring anew, and replacing it at the end\n",
            s->o->program, s->o->output);
  bool strided = s->o->launch.command != NULL;
  if (!rc && strided && s->done_before < calib_node_steps(s->node)) rc = try_launch(s, &err);
  if (!rc) rc = measure(s, &err);
  if (rc && s->node && stopped_by()) return stopped(s);
  if (rc) return cli_report(s->o->program, &err);
  if (strided && (rc = measure_strided(s, &err)) && !stopped_by()) cli_report(s->o->program, &err);
  if (!to_file(s) && write_file(s, &later)) return cli_report(s->o->program, &later);
  if (rc) return stopped_by() ? stopped(s) : rc;
  print_result(s);
  return BERTH_OK;
}

int calibrate_node(const calibrate_node_t *o)
{
  session_t s = {.o = o, .load = load_now()};
  berth_map_watch_t *watch = cli_checked(berth_map_watch_new());
  cli_watch_signals();
  cli_stop_gently(watch);
  int code = run(&s);
  cli_stop_gently(NULL);
  calib_node_free(s.node);
  berth_topo_free(s.topo);
  berth_topo_free(s.replaced);
  berth_map_watch_free(watch);
  return code;
}
