/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses one experiment after another.
 *
 * Probes are in the order in which stages add them. A stage ends when each probe has the samples
 * that it needs. Essential probes come first, so that a short time limit or an interruption
 * still gives useful results. */
#include <berth/calib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/options.h"
#include "calib/network/calib_network.h"

static const berth_calib_options_t defaults = {sizeof defaults, 240, 0.01, 12};

void berth_calib_options_init(berth_calib_options_t *o, size_t size)
{
  options_init(o, size, &defaults, sizeof defaults);
}

static int check_options(const berth_calib_options_t *o, berth_error_t *err)
{
  if (!(o->time_s > 0))
    return berth_fail(err, BERTH_USAGE, "time_s: found %g, expected more than 0", o->time_s);
  if (!(o->spread >= 0))
    return berth_fail(err, BERTH_USAGE, "spread: found %g, expected at least 0", o->spread);
  if (o->max_samples < 1)
    return berth_fail(err, BERTH_USAGE, "max_samples: found %d, expected at least 1",
                      o->max_samples);
  return BERTH_OK;
}

berth_calib_t *berth_calib_new(const berth_topo_t *t, const unsigned char *has_rank,
                               const berth_calib_options_t *given, berth_error_t *err)
{
  berth_calib_options_t o = defaults;
  if (options_take(&o, sizeof o, given, "berth_calib_options_init", err) || check_options(&o, err))
    return NULL;
  berth_calib_t *c = calloc(1, sizeof *c);
  if (c) {
    *c = (berth_calib_t){.t = t, .has_rank = has_rank, .options = o, .current = -1};
    kinds_find(c);
  }
  if (c && !c->failed) return c;
  berth_calib_free(c);
  no_memory(err);
  return NULL;
}

void berth_calib_free(berth_calib_t *c)
{
  if (!c) return;
  for (size_t i = 0; i < c->n_probes; i++) free(c->probes[i].samples);
  free(c->probes);
  free(c->kinds);
  free(c->ports);
  free(c->lines);
  free(c->rings);
  free(c->series);
  free(c->insides);
  free(c->types);
  arena_free(&c->arena);
  arena_free(&c->text);
  free(c);
}

static void add_points(berth_calib_t *c, line_t *l) { line_add_points(c, l, false); }

static void for_lines(berth_calib_t *c, void (*what)(berth_calib_t *, line_t *))
{
  for (size_t i = 0; i < c->n_lines && !c->failed; i++) what(c, &c->lines[i]);
}

static void enter(berth_calib_t *c, stage_t stage)
{
  c->stage = stage;
  switch (stage) {
  case STAGE_PILOT:
    kinds_look(c);
    break;
  case STAGE_FANS:
    fans_add_ports(c);
    break;
  case STAGE_OTHERS:
    ports_add_others(c);
    break;
  case STAGE_DOUBTS:
    ports_add_doubts(c);
    break;
  case STAGE_COARSE:
    kinds_add_lines(c);
    break;
  case STAGE_CAPACITY:
    ports_classify(c);
    for_lines(c, line_add_capacities);
    inside_series_add(c);
    break;
  case STAGE_RINGS:
    for_lines(c, reverse_add);
    rings_add(c);
    insides_add(c);
    break;
  case STAGE_CHECK:
    rings_look_again(c);
    break;
  case STAGE_AGAIN:
    rings_check(c);
    ports_classify(c);
    rings_find_limits(c);
    for_lines(c, reverse_add_elsewhere);
    insides_look_again(c);
    break;
  case STAGE_FINE:
    for_lines(c, add_points);
    break;
  case STAGE_PEAKS:
    for_lines(c, line_check_peaks);
    break;
  default:
    break;
  }
}

static double estimate(const berth_calib_t *c, const probe_t *p)
{
  berth_calib_experiment_t e;
  probe_shape(c, p, &e);
  return e.estimate_s;
}

/* Slow experiments are done less often: twice if one takes a hundredth of the time limit. */
static size_t needed(const berth_calib_t *c, const probe_t *p)
{
  bool may_be_less = p->n > 0 && p->need > 2 && p->since == 0;
  return may_be_less && estimate(c, p) > c->options.time_s / 100 ? 2 : p->need;
}

/* Whether two samples of everything planned take longer than the remaining time. */
static bool is_time_short(const berth_calib_t *c, double left_s)
{
  double two_s = 0;
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    if (p->n < 2 && p->n < p->need) two_s += (double)(2 - p->n) * estimate(c, p);
  }
  return two_s > left_s;
}

/* The number of samples that counts for choosing the next one. One sample has no spread. So if
 * time is short, a probe gets its second sample before others get their first. */
static long rank_of(const probe_t *p, bool is_short)
{
  return is_short && p->n == 1 ? -1 : (long)(p->n - p->since);
}

/* The probe with the fewest samples, of those that need some and fit into the remaining time; -1
 * if there is none. So probes take turns. A drift then shows in the spread of each, and doesn't
 * distort comparisons. Coarse points come first, because a curve is useless without them. */
static int find_needed(const berth_calib_t *c, double left_s)
{
  int found = -1;
  bool is_short = c->stage > STAGE_COARSE && is_time_short(c, left_s);
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    if (p->n >= p->need ||
        (found >= 0 && rank_of(p, is_short) >= rank_of(&c->probes[found], is_short)))
      continue;
    if (p->n < needed(c, p) && estimate(c, p) <= left_s) found = (int)i;
  }
  return found;
}

static double spread_of(const berth_calib_t *c, const probe_t *p)
{
  int probe = (int)(p - c->probes);
  if (p->n_flows > 1) return probe_total(c, probe).spread;
  /* below the latency, the stream doesn't count */
  double floor = p->line >= 0 ? probe_time(c, c->lines[p->line].latency, 0).median : 0;
  return probe_time(c, probe, floor).spread;
}

/* A median with a larger spread needs more samples. */
static size_t max_samples(const berth_calib_t *c, double spread)
{
  return (size_t)c->options.max_samples * (spread > calib_wide_spread ? 4 : 1);
}

/* The probe with the least certain median, of those with too large a spread. */
static int find_spread(const berth_calib_t *c, double left_s)
{
  int worst = -1;
  double largest = 0;
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    if (!p->refined || p->n == 0) continue;
    double spread = spread_of(c, p), error = spread / sqrt((double)p->n);
    if (spread <= c->options.spread || p->n >= max_samples(c, spread) || error <= largest) continue;
    if (estimate(c, p) > left_s) continue;
    largest = error;
    worst = (int)i;
  }
  return worst;
}

int berth_calib_next(berth_calib_t *c, double left_s, berth_calib_experiment_t *out)
{
  int found = -1;
  while (!c->failed && left_s > 0 && (found = find_needed(c, left_s)) < 0 &&
         c->stage < STAGE_REFINE)
    enter(c, (stage_t)(c->stage + 1));
  if (found < 0 && !c->failed && left_s > 0) found = find_spread(c, left_s);
  c->current = found;
  c->out_of_time = found < 0; /* if anything is left to do, time is the reason */
  if (found < 0) return 0;
  probe_shape(c, &c->probes[found], out);
  return 1;
}

int berth_calib_take(berth_calib_t *c, const double *seconds, berth_error_t *err)
{
  probe_t *p = c->current >= 0 ? &c->probes[c->current] : NULL;
  if (!p) return berth_fail(err, BERTH_BAD_INPUT, "found a result of no experiment");
  for (size_t f = 0; f < p->n_flows; f++)
    if (!(seconds[f] > 0 && isfinite(seconds[f])))
      return berth_fail(err, BERTH_BAD_INPUT, "%s: found %g s per message, expected more than 0",
                        p->what, seconds[f]);
  if (!array_reserve(&p->samples, &p->cap, (p->n + 1) * p->n_flows, sizeof *p->samples))
    return no_memory(err);
  memcpy(p->samples + p->n * p->n_flows, seconds, p->n_flows * sizeof *seconds);
  p->n++;
  c->done++;
  c->current = -1;
  return BERTH_OK;
}

/* Counts the known points of curves that the last stages add; further ones are counted when they
 * are added. */
berth_calib_progress_t berth_calib_progress(const berth_calib_t *c)
{
  berth_calib_progress_t progress = {.done = c->done, .planned = c->done};
  for (size_t i = 0; i < c->n_probes; i++) {
    const probe_t *p = &c->probes[i];
    size_t need = needed(c, p);
    if (p->n >= need) continue;
    progress.planned += (int)(need - p->n);
    progress.left_s += (double)(need - p->n) * estimate(c, p);
  }
  return progress;
}
