/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains who sends to whom at one call site: as few relations as possible, each of which holds in
 * all traces. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "scale/scale_fit.h"

#define EXPLAINED  0.8  /* of a unit's amounts, or it is left out */
#define ALMOST_ALL 0.97 /* the same in the last trace: a few relations may hold by chance */

/* More costs of an explanation. */
#define COST_STEP      0.3
#define COST_UNEQUAL   5.0
#define COST_LINE      1.5
#define COST_BOTH      3.0 /* lines and steps */
#define COST_LAWLESS   90.0
#define COST_MIXED     1.0  /* some dimensions are periodic, others aren't */
#define COST_BROKEN    3.0  /* a pair would have half a message */
#define COST_NOT_ASKED 10.0 /* it needs no grid, and the user gave one */
#define COST_UNLIKE    2.0  /* it isn't the grid that the program made, or needs none of it */

/* --- costs --- */

/* How much messages of neighbours in different dimensions differ in number: 0 if they don't. */
static double unequal(const scale_candidates_t *c, const scale_fits_t *fits)
{
  double least = DBL_MAX, most = 0;
  for (int k = 0; k < c->n; k++) {
    const scale_series_t *s = &fits->messages[k];
    unsigned dims = c->relation[k].dims;
    if (c->relation[k].kind != SCALE_STEP || (dims & (dims - 1)) || !s->n) continue;
    least = fmin(least, s->point[s->n - 1].value);
    most = fmax(most, s->point[s->n - 1].value);
  }
  return most > 0 ? 1 - least / most : 0;
}

/* Dimensions that the program made itself needn't be believed. */
static double cost_of_dims(const scale_candidates_t *c)
{
  double cost = 0;
  unsigned moved = 0, around = 0;
  if (c->family->recorded) return 0;
  for (int k = 0; k < c->n; k++) {
    if (c->relation[k].kind != SCALE_STEP) continue;
    moved |= c->relation[k].dims;
    around |= c->relation[k].periodic;
  }
  for (int d = 0; d < c->family->made.n; d++)
    cost +=
        SCALE_COST_DIM + (scale_most_ranks(c->job, c->family, d) <= 2 ? SCALE_COST_FLAT_DIM : 0);
  return cost + (around && around != moved ? COST_MIXED : 0);
}

/* Whether the reading of dimensions of two ranks isn't the one that the program made. */
static bool is_unlike(const scale_candidates_t *c)
{
  const scale_recorded_t *recorded = c->family->recorded;
  unsigned flat = scale_flat_dims(&c->family->traced[c->job->n - 1]);
  return recorded && c->periodic != (recorded->periodic & flat);
}

/* Whether some pair would have a part of a message in the last trace: it was divided among
 * relations that don't have it. */
static bool has_broken(const scale_candidates_t *c, const scale_fits_t *fits)
{
  for (int k = 0; k < c->n; k++) {
    const scale_series_t *s = &fits->messages[k];
    double messages = s->n ? s->point[s->n - 1].value : 0;
    if (messages < 1 && messages > 0) return true;
  }
  return false;
}

static bool needs_no_grid(const scale_candidates_t *c)
{
  unsigned all = (1u << c->family->made.n) - 1;
  for (int k = 0; k < c->n; k++)
    if (c->relation[k].kind == SCALE_STEP ? all == 1 : c->relation[k].dims == all) return true;
  return false;
}

static double cost_of_relations(const scale_candidates_t *c)
{
  int steps = 0;
  for (int k = 0; k < c->n; k++) steps += c->relation[k].kind == SCALE_STEP;
  int lines = c->n - steps;
  double ignores = 0;
  if (c->family->made.n > 1 && needs_no_grid(c))
    ignores = c->job->options.n_grid ? COST_NOT_ASKED : c->family->recorded ? COST_UNLIKE : 0;
  return COST_STEP * steps + COST_LINE * lines + (steps && lines ? COST_BOTH : 0) + ignores;
}

static int keep(const scale_candidates_t *c, const scale_fits_t *fits, scale_explanation_t *e,
                berth_error_t *err)
{
  e->n = c->n;
  e->rules = arena_alloc(&c->job->arena, (size_t)(c->n + 1) * sizeof *e->rules);
  if (!e->rules) return no_memory(err);
  for (int k = 0; k < c->n; k++) {
    e->rules[k] = (scale_rule_t){.relation = c->relation[k],
                                 .messages = fits->messages[k].law,
                                 .bytes = fits->bytes[k].law,
                                 .each = fits->each[k]};
    scale_sizes_find(c, &c->relation[k], &e->rules[k].sizes);
  }
  return BERTH_OK;
}

/* Weighs the relations that were found, and keeps them if they are the best so far. */
static int weigh(const scale_candidates_t *c, scale_fits_t *fits, int *claims,
                 scale_explanation_t *best, berth_error_t *err)
{
  scale_explanation_t e = {.family = best->family};
  memset(fits, 0, sizeof *fits);
  e.explained = scale_fits_fill(c, fits, claims, &e.last);
  e.cost = cost_of_dims(c) + cost_of_relations(c) + COST_UNEQUAL * unequal(c, fits) +
           (has_broken(c, fits) ? COST_BROKEN : 0) + (is_unlike(c) ? COST_UNLIKE : 0);
  if (e.cost + 100 * (1 - e.explained) >= best->cost) return BERTH_OK;
  bool lawful = true;
  if (c->job->n > 1)
    lawful = scale_fits_find(c, fits);
  else
    scale_fits_say(c, fits);
  for (int k = 0; k < c->n; k++)
    e.error = fmax(e.error, fmax(fits->messages[k].law.error, fits->bytes[k].law.error));
  if (c->n == 0 || e.explained < EXPLAINED || e.last < ALMOST_ALL)
    e.why = "no relation between senders and receivers holds in all traces";
  else if (!lawful)
    e.why = "its numbers of bytes or messages follow no law";
  e.cost += !e.why   ? 100 * (1 - e.explained) + SCALE_COST_ERROR * e.error
            : lawful ? 100
                     : COST_LAWLESS;
  if (e.cost >= best->cost) return BERTH_OK;
  int rc = keep(c, fits, &e, err);
  if (!rc) *best = e;
  return rc;
}

/* --- hypotheses --- */

/* All ways to read the last trace: which dimensions of two ranks are periodic, and whether lines
 * or steps come first. */
static int each_reading(scale_candidates_t *c, scale_fits_t *fits, int *claims,
                        scale_explanation_t *best, berth_error_t *err)
{
  unsigned flat = scale_flat_dims(&c->family->traced[c->job->n - 1]);
  size_t pairs = c->unit->cell[c->job->n - 1].n_pairs;
  int rc = BERTH_OK;
  for (unsigned periodic = 0;; periodic = (periodic - flat) & flat) {
    for (int lines_first = 0; lines_first < 2 && !rc; lines_first++) {
      c->n = 0;
      c->periodic = periodic;
      memset(c->explained, 0, pairs * sizeof *c->explained);
      c->open = pairs;
      scale_candidates_try(c, lines_first);
      rc = weigh(c, fits, claims, best, err);
    }
    if (periodic == flat || rc) return rc;
  }
}

int scale_explain(scale_job_t *job, const scale_unit_t *unit, const scale_families_t *families,
                  size_t family, scale_explanation_t *out, berth_error_t *err)
{
  scale_candidates_t c = {.job = job, .unit = unit, .family = &families->family[family]};
  size_t most = 1;
  *out = (scale_explanation_t){.family = family, .cost = DBL_MAX};
  for (size_t t = 0; t < job->n; t++)
    if (unit->cell[t].n_pairs > most) most = unit->cell[t].n_pairs;
  if (!unit->cell[job->n - 1].n_pairs) {
    out->why = "the trace with the most ranks doesn't have it";
    return BERTH_OK;
  }
  scale_fits_t *fits = malloc(sizeof *fits);
  int *claims = malloc(most * sizeof *claims);
  c.explained = malloc(most * sizeof *c.explained);
  int rc =
      fits && claims && c.explained ? each_reading(&c, fits, claims, out, err) : no_memory(err);
  free(fits);
  free(claims);
  free(c.explained);
  return rc;
}
