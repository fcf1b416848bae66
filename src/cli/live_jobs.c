/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/live_jobs.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "spool/spool_live.h"

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

/* Keeps only the jobs that are meant: of one rank that is, all are. */
static void select_jobs(berth_live_t *list, const char *which)
{
  size_t kept = 0;
  for (size_t i = 0, end; i < list->n; i = end) {
    end = berth_live_job_end(list, i);
    bool meant = false;
    for (size_t k = i; !meant && k < end; k++)
      meant = which ? is_meant(&list->ranks[k], which) : live_is_own(&list->ranks[k]);
    for (size_t k = i; k < end; k++) {
      berth_live_rank_t rank = list->ranks[k];
      if (meant)
        list->ranks[kept++] = rank;
      else
        free(rank.path);
    }
  }
  list->n = kept;
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

void live_jobs_print(FILE *to, const berth_live_t *list)
{
  for (size_t i = 0, end; i < list->n; i = end) {
    end = berth_live_job_end(list, i);
    print_job(to, list->ranks + i, end - i);
  }
}

int live_jobs_find(berth_live_t *list, const char *which, berth_error_t *err)
{
  int rc = berth_live_find(list, err);
  if (!rc) select_jobs(list, which);
  return rc;
}

int live_jobs_find_one(berth_live_t *list, const char *which, berth_error_t *err)
{
  size_t jobs = 0;
  int rc = live_jobs_find(list, which, err);
  if (rc) return rc;
  for (size_t i = 0; i < list->n; i = berth_live_job_end(list, i)) jobs++;
  if (jobs == 1) return BERTH_OK;
  if (jobs == 0)
    return berth_fail(err, BERTH_MISSING, "%s%sfound no traced job that is running here",
                      which ? which : "", which ? ": " : "");
  live_jobs_print(stderr, list);
  return berth_fail(
      err, BERTH_USAGE,
      "found %zu jobs, expected one; say which by the number that its line begins with", jobs);
}
