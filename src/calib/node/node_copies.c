/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of all copy kernels by size (Boyer and Chase, "Insomnia", section 3). Hot buffers are the
 * same ones again and again, after a first copy. Cold ones are the next of an area that is larger
 * than the caches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/no_memory.h"
#include "calib/node/node_session.h"
#include "copy/copy.h"

enum { SMALLEST = 1 << 10, LARGEST = 64 << 20, SIZES = 17 };
enum { HOT_BYTES = 8 << 20, COLD_BYTES = 2 << 20, MOST_COLD = 512 };

typedef struct copies {
  calib_node_t *c;
  bool hot, stopped;
  char *from, *to;
  size_t bytes, at;
  const copy_kernel_t *kernel[COPY_KERNELS];
  node_samples_t samples[COPY_KERNELS];
  size_t n_kernels;
} copies_t;

/* Seconds of a copy of n bytes. */
static double time_hot(copies_t *w, copy_function_t *copy, size_t n)
{
  size_t turns = n < HOT_BYTES ? HOT_BYTES / n : 1;
  copy(w->to, w->from, n);
  double begin = clock_s();
  for (size_t i = 0; i < turns; i++) copy(w->to, w->from, n);
  return (clock_s() - begin) / (double)turns;
}

static double time_cold(copies_t *w, copy_function_t *copy, size_t n)
{
  size_t turns = n < COLD_BYTES ? COLD_BYTES / n : 1, step = n < 4096 ? 4096 : n;
  if (turns > MOST_COLD) turns = MOST_COLD;
  double begin = clock_s();
  for (size_t i = 0; i < turns; i++) {
    if (w->at + step > w->bytes) w->at = 0;
    copy(w->to + w->at, w->from + w->at, n);
    w->at += step;
  }
  return (clock_s() - begin) / (double)turns;
}

/* Kernels take turns, so that a change of the machine's speed affects all alike. */
static void take_samples(copies_t *w)
{
  for (int i = 0; i < SIZES && !w->stopped; i++) {
    size_t n = (size_t)SMALLEST << i;
    for (size_t k = 0; k < w->n_kernels && !w->stopped; k++) {
      copy_function_t *copy = w->kernel[k]->copy;
      double seconds = w->hot ? time_hot(w, copy, n) : time_cold(w, copy, n);
      w->samples[k].x[i] = (double)n;
      node_samples_add(&w->samples[k], (size_t)i, (double)n / fmax(seconds, 1e-9));
      w->stopped = !w->c->goes_on();
    }
  }
}

/* Rounds outermost: the samples of a value are seconds apart. */
static void measure(void *all, int seat)
{
  copies_t *w = all;
  (void)seat;
  memset(w->from, 1, w->bytes);
  memset(w->to, 1, w->bytes);
  for (int round = 0; round < w->c->rounds && !w->stopped; round++) take_samples(w);
}

static int core_of(const node_machine_t *m, int numa)
{
  for (int i = 0; i < m->n_cores; i++)
    if (m->core[i].numa == numa) return i;
  return 0;
}

static int keep(copies_t *w, const node_step_t *s, berth_error_t *err)
{
  int rc = w->stopped ? node_stopped(w->c, err) : BERTH_OK;
  for (size_t k = 0; k < w->n_kernels && !rc; k++)
    rc = node_samples_keep(w->c, s, BERTH_NODE_COPY, w->kernel[k]->name, NODE_HIGH, &w->samples[k],
                           err);
  return rc;
}

int node_copies(calib_node_t *c, const node_step_t *s, berth_error_t *err)
{
  copies_t w = {.c = c, .hot = strcmp(s->state, "hot") == 0};
  w.bytes = node_area_bytes(c, 1);
  if (w.bytes < LARGEST) w.bytes = LARGEST;
  w.from = node_machine_take(&c->machine, w.bytes, s->memory_numa);
  w.to = node_machine_take(&c->machine, w.bytes, s->core_numa);
  w.n_kernels = copy_kernels(w.kernel);
  int rc = w.from && w.to ? BERTH_OK : no_memory(err);
  for (size_t k = 0; k < w.n_kernels && !rc; k++)
    if (!node_samples_make(c, &w.samples[k], SIZES)) rc = no_memory(err);
  int core = core_of(&c->machine, s->core_numa);
  if (!rc) node_team_run(c->team, &core, 1, measure, &w);
  if (!rc) rc = keep(&w, s, err);
  for (size_t k = 0; k < w.n_kernels; k++) node_samples_clear(&w.samples[k]);
  node_machine_return(w.from, w.bytes);
  node_machine_return(w.to, w.bytes);
  return rc;
}
