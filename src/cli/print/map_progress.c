/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/map_progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/print/progress.h"
#include "topo/topo_levels.h"

enum { EVERY_MS = 200 };

static struct {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ends;
  bool runs, is_over;
  berth_map_watch_t *watch;
  const berth_topo_t *topo;
} shown = {.lock = PTHREAD_MUTEX_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};

/* The time left: until the limit, or what the rest of the stage takes at the same pace. */
static void add_rest(const berth_map_progress_t *p, char *line, int n)
{
  if (p->left_s >= 0)
    snprintf(line + n, (size_t)(MAP_PROGRESS_LINE - n), ", time limit in %.0f s", p->left_s);
  else if (p->done >= 0)
    snprintf(line + n, (size_t)(MAP_PROGRESS_LINE - n), ", %.0f%% done", 100 * p->done);
}

char *map_progress_line(const berth_map_progress_t *p, const berth_topo_t *t,
                        char line[MAP_PROGRESS_LINE])
{
  char best[TEXT_NUMBER];
  int n = snprintf(line, MAP_PROGRESS_LINE, "%s: %.0f s", *p->stage ? p->stage : "placing ranks",
                   p->elapsed_s);
  if (p->best >= 0)
    n += snprintf(line + n, (size_t)(MAP_PROGRESS_LINE - n), ", best so far %s",
                  topo_text_cost(t, p->best, best));
  if (p->stopped)
    snprintf(line + n, (size_t)(MAP_PROGRESS_LINE - n), ", stopping");
  else
    add_rest(p, line, n);
  return line;
}

static void show(void)
{
  char line[MAP_PROGRESS_LINE];
  berth_map_progress_t p = berth_map_watch_progress(shown.watch);
  progress(map_progress_line(&p, shown.topo, line), NULL);
}

static void *keep_showing(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&shown.lock);
  while (!shown.is_over) {
    struct timespec until;
    show();
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += EVERY_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&shown.ends, &shown.lock, &until);
  }
  pthread_mutex_unlock(&shown.lock);
  return NULL;
}

void map_progress_begin(berth_map_watch_t *watch, const berth_topo_t *t)
{
  if (!watch || !progress_is_shown()) return;
  shown.watch = watch;
  shown.topo = t;
  shown.is_over = false;
  shown.runs = pthread_create(&shown.thread, NULL, keep_showing, NULL) == 0;
}

void map_progress_end(void)
{
  if (!shown.runs) return;
  pthread_mutex_lock(&shown.lock);
  shown.is_over = true;
  pthread_cond_signal(&shown.ends);
  pthread_mutex_unlock(&shown.lock);
  pthread_join(shown.thread, NULL);
  shown.runs = false;
}
