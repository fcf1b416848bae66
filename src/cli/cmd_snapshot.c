/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth snapshot`: a trace of what a running job has counted so far. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/trace_files.h"
#include "spool/spool_live.h"

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

/* Whether a rank's tables are in the folder that is `which`, or its process is below that. */
static bool is_meant(const berth_live_rank_t *rank, const char *which)
{
  uint64_t pid;
  if (text_to_u64(which, 1, INT_MAX, &pid)) return live_is_below(rank->pid, (pid_t)pid);
  char *folder = realpath(which, NULL);
  bool in = folder && live_is_in(rank, folder);
  free(folder);
  return in;
}

/* Keeps only the jobs that are meant: of one rank that is, all are. Returns how many jobs. */
static size_t select_jobs(berth_live_t *list, const char *which)
{
  size_t kept = 0, jobs = 0;
  for (size_t i = 0, end; i < list->n; i = end) {
    end = berth_live_job_end(list, i);
    bool meant = false;
    for (size_t k = i; !meant && k < end; k++)
      meant = which ? is_meant(&list->ranks[k], which) : live_is_own(&list->ranks[k]);
    jobs += meant;
    for (size_t k = i; k < end; k++) {
      berth_live_rank_t rank = list->ranks[k];
      if (meant)
        list->ranks[kept++] = rank;
      else
        free(rank.path);
    }
  }
  list->n = kept;
  return jobs;
}

/* One line about a job: a process of it, its ranks here, since when, its command. */
static void print_job(FILE *to, const berth_live_rank_t *ranks, size_t n)
{
  berth_tables_info_t info;
  struct tm utc;
  char created[32] = "?";
  if (berth_tables_look(ranks[0].path, &info, NULL)) return;
  time_t seconds = (time_t)info.created;
  if (gmtime_r(&seconds, &utc)) strftime(created, sizeof created, "%FT%TZ", &utc);
  fprintf(to, "%ld: %zu of %d ranks here, since %s, %s\n", (long)ranks[0].pid, n, info.ranks,
          created, info.command);
}

static void print_jobs(FILE *to, const berth_live_t *list)
{
  for (size_t i = 0, end; i < list->n; i = end) {
    end = berth_live_job_end(list, i);
    print_job(to, list->ranks + i, end - i);
  }
}

static int snapshot(const options_t *o, const char *program, berth_live_t *list, berth_error_t *err)
{
  int rc = berth_live_find(list, err);
  if (rc) return rc;
  size_t jobs = select_jobs(list, o->which);
  if (o->list) {
    print_jobs(stdout, list);
    return BERTH_OK;
  }
  if (jobs == 0)
    return berth_fail(err, BERTH_MISSING, "%s%sfound no traced job that is running here",
                      o->which ? o->which : "", o->which ? ": " : "");
  if (jobs > 1) {
    print_jobs(stderr, list);
    return berth_fail(err, BERTH_USAGE,
                      "found %zu jobs, expected one; say which by the number "
                      "that its line begins with",
                      jobs);
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
