/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalises traces: looks at what was asked for, and chooses the ranks' grid. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "scale/scale_report.h"

#define COUNTS   0.001 /* the share of bytes from which on a unit helps to choose the grid */
#define OWN_GRID 5.0   /* a unit has a grid of its own if that explains so many percent more */
#define RECORDED 5.0   /* so much better must another grid than the program's own be */

/* What is found of each unit with each family of grids. */
typedef struct table {
  size_t n;
  scale_found_t *found; /* of unit u and family f: found[u * n + f] */
} table_t;

/* --- what was asked for --- */

static int check_grid(berth_scale_options_t *o, berth_error_t *err)
{
  int ranks;
  if (o->n_grid < 0 || o->n_grid > BERTH_SCALE_DIMS)
    return berth_fail(err, BERTH_BAD_INPUT, "found a grid of %d dimensions, expected at most %d",
                      o->n_grid, BERTH_SCALE_DIMS);
  grid_t grid = {.n = o->n_grid};
  for (int d = 0; d < o->n_grid; d++) grid.dims[d] = o->grid[d];
  if (grid_check(&grid, BERTH_MAX_RANKS, &ranks, err)) return err->code;
  if (!o->ranks && !o->n_grid)
    return berth_fail(err, BERTH_USAGE, "expected the number of ranks, or a grid");
  if (!o->ranks) o->ranks = ranks;
  if (o->ranks < 1 || o->ranks > BERTH_MAX_RANKS)
    return berth_fail(err, BERTH_BAD_INPUT, "found %d ranks, expected 1 to %d", o->ranks,
                      BERTH_MAX_RANKS);
  if (o->n_grid && o->ranks != ranks)
    return berth_fail(err, BERTH_BAD_INPUT, "found a grid of %d ranks, expected %d", ranks,
                      o->ranks);
  return BERTH_OK;
}

static int add_trace(scale_job_t *job, const berth_pattern_t *p, berth_error_t *err)
{
  int ranks = berth_pattern_ranks(p);
  size_t at = job->n;
  for (int of = 0; of < BERTH_N_OPERATIONS; of++)
    if (*berth_pattern_rules(p, (berth_operations_t)of))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "the trace of %d ranks: found messages that were added for estimates,"
                        " expected the program's own",
                        ranks);
  while (at > 0 && job->ranks[at - 1] >= ranks) {
    if (job->ranks[at - 1] == ranks)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found two traces of %d ranks, expected different numbers of ranks", ranks);
    job->ranks[at] = job->ranks[at - 1];
    job->trace[at] = job->trace[at - 1];
    at--;
  }
  job->ranks[at] = ranks;
  job->trace[at] = p;
  job->n++;
  return BERTH_OK;
}

static int check(scale_job_t *job, const berth_pattern_t *const *traces, size_t n,
                 berth_error_t *err)
{
  berth_scaling_t scaling = job->options.scaling;
  if (n < 1 || n > BERTH_SCALE_TRACES)
    return berth_fail(err, BERTH_USAGE, "found %zu traces, expected 1 to %d", n,
                      BERTH_SCALE_TRACES);
  if (scaling < BERTH_SCALING_FOUND || scaling > BERTH_SCALING_STRONG)
    return berth_fail(err, BERTH_USAGE, "found a scaling that isn't known");
  if (n == 1 && scaling == BERTH_SCALING_FOUND)
    return berth_fail(err, BERTH_USAGE,
                      "found one trace: expected another one, or whether the problem grows with"
                      " the ranks (weak scaling) or not (strong scaling)");
  if (n > 1 && scaling != BERTH_SCALING_FOUND)
    return berth_fail(err, BERTH_USAGE,
                      "found %zu traces and weak or strong scaling: the traces say which it is", n);
  int rc = check_grid(&job->options, err);
  for (size_t i = 0; i < n && !rc; i++) rc = add_trace(job, traces[i], err);
  return rc;
}

/* --- grids --- */

/* Units of few bytes take the grid of the others, if it explains them. */
static bool counts(const scale_job_t *job, size_t u)
{
  return job->units[u].share >= COUNTS || job->bytes == 0;
}

/* The family with which all units together are explained best. */
static size_t best_for_all(const scale_job_t *job, const scale_families_t *families,
                           const table_t *t)
{
  size_t best = 0;
  double least = DBL_MAX;
  for (size_t f = 0; f < t->n; f++) {
    double cost = 0, other = families->family[f].recorded ? 0 : RECORDED;
    for (size_t u = 0; u < job->n_units; u++)
      if (counts(job, u))
        cost += (job->units[u].share + 1e-6) *
                (scale_cost(&job->units[u], &t->found[u * t->n + f]) + other);
    if (cost < least - 1e-9) least = cost, best = f;
  }
  return best;
}

static const scale_found_t *best_for_one(const scale_unit_t *u, const scale_found_t *found,
                                         size_t n, size_t usual)
{
  size_t best = usual;
  for (size_t f = 0; f < n; f++)
    if (scale_cost(u, &found[f]) < scale_cost(u, &found[best]) - (best == usual ? OWN_GRID : 1e-9))
      best = f;
  return &found[best];
}

/* The law of numbers that depend on the number of ranks alone: one in each trace, or 0 where there
 * is none. With one trace it is "the same". */
static bool fit_numbers(const scale_job_t *job, const double *numbers, scale_law_t *law)
{
  scale_series_t s = {0};
  for (size_t t = 0; t < job->n; t++)
    if (numbers[t] > 0) s.point[s.n++] = (scale_point_t){scale_place_of(job->ranks[t]), numbers[t]};
  bool found = job->n > 1 && scale_law_find(&s, 1, SCALE_LAW_COUNTS);
  if (!found) scale_law_say(&s, BERTH_SCALING_WEAK, false, false);
  *law = s.law;
  return found || job->n == 1;
}

void scale_step(scale_job_t *job, size_t n)
{
  job->done += n;
  if (job->options.progress)
    job->options.progress(job->options.progress_data, job->done, job->steps);
}

static int explain(scale_job_t *job, const scale_families_t *families, size_t u, size_t f,
                   scale_found_t *found, berth_error_t *err)
{
  const scale_unit_t *unit = &job->units[u];
  if (unit->kind == SCALE_CALLS)
    return scale_explain_calls(job, unit, families, f, &found->calls, err);
  int rc = scale_explain(job, unit, families, f, &found->messages, err);
  if (!rc && unit->kind == SCALE_ONE_SIDED && !found->messages.why &&
      !fit_numbers(job, unit->epochs, &found->epochs))
    found->messages.why = "its epochs follow no law";
  return rc;
}

/* Explains a unit with all families, or with one. */
static int explain_unit(scale_job_t *job, const scale_families_t *families, size_t u, size_t first,
                        size_t n, scale_found_t *found, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t f = first; f < first + n && !rc; f++) {
    rc = explain(job, families, u, f, &found[f], err);
    scale_step(job, 1);
  }
  return rc;
}

/* Explains all units; chosen[u] is what is kept of each. */
static int explain_all(scale_job_t *job, const scale_families_t *families, scale_found_t *chosen,
                       berth_error_t *err)
{
  table_t t = {.n = families->n};
  int rc = BERTH_OK;
  t.found = calloc(job->n_units * t.n + 1, sizeof *t.found);
  if (!t.found) return no_memory(err);
  for (size_t u = 0; u < job->n_units && !rc; u++)
    if (counts(job, u)) rc = explain_unit(job, families, u, 0, t.n, &t.found[u * t.n], err);
  size_t usual = rc ? 0 : best_for_all(job, families, &t);
  for (size_t u = 0; u < job->n_units && !rc; u++) {
    scale_found_t *found = &t.found[u * t.n];
    if (!counts(job, u)) {
      rc = explain_unit(job, families, u, usual, 1, found, err);
      chosen[u] = found[usual];
      job->steps -= t.n - 1; /* unless it needs them after all */
      if (rc || !scale_why_not(&job->units[u], &found[usual])) continue;
      job->steps += t.n;
      rc = explain_unit(job, families, u, 0, t.n, found, err);
    }
    chosen[u] = *best_for_one(&job->units[u], found, t.n, usual);
  }
  free(t.found);
  return rc;
}

/* --- phases --- */

static void fit_repeats(const scale_job_t *job, size_t phase, scale_repeats_t *out)
{
  const double *repeats = job->phases[phase].repeats;
  out->sure = fit_numbers(job, repeats, &out->law);
  if (!out->sure) out->law = (scale_law_t){.factor = repeats[job->n - 1]};
}

/* --- all --- */

static int generalise(scale_job_t *job, berth_scaled_t *s, berth_error_t *err)
{
  scale_families_t families = {0};
  scale_found_t *chosen = calloc(job->n_units + 1, sizeof *chosen);
  scale_repeats_t *repeats = calloc(job->n_phases + 1, sizeof *repeats);
  int rc = chosen && repeats ? scale_families(job, &families, err) : no_memory(err);
  job->steps = job->n_units * (families.n + 1);
  if (!rc) rc = explain_all(job, &families, chosen, err);
  for (size_t p = 0; p < job->n_phases && !rc; p++) fit_repeats(job, p, &repeats[p]);
  if (!rc) rc = scale_make(job, &families, chosen, repeats, s->pattern, err);
  if (!rc) rc = scale_report(job, &families, chosen, repeats, s, err);
  scale_families_free(&families);
  free(chosen);
  free(repeats);
  return rc;
}

berth_scaled_t *berth_scale(const berth_pattern_t *const *traces, size_t n,
                            const berth_scale_options_t *options, berth_error_t *err)
{
  berth_error_t unused;
  scale_job_t job = {0};
  if (!err) err = &unused;
  memcpy(&job.options, options,
         options->size < sizeof job.options ? options->size : sizeof job.options);
  int rc = check(&job, traces, n, err);
  berth_scaled_t *s = rc ? NULL : calloc(1, sizeof *s);
  if (!rc && !s) rc = no_memory(err);
  if (!rc && !(s->pattern = berth_pattern_new(job.options.ranks, err))) rc = err->code;
  if (!rc) rc = scale_units(&job, err);
  if (!rc) rc = generalise(&job, s, err);
  scale_units_free(&job);
  if (!rc) return s;
  berth_scaled_free(s);
  return NULL;
}
