/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/show_watch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "cli/live_jobs.h"
#include "cli/print/screen.h"
#include "cli/print/show.h"

enum { LOOK_EVERY_MS = 100, HEAD_LINES = 8 /* of a block, without matrix and phases */ };

/* What a phase had sent when it was looked at. */
typedef struct phase_then {
  int id;
  summary_amount_t all;
} phase_then_t;

typedef struct watch {
  uint64_t job; /* the number of the job */
  int here;     /* ranks, in the last block */
  size_t top;
  double at_s; /* of the last block, by the monotonic clock; 0: there was none */
  summary_amount_t all;
  phase_then_t *phases;
  size_t n_phases;
} watch_t;

static summary_amount_t all_of(const summary_phase_t *p)
{
  double repeats = (double)p->phase->repeats;
  return (summary_amount_t){p->once.messages * repeats, p->once.bytes * repeats};
}

static summary_amount_t then_of(const watch_t *w, int id)
{
  for (size_t i = 0; i < w->n_phases; i++)
    if (w->phases[i].id == id) return w->phases[i].all;
  return (summary_amount_t){0};
}

/* "1234 messages/s, 5.6 MB/s" */
static void print_rate(summary_amount_t now, summary_amount_t then, double seconds)
{
  char count[TEXT_NUMBER], rate[TEXT_NUMBER];
  if (seconds <= 0) return;
  printf("%12s messages/s %13s", text_count((now.messages - then.messages) / seconds, count),
         text_bandwidth((now.bytes - then.bytes) / seconds, rate));
}

static void print_head(const berth_pattern_t *p, size_t here, double run_s)
{
  char clock[16] = "", run[TEXT_NUMBER];
  time_t now = time(NULL);
  struct tm local;
  size_t n;
  if (localtime_r(&now, &local)) strftime(clock, sizeof clock, "%T", &local);
  const char *const *command = berth_pattern_command(p, &n);
  printf("%s: %zu of %d ranks here, %s", clock, here, berth_pattern_ranks(p),
         text_seconds(run_s, run));
  for (size_t i = 0; i < n; i++) printf("%s%s", i ? " " : ", ", command[i]);
  putchar('\n');
}

static void print_phases(const watch_t *w, const summary_t *s, double seconds)
{
  char bytes[TEXT_NUMBER];
  if (s->n_phases < 2) return;
  puts("phases:");
  for (size_t i = 0; i < show_listed(s->n_phases, w->top); i++) {
    const summary_phase_t *p = &s->phases[i];
    summary_amount_t all = all_of(p);
    printf("%4d %-17.17s %11s ", p->phase->id, p->phase->name, text_bytes(all.bytes, bytes));
    print_rate(all, then_of(w, p->phase->id), seconds);
    putchar('\n');
  }
  show_print_rest(s->n_phases, w->top, "phase", "");
}

/* How many rows the matrix may have, so that the block fits the terminal; 0: as many as usual. */
static int rows_left(const summary_t *s, size_t top)
{
  int rows = screen_rows(), phases = (int)show_listed(s->n_phases, top);
  if (rows == 0) return 0;
  rows -= HEAD_LINES + (s->n_phases < 2 ? 0 : phases + 2);
  return rows < 4 ? 4 : rows;
}

static void print_block(const watch_t *w, const summary_t *s, size_t here, double now_s)
{
  char bytes[TEXT_NUMBER], number[TEXT_NUMBER];
  double run_s = 0;
  for (int r = 0; r < berth_pattern_ranks(s->pattern); r++) {
    const berth_rank_info_t *info = berth_pattern_rank(s->pattern, r);
    if (info) run_s = fmax(run_s, info->wall_s);
  }
  bool first = w->at_s == 0;
  double seconds = first ? run_s : now_s - w->at_s;
  screen_clear();
  print_head(s->pattern, here, run_s);
  printf("%s message%s, %s\n", text_count(s->all.messages, number), text_plural(s->all.messages),
         text_bytes(s->all.bytes, bytes));
  printf("  %-32s ", first ? "since the job began" : "since the last look");
  print_rate(s->all, w->all, seconds);
  putchar('\n');
  if (s->n_pairs) show_print_matrix(s, rows_left(s, w->top));
  print_phases(w, s, seconds);
  fflush(stdout);
}

static int remember(watch_t *w, const summary_t *s, double now_s, berth_error_t *err)
{
  phase_then_t *phases = realloc(w->phases, (s->n_phases + 1) * sizeof *phases);
  if (!phases) return no_memory(err);
  for (size_t i = 0; i < s->n_phases; i++)
    phases[i] = (phase_then_t){s->phases[i].phase->id, all_of(&s->phases[i])};
  w->phases = phases;
  w->n_phases = s->n_phases;
  w->all = s->all;
  w->at_s = now_s;
  return BERTH_OK;
}

/* Keeps the ranks of the job that is watched. */
static void keep_job(const watch_t *w, berth_live_t *list)
{
  size_t kept = 0;
  berth_tables_info_t *info = malloc(sizeof *info);
  for (size_t i = 0; i < list->n; i++) {
    bool is_of_job = info && berth_tables_look(list->ranks[i].path, info, NULL) == BERTH_OK &&
                     info->job == w->job;
    if (is_of_job)
      list->ranks[kept++] = list->ranks[i];
    else
      free(list->ranks[i].path);
  }
  list->n = kept;
  free(info);
}

static bool is_there(const berth_live_t *list)
{
  for (size_t i = 0; i < list->n; i++)
    if (kill(list->ranks[i].pid, 0) == 0 || errno == EPERM) return true;
  return false;
}

/* Whether ranks that were there have ended: what they had sent is gone with their tables, so that
 * counts would fall. */
static bool has_lost_ranks(watch_t *w, int here)
{
  bool fewer = here < w->here;
  if (!fewer) w->here = here;
  return fewer;
}

/* One block. A job that ends meanwhile takes its tables away: then there is none. */
static int look(watch_t *w, const berth_live_t *list, berth_error_t *err)
{
  berth_error_t why = {0};
  berth_recovery_t what = {0};
  summary_t s = {0};
  const char **paths = malloc((list->n + 1) * sizeof *paths);
  if (!paths) return no_memory(err);
  for (size_t i = 0; i < list->n; i++) paths[i] = list->ranks[i].path;
  double now_s = clock_s();
  const berth_tables_t job = {list->n, paths};
  berth_pattern_t *p = berth_snapshot(&job, &what, &why);
  int rc = p ? summary_init(&s, p, err) : BERTH_OK;
  if (p && !rc && !has_lost_ranks(w, (int)what.found)) {
    print_block(w, &s, (size_t)what.found, now_s);
    rc = remember(w, &s, now_s, err);
  }
  if (!p && is_there(list)) rc = berth_fail(err, why.code, "%s", why.text);
  summary_clear(&s);
  berth_pattern_free(p);
  berth_recovery_clear(&what);
  free(paths);
  return rc;
}

/* Waits until the next look, or until the job has ended. */
static void wait_for(const berth_live_t *list, double seconds)
{
  const struct timespec step = {0, LOOK_EVERY_MS * 1000000L};
  double end = clock_s() + seconds;
  while (clock_s() < end && is_there(list)) {
    double left = end - clock_s();
    struct timespec rest = {0, (long)(fmax(left, 0) * 1e9)};
    nanosleep(left < LOOK_EVERY_MS * 1e-3 ? &rest : &step, NULL);
  }
}

static int find_job(watch_t *w, const char *which, berth_live_t *list, berth_error_t *err)
{
  int rc = live_jobs_find_one(list, which, err);
  berth_tables_info_t *info = malloc(sizeof *info);
  if (!rc && !info) rc = no_memory(err);
  if (!rc) rc = berth_tables_look(list->ranks[0].path, info, err);
  if (!rc) w->job = info->job;
  free(info);
  return rc;
}

int show_watch(const char *which, double seconds, size_t top, berth_error_t *err)
{
  watch_t w = {.top = top};
  berth_live_t list = {0};
  int rc = find_job(&w, which, &list, err);
  while (!rc && list.n > 0 && !ferror(stdout)) {
    rc = look(&w, &list, err);
    if (!rc) wait_for(&list, seconds);
    berth_live_clear(&list);
    list = (berth_live_t){0};
    if (!rc) rc = berth_live_find(&list, err); /* ranks may have begun since */
    keep_job(&w, &list);
  }
  berth_live_clear(&list);
  free(w.phases);
  if (!rc) puts("the job has ended");
  return rc;
}
