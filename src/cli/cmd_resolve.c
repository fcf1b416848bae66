/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth resolve` and `berth recover`: what `berth trace` does at the end of a job, for jobs that
 * it didn't start. */
#include <stdbool.h>
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

typedef struct options {
  const char *input, *output;
  double seconds; /* for resolving */
} options_t;

static const option_t resolve_own[] = {OPTION("--output", option_text, options_t, output),
                                       OPTION("--time-limit", option_seconds, options_t, seconds),
                                       OPTION("", option_word, options_t, input),
                                       {0}};

static void check_resolve(struct argp_state *state, void *all)
{
  options_t *o = all;
  if (!o->input) argp_error(state, "expected a trace");
  if (option_given(state, "--time-limit") && o->seconds == 0)
    o->seconds = 1e-9; /* 0 stands for the default */
}

static const option_table_t resolve_options = {resolve_own, check_resolve};
static const option_part_t resolve_parts[] = {{&resolve_options, 0}, {&memory_option, 0}, {0}};

static int run_resolve(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  int wrong = option_parse(&cmd_resolve, argc, argv, &o);
  if (wrong) return wrong;
  trace_target_t target = {
      .program = argv[0], .path = o.output ? o.output : o.input, .resolve_s = o.seconds};
  berth_pattern_t *p = load_pattern(NULL, o.input, false, &err);
  if (!p || trace_write(&target, p, NULL, &err)) cli_report(argv[0], &err);
  berth_pattern_free(p);
  return err.code;
}

static const option_t recover_own[] = {OPTION("--output", option_text, options_t, output),
                                       OPTION("", option_word, options_t, input),
                                       {0}};

static const option_table_t recover_options = {recover_own, NULL};
static const option_part_t recover_parts[] = {{&recover_options, 0}, {0}};

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
  berth_live_t list = {0};
  berth_tables_info_t info;
  size_t i = 0;
  int rc = berth_live_find(&list, err);
  while (!rc && i < list.n && !left_session_will_have(&list.ranks[i])) i++;
  if (!rc && i < list.n && berth_tables_look(list.ranks[i].path, &info, NULL) == BERTH_OK) {
    long pid = list.ranks[i].pid;
    rc =
        berth_fail(err, BERTH_MISSING,
                   "found nothing to recover: the traced job of process %ld (%s) is still running; "
                   "`berth snapshot %ld` makes a trace of what it has counted",
                   pid, info.command, pid);
  }
  berth_live_clear(&list);
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
  int wrong = option_parse(&cmd_recover, argc, argv, &o);
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

const cli_command_t cmd_resolve = {.name = "resolve", .run = run_resolve, .parts = resolve_parts};
const cli_command_t cmd_recover = {.name = "recover", .run = run_recover, .parts = recover_parts};
