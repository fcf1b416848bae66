/* SPDX-License-Identifier: BSD-3-Clause */
/* Static against dynamic shares of work (Boyer and Chase, "Insomnia", section 6). The work is to
 * transpose pieces of a matrix. Schedules differ in who does which granule:
 *
 *   static   each core has one block of granules
 *   dynamic  the next granule, from a counter
 *   locked   the next granule, from a counter behind a mutex, as in the study
 *   lines    as dynamic, but the cores' progress is in one cache line
 *   locks    as locked, without the work: what the mutex takes */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "calib/node/node_session.h"
#include "calib/node/node_uses.h"

enum { PIECES = 64, COUNTS = 7 };        /* pieces for each core; 1, 2, 4, … 64 granules */
enum { SIDE = 64, BLOCK = 8, LINE = 8 }; /* of a piece; words of a line */

typedef struct work work_t;
typedef int next_t(work_t *w, int seat, int *done);

struct work {
  int cores, granules, per_granule; /* granules of all; pieces of one */
  bool unequal, empty, packed;
  next_t *next;
  pthread_mutex_t lock;
  int taken;          /* behind the lock */
  atomic_int counter; /* without it */
  atomic_int ready;
  const double *from; /* SIDE * SIDE for each core */
  double *to;
  uint64_t *progress; /* of each core, a line apart; packed: in one */
  double *end;
  double begin;
};

static int next_static(work_t *w, int seat, int *done)
{
  int each = w->granules / w->cores;
  return *done < each ? seat * each + (*done)++ : -1;
}

static int next_dynamic(work_t *w, int seat, int *done)
{
  (void)seat, (void)done;
  int g = atomic_fetch_add(&w->counter, 1);
  return g < w->granules ? g : -1;
}

static int next_locked(work_t *w, int seat, int *done)
{
  (void)seat, (void)done;
  pthread_mutex_lock(&w->lock);
  int g = w->taken < w->granules ? w->taken++ : -1;
  pthread_mutex_unlock(&w->lock);
  return g;
}

/* Blocks of a piece: of unequal ones, the last takes three times as long as the first. */
static int turns_of(const work_t *w, int piece)
{
  enum { EQUAL = 8 };
  int all = w->granules * w->per_granule;
  return w->unequal ? EQUAL / 2 + EQUAL * piece / all : EQUAL;
}

static void do_piece(work_t *w, int seat, int piece)
{
  const double *in = w->from + (size_t)seat * SIDE * SIDE;
  double *out = w->to + (size_t)seat * SIDE * SIDE;
  uint64_t *progress = &w->progress[w->packed ? seat : seat * LINE];
  for (int turn = turns_of(w, piece); turn > 0; turn--)
    for (int r = 0; r < SIDE; r += BLOCK)
      for (int c = 0; c < SIDE; c += BLOCK) {
        for (int i = r; i < r + BLOCK; i++)
          for (int k = c; k < c + BLOCK; k++) out[k * SIDE + i] = in[i * SIDE + k];
        __atomic_fetch_add(progress, 1, __ATOMIC_RELAXED);
      }
}

static void work(void *all, int seat)
{
  work_t *w = all;
  int done = 0;
  atomic_fetch_add(&w->ready, 1);
  while (atomic_load(&w->ready) < w->cores) continue;
  if (seat == 0) w->begin = clock_s();
  for (int g; (g = w->next(w, seat, &done)) >= 0;)
    for (int p = 0; p < w->per_granule && !w->empty; p++) do_piece(w, seat, g * w->per_granule + p);
  w->end[seat] = clock_s();
}

/* Seconds of all the work. */
static double run_once(calib_node_t *c, work_t *w, const int *cores)
{
  double last = 0;
  w->taken = 0;
  atomic_store(&w->counter, 0);
  atomic_store(&w->ready, 0);
  node_team_run(c->team, cores, w->cores, work, w);
  for (int i = 0; i < w->cores; i++)
    if (w->end[i] > last) last = w->end[i];
  return last > w->begin ? last - w->begin : 1e-9;
}

static const struct schedule {
  const char *name;
  next_t *next;
  bool empty, packed;
} schedules[] = {{"locks", next_locked, true, false},
                 {"lines", next_dynamic, false, true},
                 {"locked", next_locked, false, false},
                 {"dynamic", next_dynamic, false, false},
                 {"static", next_static, false, false}};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static int measure(calib_node_t *c, work_t *w, const int *cores, node_samples_t *samples,
                   berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int round = 0; round < c->rounds && !rc; round++)
    for (int i = 0; i < COUNTS && !rc; i++)
      for (int s = 0; s < SCHEDULES; s++) {
        w->granules = w->cores << i;
        w->per_granule = PIECES >> i;
        w->next = schedules[s].next;
        w->empty = schedules[s].empty;
        w->packed = schedules[s].packed;
        samples[s].x[i] = 1 << i;
        node_samples_add(&samples[s], (size_t)i, run_once(c, w, cores));
        rc = node_stopped(c, err);
      }
  return rc;
}

static bool make(work_t *w)
{
  size_t n = (size_t)w->cores, matrix = n * SIDE * SIDE * sizeof(double);
  double *from = aligned_alloc(64, matrix);
  if (from) memset(from, 0, matrix);
  w->from = from;
  w->to = aligned_alloc(64, matrix);
  w->progress = aligned_alloc(64, n * LINE * sizeof *w->progress);
  if (w->progress) memset(w->progress, 0, n * LINE * sizeof *w->progress);
  w->end = calloc(n, sizeof *w->end);
  return w->from && w->to && w->progress && w->end;
}

static void unmake(work_t *w)
{
  free((void *)(uintptr_t)w->from);
  free(w->to);
  free(w->progress);
  free(w->end);
  pthread_mutex_destroy(&w->lock);
}

int node_granules(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  work_t w = {.cores = c->machine.n_cores, .unequal = strcmp(s->state, "unequal") == 0};
  node_samples_t samples[SCHEDULES] = {0};
  int *cores = calloc((size_t)w.cores, sizeof *cores);
  pthread_mutex_init(&w.lock, NULL);
  int rc = make(&w) && cores ? BERTH_OK : no_memory(err);
  for (int i = 0; i < w.cores && !rc; i++) cores[i] = i;
  for (int i = 0; i < SCHEDULES && !rc; i++)
    if (!node_samples_make(c, &samples[i], COUNTS)) rc = no_memory(err);
  if (!rc) rc = measure(c, &w, cores, samples, err);
  for (int i = 0; i < SCHEDULES; i++) {
    if (!rc)
      rc = node_samples_keep(c, s, BERTH_NODE_GRANULES, schedules[i].name, NODE_LOW, &samples[i],
                             err);
    node_samples_clear(&samples[i]);
  }
  unmake(&w);
  free(cores);
  return rc;
}
