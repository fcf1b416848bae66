/* SPDX-License-Identifier: BSD-3-Clause */
/* One experiment after another. Probes stand in the order in which stages add them; a stage is over
 * when each has the samples that it needs. What is essential comes first, so that a short time
 * limit or an interruption leaves something useful. */
#include "calib/calib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calib/calib_internal.h"

calib_t *calib_new(const berth_topo_t *t, const unsigned char *has_rank, const calib_options_t *o,
                   berth_error_t *err)
{
  calib_t *c = calloc(1, sizeof *c);
  if (c) {
    *c = (calib_t){.t = t, .has_rank = has_rank, .options = *o, .current = -1};
    kinds_find(c);
  }
  if (c && !c->failed) return c;
  calib_free(c);
  berth_fail(err, BERTH_MISSING, "out of memory");
  return NULL;
}

void calib_free(calib_t *c)
{
  if (!c) return;
  for (size_t i = 0; i < c->n_probes; i++) free(c->probes[i].samples);
  free(c->probes);
  free(c->kinds);
  free(c->lines);
  free(c->rings);
  free(c->series);
  free(c->insides);
  arena_free(&c->arena);
  arena_free(&c->text);
  free(c);
}

static void add_capacities(calib_t *c)
{
  for (size_t i = 0; i < c->n_lines && !c->failed; i++) line_add_capacities(c, &c->lines[i]);
}

static void add_both(calib_t *c)
{
  for (size_t i = 0; i < c->n_lines && !c->failed; i++) line_add_both(c, &c->lines[i]);
}

static void add_fine_points(calib_t *c)
{
  for (size_t i = 0; i < c->n_lines && !c->failed; i++) line_add_points(c, &c->lines[i], false);
}

static void enter(calib_t *c, stage_t stage)
{
  c->stage = stage;
  switch (stage) {
  case STAGE_ELECT:
    kinds_elect(c);
    break;
  case STAGE_COARSE:
    lines_add_kinds(c);
    break;
  case STAGE_CAPACITY:
    add_capacities(c);
    series_add(c);
    break;
  case STAGE_RINGS:
    add_both(c);
    rings_add(c);
    insides_add(c);
    break;
  case STAGE_ALONE:
    rings_add_alone(c);
    break;
  case STAGE_ENDS:
    rings_add_ends(c);
    break;
  case STAGE_ODD:
    rings_find_odd(c);
    break;
  case STAGE_FINE:
    add_fine_points(c);
    break;
  default:
    break;
  }
}

static double estimate(const calib_t *c, const probe_t *p)
{
  calib_experiment_t e;
  probe_shape(c, p, &e);
  return e.estimate_s;
}

/* Slow experiments are done less often: one that takes a hundredth of all the time twice. */
static size_t needed(const calib_t *c, const probe_t *p)
{
  return p->n > 0 && p->need > 2 && estimate(c, p) > c->options.time_s / 100 ? 2 : p->need;
}

/* The first probe that lacks samples and fits into the time that is left; -1 when there is none. */
static int find_needed(const calib_t *c, double left_s)
{
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    if (p->n < needed(c, p) && estimate(c, p) <= left_s) return (int)i;
  }
  return -1;
}

static double spread_of(const calib_t *c, int probe)
{
  return c->probes[probe].n_flows > 1 ? probe_total(c, probe).spread : probe_time(c, probe).spread;
}

/* The probe of the largest spread above what is small enough. */
static int find_spread(const calib_t *c, double left_s)
{
  int worst = -1;
  double largest = c->options.spread;
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    if (!p->refined || p->n == 0 || p->n >= (size_t)c->options.max_samples) continue;
    double spread = spread_of(c, (int)i) / sqrt((double)p->n);
    if (spread_of(c, (int)i) <= c->options.spread || spread <= largest / 100) continue;
    if (worst >= 0 && spread <= largest) continue;
    if (estimate(c, p) > left_s) continue;
    largest = spread;
    worst = (int)i;
  }
  return worst;
}

bool calib_next(calib_t *c, double left_s, calib_experiment_t *out)
{
  int found = -1;
  while (!c->failed && left_s > 0 && (found = find_needed(c, left_s)) < 0 &&
         c->stage < STAGE_REFINE)
    enter(c, (stage_t)(c->stage + 1));
  if (found < 0 && !c->failed && left_s > 0) found = find_spread(c, left_s);
  c->current = found;
  if (found < 0) return false;
  probe_shape(c, &c->probes[found], out);
  return true;
}

int calib_take(calib_t *c, const double *seconds, berth_error_t *err)
{
  probe_t *p = c->current >= 0 ? &c->probes[c->current] : NULL;
  if (!p) return berth_fail(err, BERTH_BAD_INPUT, "found a result of no experiment");
  for (size_t f = 0; f < p->n_flows; f++)
    if (!(seconds[f] > 0 && isfinite(seconds[f])))
      return berth_fail(err, BERTH_BAD_INPUT, "%s: found %g s per message, expected more than 0",
                        p->what, seconds[f]);
  if (!array_reserve(&p->samples, &p->cap, (p->n + 1) * p->n_flows, sizeof *p->samples))
    return berth_fail(err, BERTH_MISSING, "out of memory");
  memcpy(p->samples + p->n * p->n_flows, seconds, p->n_flows * sizeof *seconds);
  p->n++;
  c->done++;
  c->current = -1;
  return BERTH_OK;
}

/* The points of curves that the last stages add are foreseen, others show up when they do. */
calib_progress_t calib_progress(const calib_t *c)
{
  calib_progress_t progress = {.done = c->done, .planned = c->done};
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    size_t need = needed(c, p);
    if (p->n >= need) continue;
    progress.planned += (int)(need - p->n);
    progress.left_s += (double)(need - p->n) * estimate(c, p);
  }
  return progress;
}
