/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains who sends to whom at one call site: as few relations as possible, each of which holds in
 * all traces. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "scale/scale_candidates.h"

#define COMPLETE  0.9  /* a relation holds if so many of its pairs are there */
#define NEAR      0.25 /* amounts that differ by more aren't the same */
#define MOSTLY    0.75 /* so much of a relation's amount must be near its mean */
#define ACCURATE  0.03 /* a law of bytes needs no other one beside it */
#define EXPLAINED 0.8  /* of a unit's amounts, or it is left out */

/* What the parts of an explanation cost, in percent of the amounts that it leaves unexplained. */
#define COST_DIM      1.0
#define COST_FLAT_DIM 1.0 /* a dimension of at most two ranks in all traces */
#define COST_STEP     0.3
#define COST_ERROR    20.0
#define COST_UNEQUAL  5.0
#define COST_LINE     1.5
#define COST_BOTH     3.0 /* lines and steps */
#define COST_LAWLESS  90.0
#define COST_MIXED    1.0 /* some dimensions are periodic, others aren't */

/* What a pair weighs: messages without bytes count, too. */
static double weight_of(const scale_pair_t *p) { return p->bytes + p->messages; }

double scale_holds(const scale_candidates_t *c, const scale_relation_t *r, size_t trace,
                   double *fresh)
{
  const grid_t *grid = &c->family->traced[trace];
  const scale_cell_t *cell = &c->unit->cell[trace];
  int most = scale_relation_most(r, grid);
  double expected = 0, found = 0, weight;
  *fresh = 0;
  for (int src = 0; src < c->job->ranks[trace]; src++) {
    for (int i = 0; i < most; i++) {
      int dst = scale_relation_target(r, grid, src, i, &weight);
      if (dst < 0) continue;
      const scale_pair_t *p = scale_pair_find(cell, src, dst);
      expected++;
      found += p != NULL;
      if (p && trace + 1 == c->job->n) *fresh += !c->explained[p - cell->pairs];
    }
  }
  *fresh = expected > 0 ? *fresh / expected : 0;
  return expected > 0 ? found / expected : -1;
}

/* --- amounts of a relation in one trace --- */

typedef struct amounts {
  double pairs, weight, messages, bytes, missing;
} amounts_t;

/* `claims`: how many relations each pair has; NULL: one each. */
static amounts_t measure(const scale_candidates_t *c, const scale_relation_t *r, size_t trace,
                         const int *claims)
{
  amounts_t a = {0};
  const grid_t *grid = &c->family->traced[trace];
  const scale_cell_t *cell = &c->unit->cell[trace];
  int most = scale_relation_most(r, grid);
  for (int src = 0; src < c->job->ranks[trace]; src++) {
    for (int i = 0; i < most; i++) {
      double weight;
      int dst = scale_relation_target(r, grid, src, i, &weight);
      const scale_pair_t *p = dst < 0 ? NULL : scale_pair_find(cell, src, dst);
      if (dst >= 0 && !p) a.missing++;
      if (!p) continue;
      int share = claims ? claims[p - cell->pairs] : 1;
      a.pairs++;
      a.weight += weight;
      a.messages += p->messages / share;
      a.bytes += p->bytes / share;
    }
  }
  return a;
}

/* Whether the relation's pairs have about the same amount each in the last trace. */
static bool is_even(const scale_candidates_t *c, const scale_relation_t *r)
{
  size_t t = c->job->n - 1;
  const grid_t *grid = &c->family->traced[t];
  const scale_cell_t *cell = &c->unit->cell[t];
  amounts_t a = measure(c, r, t, NULL);
  double mean = a.bytes / a.weight + a.messages / a.pairs, near = 0, all = 0, weight;
  int most = scale_relation_most(r, grid);
  for (int src = 0; src < c->job->ranks[t]; src++) {
    for (int i = 0; i < most; i++) {
      int dst = scale_relation_target(r, grid, src, i, &weight);
      const scale_pair_t *p = dst < 0 ? NULL : scale_pair_find(cell, src, dst);
      if (!p) continue;
      all += weight_of(p);
      if (fabs(p->bytes / weight + p->messages - mean) <= NEAR * mean) near += weight_of(p);
    }
  }
  return near >= MOSTLY * all;
}

static void mark(scale_candidates_t *c, const scale_relation_t *r)
{
  size_t t = c->job->n - 1;
  const grid_t *grid = &c->family->traced[t];
  const scale_cell_t *cell = &c->unit->cell[t];
  int most = scale_relation_most(r, grid);
  double weight;
  for (int src = 0; src < c->job->ranks[t]; src++) {
    for (int i = 0; i < most; i++) {
      int dst = scale_relation_target(r, grid, src, i, &weight);
      const scale_pair_t *p = dst < 0 ? NULL : scale_pair_find(cell, src, dst);
      if (p) c->explained[p - cell->pairs] = true;
    }
  }
}

/* Whether all ranks of lines would be more pairs than there are. */
static bool too_many(const scale_candidates_t *c, const scale_relation_t *r)
{
  size_t t = c->job->n - 1;
  double line = scale_line(&c->family->traced[t], r->dims);
  return r->kind == SCALE_ALL &&
         COMPLETE * c->job->ranks[t] * (line - 1) > (double)c->unit->cell[t].n_pairs;
}

bool scale_try(scale_candidates_t *c, const scale_relation_t *r, bool twin)
{
  double fresh, unused;
  if (c->n == SCALE_RELATIONS || too_many(c, r)) return false;
  if (scale_holds(c, r, c->job->n - 1, &fresh) < COMPLETE) return false;
  if (fresh < 0.5 && !twin) return false;
  for (size_t t = 0; t + 1 < c->job->n; t++) {
    double holds = scale_holds(c, r, t, &unused);
    if (holds >= 0 && holds < COMPLETE) return false;
  }
  if (!is_even(c, r)) return false;
  mark(c, r);
  c->relation[c->n++] = *r;
  return true;
}

/* --- laws --- */

static void count_claims(const scale_candidates_t *c, size_t trace, int *claims)
{
  const grid_t *grid = &c->family->traced[trace];
  const scale_cell_t *cell = &c->unit->cell[trace];
  double weight;
  memset(claims, 0, cell->n_pairs * sizeof *claims);
  for (int k = 0; k < c->n; k++) {
    const scale_relation_t *r = &c->relation[k];
    int most = scale_relation_most(r, grid);
    for (int src = 0; src < c->job->ranks[trace]; src++) {
      for (int i = 0; i < most; i++) {
        int dst = scale_relation_target(r, grid, src, i, &weight);
        const scale_pair_t *p = dst < 0 ? NULL : scale_pair_find(cell, src, dst);
        if (p) claims[p - cell->pairs]++;
      }
    }
  }
}

static void add_point(scale_series_t *s, const grid_t *grid, int ranks, const scale_relation_t *r,
                      double value)
{
  bool step = r->kind == SCALE_STEP;
  s->point[s->n++] = (scale_point_t){
      {*grid, ranks, step ? ranks : scale_line(grid, r->dims), step ? r->dims : 0}, value};
}

typedef struct fits {
  scale_series_t messages[SCALE_RELATIONS], bytes[SCALE_RELATIONS];
  scale_series_t sizes[SCALE_RELATIONS]; /* bytes of one message */
  bool each[SCALE_RELATIONS];            /* `bytes` has become that of `sizes` */
} fits_t;

/* What each trace has of each relation; the part of all amounts that they explain. */
static double fill_series(const scale_candidates_t *c, fits_t *fits, int *claims)
{
  double explained = 0;
  for (size_t t = 0; t < c->job->n; t++) {
    const scale_cell_t *cell = &c->unit->cell[t];
    double all = 0, missing = 0, here = 0;
    count_claims(c, t, claims);
    for (size_t i = 0; i < cell->n_pairs; i++) {
      all += weight_of(&cell->pairs[i]);
      if (claims[i]) here += weight_of(&cell->pairs[i]);
    }
    for (int k = 0; k < c->n; k++) {
      const scale_relation_t *r = &c->relation[k];
      amounts_t a = measure(c, r, t, claims);
      if (a.pairs == 0) continue;
      missing += a.missing * (a.bytes + a.messages) / a.pairs;
      add_point(&fits->messages[k], &c->family->traced[t], c->job->ranks[t], r,
                a.messages / a.pairs);
      add_point(&fits->bytes[k], &c->family->traced[t], c->job->ranks[t], r, a.bytes / a.weight);
    }
    explained += all > 0 ? (here - missing) / all : 1;
  }
  return explained / (double)c->job->n;
}

static double error_of(const scale_series_t *series, size_t n)
{
  double error = 0;
  for (size_t i = 0; i < n; i++) error = fmax(error, series[i].law.error);
  return error;
}

static void fill_sizes(fits_t *fits, size_t first, size_t n)
{
  for (size_t k = first; k < first + n; k++) {
    fits->sizes[k] = fits->bytes[k];
    for (size_t i = 0; i < fits->sizes[k].n; i++)
      fits->sizes[k].point[i].value /= fits->messages[k].point[i].value;
  }
}

/* Finds laws of n relations from the first one on: of a pair's bytes, or of a message's if these
 * follow one better. Then a pair's bytes follow from its number of messages, such as that of a
 * solver's iterations. */
static bool find_some(fits_t *fits, size_t first, size_t n)
{
  scale_series_t *bytes = &fits->bytes[first], *sizes = &fits->sizes[first];
  if (!scale_law_find(&fits->messages[first], n, SCALE_LAW_COUNTS)) return false;
  bool found = scale_law_find(bytes, n, SCALE_LAW_BYTES);
  if (found && error_of(bytes, n) <= ACCURATE) return true;
  fill_sizes(fits, first, n);
  if (!scale_law_find(sizes, n, SCALE_LAW_BYTES)) return found;
  if (found && error_of(sizes, n) > error_of(bytes, n) / 2) return true;
  for (size_t k = first; k < first + n; k++) {
    fits->bytes[k] = fits->sizes[k];
    fits->each[k] = true;
  }
  return true;
}

/* Steps share one law; each other relation has its own. */
static bool find_laws(const scale_candidates_t *c, fits_t *fits)
{
  size_t steps = 0, n = (size_t)c->n;
  while (steps < n && c->relation[steps].kind == SCALE_STEP) steps++;
  if (steps && !find_some(fits, 0, steps)) return false;
  for (size_t k = steps; k < n; k++)
    if (!find_some(fits, k, 1)) return false;
  return true;
}

/* Messages without data, of flags and numbers, stay as they are. */
enum { SHORT = 64 };

static void say_laws(const scale_candidates_t *c, fits_t *fits)
{
  for (int k = 0; k < c->n; k++) {
    scale_series_t *m = &fits->messages[k], *b = &fits->bytes[k];
    bool is_short = b->n && b->point[0].value <= SHORT * m->point[0].value;
    berth_scaling_t how = c->job->options.scaling;
    scale_law_say(m, BERTH_SCALING_WEAK, false, false);
    scale_law_say(b, is_short ? BERTH_SCALING_WEAK : how,
                  !is_short && c->relation[k].kind == SCALE_ALL, false);
  }
}

/* --- costs --- */

/* How much messages of neighbours in different dimensions differ in number: 0 if they don't. */
static double unequal(const scale_candidates_t *c, const fits_t *fits)
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

static double cost_of_dims(const scale_candidates_t *c)
{
  double cost = 0;
  unsigned moved = 0, around = 0;
  for (int k = 0; k < c->n; k++) {
    if (c->relation[k].kind != SCALE_STEP) continue;
    moved |= c->relation[k].dims;
    around |= c->relation[k].periodic;
  }
  for (int d = 0; d < c->family->made.n; d++) {
    int most = 1;
    for (size_t t = 0; t < c->job->n; t++)
      if (c->family->traced[t].dims[d] > most) most = c->family->traced[t].dims[d];
    cost += COST_DIM + (most <= 2 ? COST_FLAT_DIM : 0);
  }
  return cost + (around && around != moved ? COST_MIXED : 0);
}

static double cost_of_relations(const scale_candidates_t *c)
{
  int steps = 0;
  for (int k = 0; k < c->n; k++) steps += c->relation[k].kind == SCALE_STEP;
  int lines = c->n - steps;
  return COST_STEP * steps + COST_LINE * lines + (steps && lines ? COST_BOTH : 0);
}

static int keep(const scale_candidates_t *c, const fits_t *fits, scale_explanation_t *e,
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
static int weigh(const scale_candidates_t *c, fits_t *fits, int *claims, scale_explanation_t *best,
                 berth_error_t *err)
{
  scale_explanation_t e = {.family = best->family};
  memset(fits, 0, sizeof *fits);
  e.explained = fill_series(c, fits, claims);
  e.cost = cost_of_dims(c) + cost_of_relations(c) + COST_UNEQUAL * unequal(c, fits);
  if (e.cost + 100 * (1 - e.explained) >= best->cost) return BERTH_OK;
  bool lawful = true;
  if (c->job->n > 1)
    lawful = find_laws(c, fits);
  else
    say_laws(c, fits);
  for (int k = 0; k < c->n; k++)
    e.error = fmax(e.error, fmax(fits->messages[k].law.error, fits->bytes[k].law.error));
  if (c->n == 0 || e.explained < EXPLAINED)
    e.why = "no relation between senders and receivers holds in all traces";
  else if (!lawful)
    e.why = "its numbers of bytes or messages follow no law";
  e.cost += !e.why ? 100 * (1 - e.explained) + COST_ERROR * e.error : lawful ? 100 : COST_LAWLESS;
  if (e.cost >= best->cost) return BERTH_OK;
  int rc = keep(c, fits, &e, err);
  if (!rc) *best = e;
  return rc;
}

/* --- hypotheses --- */

static unsigned flat_dims(const scale_candidates_t *c)
{
  unsigned flat = 0;
  for (int d = 0; d < c->family->made.n; d++)
    if (c->family->traced[c->job->n - 1].dims[d] == 2) flat |= 1u << d;
  return flat;
}

/* All ways to read the last trace: which dimensions of two ranks are periodic, and whether lines
 * or steps come first. */
static int each_reading(scale_candidates_t *c, fits_t *fits, int *claims, scale_explanation_t *best,
                        berth_error_t *err)
{
  unsigned flat = flat_dims(c);
  size_t pairs = c->unit->cell[c->job->n - 1].n_pairs;
  int rc = BERTH_OK;
  for (unsigned periodic = flat;; periodic = (periodic - 1) & flat) {
    for (int lines_first = 0; lines_first < 2 && !rc; lines_first++) {
      c->n = 0;
      c->periodic = periodic;
      memset(c->explained, 0, pairs * sizeof *c->explained);
      scale_candidates_try(c, lines_first);
      rc = weigh(c, fits, claims, best, err);
    }
    if (!periodic || rc) return rc;
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
  fits_t *fits = malloc(sizeof *fits);
  int *claims = malloc(most * sizeof *claims);
  c.explained = malloc(most * sizeof *c.explained);
  int rc =
      fits && claims && c.explained ? each_reading(&c, fits, claims, out, err) : no_memory(err);
  free(fits);
  free(claims);
  free(c.explained);
  return rc;
}
