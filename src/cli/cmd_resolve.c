/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth resolve` and `berth recover`: what `berth trace` does at the end of a job, for jobs that
 * it didn't start. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/left_session.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/trace_files.h"

enum { OPT_TIME_LIMIT = 256 };

typedef struct options {
  const char *input, *output;
  double seconds; /* for resolving, 0: the default */
} options_t;

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case 'o':
    o->output = arg;
    break;
  case OPT_TIME_LIMIT:
    o->seconds = cli_seconds(state, "--time-limit", arg);
    if (o->seconds == 0) o->seconds = 1e-9; /* 0 stands for the default */
    break;
  case ARGP_KEY_ARG:
    if (o->input) argp_error(state, "found '%s' behind '%s', expected one name", arg, o->input);
    o->input = arg;
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_option resolve_options[] = {
    {"output", 'o', "OUT", 0, "Write to OUT instead of FILE itself.", 0},
    {"time-limit", OPT_TIME_LIMIT, "SECONDS", 0,
     "For reading all programs and libraries together (default 120). Call sites in those that are "
     "left stay as they are.",
     0},
    {0}};

static const struct argp resolve_argp = {
    .options = resolve_options,
    .parser = parse_option,
    .children = memory_children,
    .args_doc = "FILE [-o OUT]",
    .doc = "Gives the call sites of a trace their functions, files and lines, as far as this "
           "machine has the programs that were traced."};

static int run_resolve(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  int wrong = cli_parse(&resolve_argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  if (!o.input) {
    berth_fail(&err, BERTH_USAGE, "expected a trace");
    return cli_report(argv[0], &err);
  }
  trace_target_t target = {
      .program = argv[0], .path = o.output ? o.output : o.input, .resolve_s = o.seconds};
  berth_pattern_t *p = load_pattern(NULL, o.input, false, &err);
  if (!p || trace_write(&target, p, NULL, &err)) cli_report(argv[0], &err);
  berth_pattern_free(p);
  return err.code;
}

static const struct argp_option recover_options[] = {
    {"output", 'o', "OUT", 0, "The trace (default: berth-recovered.acp.zst).", 0}, {0}};

static const struct argp recover_argp = {
    .options = recover_options,
    .parser = parse_option,
    .args_doc = "[-o OUT] [DIR]",
    .doc = "Makes traces of the tables that crashed jobs left in a spool folder (default: the one "
           "that the tracer uses). The tables stay where they are. Without a folder it also takes "
           "what a killed `berth trace` left, whose job wrote its trace in a hidden folder."};

/* A folder that nobody named may be another user's: below /tmp anyone can make one. */
static berth_spool_t *open_spool(const char *dir, bool named, berth_error_t *err)
{
  return named ? berth_spool_open(dir, err) : berth_spool_open_own(dir, err);
}

/* Makes traces of what one killed session's job left; then nothing of it is left. */
static int take_session(const left_session_t *s, trace_target_t *target, berth_error_t *err)
{
  int rc = trace_take_left(target, s->dir, s->spool, err);
  if (rc) return rc;
  left_session_end(s->spool, -1);
  trace_remove_folder(s->dir);
  rmdir(s->spool);
  return BERTH_OK;
}

/* All of them: under the names that they asked for, or as -o says. One that can't be taken keeps no
 * other from it; the error is the first one's. */
static int take_left(const options_t *o, trace_target_t *target, berth_error_t *err)
{
  left_sessions_t left;
  int rc = left_sessions_find(&left, err);
  for (size_t i = 0; i < left.n; i++) {
    berth_error_t why = {0};
    trace_target_t own = {
        .program = target->program, .path = left.list[i].output, .keep_old = left.list[i].keep_old};
    int one = take_session(&left.list[i], o->output ? target : &own, &why);
    if (one && !rc) rc = berth_fail(err, one, "%s", why.text);
    target->written += own.written;
  }
  left_sessions_clear(&left);
  return rc;
}

/* There is nothing in the tracer's folder, and no killed session: a job that still runs may be what
 * was meant. */
static int nothing_left(const char *dir, berth_error_t *err)
{
  running_t list = {0};
  berth_tables_info_t info;
  size_t i = 0;
  int rc = running_find(&list, err);
  while (!rc && i < list.n && !left_session_will_have(&list.ranks[i])) i++;
  if (!rc && i < list.n && berth_tables_look(list.ranks[i].path, &info, NULL) == BERTH_OK) {
    long pid = list.ranks[i].pid;
    rc =
        berth_fail(err, BERTH_MISSING,
                   "found nothing to recover: the traced job of process %ld (%s) is still running; "
                   "`berth snapshot %ld` makes a trace of what it has counted",
                   pid, info.command, pid);
  }
  running_clear(&list);
  if (rc) return rc;
  const char *parent = trace_spool_parent();
  return berth_fail(err, BERTH_MISSING,
                    "found nothing to recover: no tables of ranks in %s, and nothing of a killed "
                    "`berth trace` in %s",
                    dir, parent);
}

static int run_recover(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  int wrong = cli_parse(&recover_argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  char *dir = o.input ? strdup(o.input) : berth_spool_folder(&err);
  if (!dir) no_memory(&err);
  trace_target_t target = {.program = argv[0],
                           .path = o.output ? o.output : "berth-recovered.acp.zst",
                           .chosen = !o.output};
  int rc = !dir ? BERTH_MISSING : o.input ? BERTH_OK : take_left(&o, &target, &err);
  struct stat st;
  const char *set = getenv("BERTH_TRACE_SPOOL");
  bool named = o.input || (set && *set), there = dir && lstat(dir, &st) == 0;
  if (!rc && (there || (named && target.written == 0)))
    rc = trace_recover(&target, open_spool(dir, o.input != NULL, &err), false, &err);
  if (!rc && target.written == 0)
    rc = !named ? nothing_left(dir, &err)
                : berth_fail(&err, BERTH_MISSING, "%s: found no tables of traced ranks", dir);
  free(dir);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_resolve = {
    "resolve",   "give a trace's call sites functions, files and lines",
    run_resolve, &resolve_argp,
    NULL,        false};

const cli_command_t cmd_recover = {"recover",   "make a trace of what a crashed job's ranks left",
                                   run_recover, &recover_argp,
                                   NULL,        false};
