/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth snapshot`: a trace of what a running job has counted so far. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/live_jobs.h"
#include "cli/trace_files.h"

typedef struct options {
  const char *output, *which;
  bool list;
} options_t;

static const option_t own_options[] = {OPTION("--output", option_text, options_t, output),
                                       OPTION("--list", option_flag, options_t, list),
                                       OPTION("", option_word, options_t, which),
                                       {0}};

static const option_table_t own = {own_options, NULL};
static const option_part_t parts[] = {{&own, 0}, {0}};

static int take_snapshot(trace_target_t *target, const berth_live_rank_t *ranks, size_t n,
                         berth_error_t *err)
{
  const char **paths = malloc(n * sizeof *paths);
  if (!paths) return no_memory(err);
  for (size_t i = 0; i < n; i++) paths[i] = ranks[i].path;
  const berth_tables_t job = {n, paths};
  berth_recovery_t what;
  berth_pattern_t *p = berth_snapshot(&job, &what, err);
  int rc = trace_write_recovered(target, p, &what, err);
  berth_pattern_free(p);
  free(paths);
  return rc;
}

static int snapshot(const options_t *o, const char *program, berth_live_t *list, berth_error_t *err)
{
  int rc = o->list ? live_jobs_find(list, o->which, err) : live_jobs_find_one(list, o->which, err);
  if (rc) return rc;
  if (o->list) {
    live_jobs_print(stdout, list);
    return BERTH_OK;
  }
  trace_target_t target = {.program = program,
                           .path = o->output ? o->output : "berth-snapshot.acp.zst",
                           .snapshot = true,
                           .chosen = !o->output};
  return take_snapshot(&target, list->ranks, list->n, err);
}

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  berth_live_t list = {0};
  int wrong = option_parse(&cmd_snapshot, argc, argv, &o);
  if (wrong) return wrong;
  int rc = snapshot(&o, argv[0], &list, &err);
  berth_live_clear(&list);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_snapshot = {.name = "snapshot", .run = run, .parts = parts};
