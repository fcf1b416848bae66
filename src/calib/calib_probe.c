/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: repeated measurements, their statistics, and the shape of one experiment. */
#include "calib/calib_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "calib/network/calib_network.h"

/* Powers of two from 1 B to 4 MiB. Between 512 B and 256 KiB, MPIs switch their protocols.
 * There, each has a point a little above, and one below by the size of headers, which a limit of 64
 * KiB may include. A limit may also be tens of bytes above a power: MPICH 4.0's between processes
 * of a host is above 8,240 B. Powers of four are coarse. */
enum { LOW = 9, HIGH = 18, LARGEST = 22 };
const size_t calib_n_sizes = LARGEST + 1 + 2 * (HIGH - LOW + 1);

size_t calib_size(size_t i)
{
  if (i < LOW) return (size_t)1 << i;
  if (i >= LOW + 3 * (HIGH - LOW + 1)) return (size_t)1 << (i - 2 * (HIGH - LOW + 1));
  size_t power = (size_t)1 << (LOW + (i - LOW) / 3);
  static const int offset[] = {-1, 0, 1};
  int which = offset[(i - LOW) % 3];
  return which < 0 ? power - power / 8 : which > 0 ? power + power / 32 : power;
}

bool calib_is_coarse(size_t i)
{
  for (size_t s = 1; s <= (size_t)1 << LARGEST; s *= 4)
    if (calib_size(i) == s) return true;
  return false;
}

int probe_add(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
              const berth_calib_flow_t *flows, size_t need, double expected, const char *what)
{
  probe_t p = {.mode = mode,
               .size = size,
               .n_flows = n,
               .need = need,
               .expected = expected,
               .line = -1,
               .point = -1,
               .what = what};
  p.flows = arena_copy(&c->arena, flows, n * sizeof *flows);
  if (p.flows && ARRAY_ADD(&c->probes, &c->n_probes, &c->cap_probes, p))
    return (int)c->n_probes - 1;
  c->failed = true;
  return -1;
}

int probe_add_refined(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
                      const berth_calib_flow_t *flows, double expected, const char *what)
{
  int probe = probe_add(c, mode, size, n, flows, 3, expected, what);
  if (probe >= 0) c->probes[probe].refined = true;
  return probe;
}

static const calib_stat_t nothing;

void probe_look_again(berth_calib_t *c, int probe, size_t times)
{
  probe_t *p = &c->probes[probe];
  p->since = p->n;
  p->need = p->n + times;
}

calib_stat_t probe_time(const berth_calib_t *c, int probe, double floor)
{
  if (probe < 0 || c->probes[probe].n == 0) return nothing;
  const probe_t *p = &c->probes[probe];
  double *values = malloc(p->n * sizeof *values);
  if (!values) return nothing;
  for (size_t i = 0; i < p->n; i++) values[i] = fmax(p->samples[i * p->n_flows], floor);
  calib_stat_t s = calib_statistics(values, p->n);
  free(values);
  return s;
}

/* The joint rate of some flows, sample by sample. The caller frees it; NULL if there are none. */
static double *rates_since(const berth_calib_t *c, int probe, size_t since, size_t first, size_t n,
                           size_t *n_samples)
{
  if (probe < 0 || c->probes[probe].n <= since) return NULL;
  const probe_t *p = &c->probes[probe];
  *n_samples = p->n - since;
  double *values = calloc(*n_samples, sizeof *values);
  for (size_t i = 0; values && i < *n_samples; i++)
    for (size_t f = first; f < first + n; f++)
      values[i] += (double)p->size / p->samples[(since + i) * p->n_flows + f];
  return values;
}

static calib_stat_t rate_since(const berth_calib_t *c, int probe, size_t since, size_t first,
                               size_t n)
{
  size_t n_samples;
  double *values = rates_since(c, probe, since, first, n, &n_samples);
  if (!values) return nothing;
  calib_stat_t s = calib_statistics(values, n_samples);
  free(values);
  return s;
}

calib_stat_t probe_rate(const berth_calib_t *c, int probe, size_t first, size_t n)
{
  return rate_since(c, probe, 0, first, n);
}

calib_stat_t probe_total(const berth_calib_t *c, int probe)
{
  return probe < 0 ? nothing : rate_since(c, probe, 0, 0, c->probes[probe].n_flows);
}

/* Moves the credible ones of sorted values to the front. Returns their number. */
static size_t keep_best(double *values, size_t n)
{
  const double near = 0.05;
  size_t kept = 0;
  if (n < 3) return n;
  double second = values[n - 2];
  for (size_t i = 0; i < n; i++)
    if (fabs(values[i] - second) <= near * second) values[kept++] = values[i];
  return kept;
}

calib_stat_t probe_best(const berth_calib_t *c, int probe, size_t first, size_t n)
{
  size_t n_samples;
  double *values = rates_since(c, probe, 0, first, n, &n_samples);
  if (!values) return nothing;
  calib_statistics(values, n_samples);
  calib_stat_t s = calib_statistics(values, keep_best(values, n_samples));
  free(values);
  return s;
}

calib_stat_t probe_total_again(const berth_calib_t *c, int probe)
{
  if (probe < 0 || c->probes[probe].since == 0) return nothing;
  return rate_since(c, probe, c->probes[probe].since, 0, c->probes[probe].n_flows);
}

static double expected(const berth_calib_t *c, const probe_t *p)
{
  if (p->expected > 0 || p->line < 0) return p->expected;
  return line_guess(c, &c->lines[p->line], (size_t)p->point);
}

/* No message takes less. Numbers of messages are derived from such times. */
static const double min_s = 1e-9;

/* The longest time per message among a probe's flows, and their joint rate, from its last
 * sample. */
static void flow_times(const berth_calib_t *c, const probe_t *p, double *longest,
                       double *total_rate)
{
  *longest = fmax(expected(c, p), min_s);
  *total_rate = (double)p->n_flows * (double)p->size / *longest;
  if (p->n == 0) return;
  const double *last = p->samples + (p->n - 1) * p->n_flows;
  *longest = min_s;
  *total_rate = 0;
  for (size_t f = 0; f < p->n_flows; f++) {
    *longest = fmax(*longest, last[f]);
    *total_rate += (double)p->size / fmax(last[f], min_s);
  }
}

/* Several flows must be timed in the same window. So a time is set, long enough for some
 * messages of the slowest flow. All go on until a message that arrives at the window's end can be
 * complete. Few messages are in transit, because they fill queues that must be emptied afterwards.
 */
static void shape_several(const berth_calib_t *c, const probe_t *p, berth_calib_experiment_t *e)
{
  double longest, rate;
  flow_times(c, p, &longest, &rate);
  e->batch = 2;
  e->depth = 2;
  e->time_s = fmin(fmax(16 * longest, 0.2), 2);
  e->warm_s = e->time_s / 4;
  e->hold_s = e->warm_s + e->time_s + 4 * fmin(longest, 0.4);
  double drain = 4 * (double)(p->size * p->n_flows) / rate;
  e->estimate_s = e->hold_s + drain + 0.02;
}

/* One flow of long messages: one at a time, so that each receipt ends one message. */
static void shape_long(double t, berth_calib_experiment_t *e)
{
  e->batch = e->depth = 1;
  e->warm = t < 0.4;
  e->count = (long)ceil(0.2 / t);
  e->estimate_s = (double)(e->warm + e->count) * t + 0.01;
}

/* One flow of short messages: as many in transit as take some milliseconds. A rendezvous may
 * finish several messages together. So the clock starts and ends between batches, at multiples
 * of `depth`. What a token bucket lets through at once comes first and isn't timed. */
static void shape_short(double t, size_t size, berth_calib_experiment_t *e)
{
  const double room = 4 << 20;
  double max = fmin(fmin(0.005 / t, room / (double)size), 128);
  e->depth = 2;
  e->batch = max < 4 ? 1 : (int)max / 2;
  double round = e->depth * e->batch;
  e->warm = e->depth * (long)ceil(fmax(1, 0.01 / t / round));
  e->count = e->depth * (long)ceil(fmax(4, 0.04 / t / round));
  e->estimate_s = (double)((e->warm + e->count) * e->batch) * t + 0.01;
}

void probe_shape(const berth_calib_t *c, const probe_t *p, berth_calib_experiment_t *e)
{
  *e = (berth_calib_experiment_t){.mode = p->mode,
                                  .size = p->size,
                                  .flows = p->flows,
                                  .n_flows = p->n_flows,
                                  .what = p->what,
                                  .batch = 1,
                                  .depth = 1};
  double longest, rate;
  flow_times(c, p, &longest, &rate);
  if (p->mode == BERTH_CALIB_PINGPONG) {
    e->warm = 20;
    e->count = (long)fmin(fmax(0.02 / longest, 50), 1000);
    e->estimate_s = 2 * (double)(e->warm + e->count) * longest + 0.01;
  } else if (p->n_flows > 1) {
    shape_several(c, p, e);
  } else if (longest >= 0.05) {
    shape_long(longest, e);
  } else {
    shape_short(longest, p->size, e);
  }
}

size_t probe_several_size(double rate)
{
  size_t size = 64 << 10;
  while (size < 1 << 20 && (double)(2 * size) < 0.03 * rate) size *= 2;
  return size;
}
