/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise: all cores do a fixed amount of work again and again, and what takes longer than the
 * minimum was interrupted (fixed work quanta: Sottile and Minnich, 2004; Hoefler, Schneider and
 * Lumsdaine, 2010). And timers: what the clock takes, and how long a thread sleeps. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "calib/calib_stats.h"
#include "calib/node/node_session.h"

enum { BINS = 48, INTERRUPTIONS = 1 << 18, WORK = 20000 };
static const double ROUND_S = 0.45, BIN_S = 1e-6; /* the first bin's; four bins to a factor of 4 */

typedef struct interruption {
  double at_s, length_s;
} interruption_t;

typedef struct watch {
  calib_node_t *c;
  double seconds;    /* how long */
  double begin, end; /* when it was */
  double quantum_s;  /* minimum */
  double longest_s, lost_s;
  interruption_t *list;
  size_t n;
  atomic_bool *stopped;
} watch_t;

/* The work: every step needs the one before, so nothing but the core's speed matters. */
static uint64_t quantum(uint64_t x)
{
  for (int i = 0; i < WORK; i++) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

/* The minimum of some quanta; later ones may be shorter. */
static double shortest_quantum(uint64_t *x)
{
  double least = INFINITY;
  for (int i = 0; i < 200; i++) {
    double begin = clock_s();
    *x = quantum(*x);
    least = fmin(least, clock_s() - begin);
  }
  return least;
}

/* Where an interruption begins to count: clocks and caches make quanta differ a little. */
static double threshold(double quantum_s) { return 1.02 * quantum_s + BIN_S; }

static void watch(void *all, int seat)
{
  watch_t *w = (watch_t *)all + seat;
  uint64_t x = (uint64_t)seat;
  double least = shortest_quantum(&x), now = clock_s();
  w->begin = now;
  while (now < w->begin + w->seconds && !atomic_load_explicit(w->stopped, memory_order_relaxed)) {
    x = quantum(x);
    double then = clock_s(), took = then - now;
    if (took > threshold(least) && w->n < INTERRUPTIONS)
      w->list[w->n++] = (interruption_t){now - w->begin, took - least};
    least = fmin(least, took);
    now = then;
    if (seat == 0 && !w->c->goes_on()) atomic_store(w->stopped, true);
  }
  w->end = now;
  w->quantum_s = least + (x == 1 ? 1e-30 : 0); /* the work's result is used */
}

static int bin_of(double length_s)
{
  int bin = (int)floor(2 * log2(length_s / BIN_S));
  return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The bin whose interruptions take most time, with a neighbour on each side: those of one origin
 * don't all take equally long. */
static int main_bin(const watch_t *w)
{
  double lost[BINS] = {0}, most = 0;
  int best = 0;
  for (size_t i = 0; i < w->n; i++) lost[bin_of(w->list[i].length_s)] += w->list[i].length_s;
  for (int b = 0; b < BINS; b++) {
    double here = lost[b] + (b > 0 ? lost[b - 1] : 0) + (b + 1 < BINS ? lost[b + 1] : 0);
    if (here > most) best = b;
    most = fmax(most, here);
  }
  return best;
}

/* The time between those interruptions, if it is regular; else 0. */
static double period_of(const watch_t *w, double *room)
{
  enum { FEW = 8 };
  int bin = w->n ? main_bin(w) : 0;
  size_t n = 0;
  double last = -1;
  for (size_t i = 0; i < w->n; i++) {
    if (abs(bin_of(w->list[i].length_s) - bin) > 1) continue;
    if (last >= 0) room[n++] = w->list[i].at_s - last;
    last = w->list[i].at_s;
  }
  if (n < FEW) return 0;
  double median = calib_statistics(room, n).median;
  size_t near = 0;
  for (size_t i = 0; i < n; i++) near += fabs(room[i] - median) < 0.1 * median;
  return 4 * near >= 3 * n ? median : 0;
}

static int keep(calib_node_t *c, const node_step_t *s, const watch_t *w, int pu, double *room,
                berth_error_t *err)
{
  double at_least[BINS], count[BINS] = {0};
  berth_node_noise_t z = {.pu = pu,
                          .idle = s->idle,
                          .quantum_s = w->quantum_s,
                          .seconds = w->end - w->begin,
                          .at_least_s = at_least,
                          .count = count};
  double every[BINS] = {0}, lost = 0;
  for (size_t i = 0; i < w->n; i++) {
    every[bin_of(w->list[i].length_s)]++;
    lost += w->list[i].length_s;
    z.longest_s = fmax(z.longest_s, w->list[i].length_s);
  }
  z.lost = fmin(lost / z.seconds, 1);
  z.period_s = period_of(w, room);
  for (int b = 0; b < BINS; b++) {
    if (every[b] == 0) continue;
    at_least[z.n] = b ? BIN_S * exp2(b / 2.0) : 0;
    count[z.n++] = every[b];
  }
  return berth_node_add_noise(c->record, &z, err);
}

int node_noise(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  int n = 0, *cores = calloc((size_t)c->machine.n_cores, sizeof *cores);
  watch_t *watches = calloc((size_t)c->machine.n_cores, sizeof *watches);
  double *room = calloc(INTERRUPTIONS, sizeof *room);
  atomic_bool stopped = false;
  double watch_s = ROUND_S * c->rounds;
  int rc = cores && watches && room ? BERTH_OK : no_memory(err);
  for (int i = 0; i < c->machine.n_cores && !rc; i++) {
    if (c->machine.core[i].pu == s->idle) continue;
    cores[n] = i;
    watches[n] = (watch_t){.c = c, .seconds = watch_s, .stopped = &stopped};
    watches[n].list = malloc(INTERRUPTIONS * sizeof *watches[n].list);
    if (!watches[n++].list) rc = no_memory(err);
  }
  if (!rc) node_team_run(c->team, cores, n, watch, watches);
  if (!rc) rc = node_stopped(c, err);
  for (int i = 0; i < n && !rc; i++)
    rc = keep(c, s, &watches[i], c->machine.core[cores[i]].pu, room, err);
  for (int i = 0; i < n; i++) free(watches[i].list);
  free(cores);
  free(watches);
  free(room);
  return rc;
}

/* --- timers --- */

enum { SLEEPS = 5, TURNS = 1000 };

typedef struct timers {
  calib_node_t *c;
  node_samples_t clock, sleep;
} timers_t;

static double time_clock(void)
{
  double begin = clock_s();
  for (int i = 0; i < TURNS; i++) (void)clock_s();
  return (clock_s() - begin) / (TURNS + 1);
}

static double time_sleep(double seconds)
{
  struct timespec t = {0, (long)(1e9 * seconds)};
  double begin = clock_s();
  nanosleep(&t, NULL);
  return clock_s() - begin;
}

static void time_timers(void *all, int seat)
{
  timers_t *t = all;
  (void)seat;
  for (int round = 0; round < t->c->rounds; round++) {
    node_samples_add(&t->clock, 0, time_clock());
    for (int i = 0; i < SLEEPS; i++) {
      t->sleep.x[i] = 1e-6 * pow(10, i);
      node_samples_add(&t->sleep, (size_t)i, time_sleep(t->sleep.x[i]));
    }
  }
}

int node_timers(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  timers_t t = {.c = c};
  int core = 0, rc = BERTH_OK;
  if (!node_samples_make(c, &t.clock, 1) || !node_samples_make(c, &t.sleep, SLEEPS))
    rc = no_memory(err);
  if (!rc) node_team_run(c->team, &core, 1, time_timers, &t);
  if (!rc) rc = node_samples_keep(c, s, BERTH_NODE_TIMER, "clock", NODE_LOW, &t.clock, err);
  if (!rc) rc = node_samples_keep(c, s, BERTH_NODE_TIMER, "sleep", NODE_LAST, &t.sleep, err);
  node_samples_clear(&t.clock);
  node_samples_clear(&t.sleep);
  return rc;
}
