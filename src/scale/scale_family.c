/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids: rules that divide any number of ranks among dimensions. Programs do so by a rule, so the
 * grids of the traces say which one it can be. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/divisor.h"
#include "base/no_memory.h"
#include "scale/scale_internal.h"

enum { ASPECTS = 3, MOST_FIXED = 2, FIXED_DIMS = 3 };
static const int aspects[ASPECTS] = {1, 2, 4};

/* Some dimensions may have a fixed number of ranks. The others divide the rest so that the blocks
 * of a domain with that aspect have the smallest border. Of equal ones, the rule takes the one with
 * the most ranks in dimension order[0], then order[1]… */
typedef struct rule {
  int n, fixed[GRID_DIMS], aspect[GRID_DIMS], order[GRID_DIMS];
} rule_t;

typedef struct search {
  scale_job_t *job;
  scale_families_t *out;
  size_t cap, cap_others, cap_like;
  bool no_memory;
} search_t;

/* --- dividing --- */

typedef struct division {
  const rule_t *rule;
  grid_t at, best;
  double border;
} division_t;

static bool more_in_order(const division_t *d)
{
  for (int i = 0; i < d->rule->n; i++) {
    int dim = d->rule->order[i];
    if (d->at.dims[dim] != d->best.dims[dim]) return d->at.dims[dim] > d->best.dims[dim];
  }
  return false;
}

static void weigh(division_t *d)
{
  double border = 0;
  for (int i = 0; i < d->rule->n; i++)
    if (!d->rule->fixed[i]) border += (double)d->at.dims[i] / d->rule->aspect[i];
  if (border > d->border * (1 + 1e-12)) return;
  if (border >= d->border * (1 - 1e-12) && !more_in_order(d)) return;
  d->border = border;
  d->best = d->at;
}

/* Gives dimensions from `dim` on what is left of the ranks. */
static void divide(division_t *d, int dim, int left)
{
  int n = d->rule->n, last = n - 1;
  while (last >= 0 && d->rule->fixed[last]) last--;
  if (dim == n) {
    if (left == 1) weigh(d);
    return;
  }
  if (d->rule->fixed[dim] || dim == last) {
    int here = d->rule->fixed[dim] ? d->rule->fixed[dim] : left;
    d->at.dims[dim] = here;
    if (d->rule->fixed[dim]) return divide(d, dim + 1, left);
    divide(d, dim + 1, 1);
    return;
  }
  for (int i = 1; (int64_t)i * i <= left; i++) {
    if (left % i) continue;
    d->at.dims[dim] = i;
    divide(d, dim + 1, left / i);
    if (i == left / i) continue;
    d->at.dims[dim] = left / i;
    divide(d, dim + 1, i);
  }
}

static bool apply(const rule_t *rule, int ranks, grid_t *grid)
{
  division_t d = {.rule = rule, .at.n = rule->n, .border = DBL_MAX};
  for (int i = 0; i < rule->n; i++) {
    if (!rule->fixed[i]) continue;
    if (ranks % rule->fixed[i]) return false;
    ranks /= rule->fixed[i];
  }
  divide(&d, 0, ranks);
  *grid = d.best;
  return d.border < DBL_MAX;
}

/* --- the list --- */

static void name(const rule_t *r, char text[80])
{
  bool up = true, down = true, even = true, fixed = false;
  int free_dims = 0;
  size_t n = 0;
  for (int i = 0; i < r->n; i++) {
    up &= r->order[i] == r->n - 1 - i;
    down &= r->order[i] == i;
    even &= r->fixed[i] || r->aspect[i] == 1;
    fixed |= r->fixed[i] > 0;
    free_dims += !r->fixed[i];
  }
  text[0] = '\0';
  for (int i = 0; i < r->n; i++)
    if (r->fixed[i])
      n += (size_t)snprintf(text + n, 80 - n, "%s%d in dimension %d", n ? ", " : "", r->fixed[i],
                            i + 1);
  if (free_dims == 1) {
    snprintf(text + n, 80 - n, "%s", n ? ", all others in the rest" : "one line");
    return;
  }
  if (even)
    n += (size_t)snprintf(text + n, 80 - n, "%sas even as possible", fixed ? ", else " : "");
  else
    n += (size_t)snprintf(text + n, 80 - n, "%ssmallest borders in a domain of", fixed ? ", " : "");
  for (int i = 0; i < r->n && !even; i++)
    n += (size_t)snprintf(text + n, 80 - n, "%c%d", i ? ':' : ' ', r->aspect[i]);
  if (down || up)
    snprintf(text + n, 80 - n, ", the %s first", down ? "largest" : "smallest");
  else
    snprintf(text + n, 80 - n, ", most in dimension %d", r->order[0] + 1);
}

bool scale_same_grid(const grid_t *a, const grid_t *b)
{
  return a->n == b->n && memcmp(a->dims, b->dims, (size_t)a->n * sizeof(int)) == 0;
}

static bool same_grids(const scale_job_t *job, const scale_family_t *a, const scale_family_t *b)
{
  for (size_t t = 0; t < job->n; t++)
    if (!scale_same_grid(&a->traced[t], &b->traced[t])) return false;
  return true;
}

/* In four dimensions of at most two ranks each, any pair of ranks is one step apart: such a grid
 * explains everything, and so says nothing. */
static bool says_nothing(const scale_job_t *job, const scale_family_t *f)
{
  const grid_t *last = &f->traced[job->n - 1];
  bool flat = last->n == GRID_DIMS;
  for (int d = 0; d < last->n; d++) flat &= last->dims[d] <= 2;
  return flat;
}

int scale_most_ranks(const scale_job_t *job, const scale_family_t *f, int dim)
{
  int most = 1;
  for (size_t t = 0; t < job->n; t++)
    if (f->traced[t].dims[dim] > most) most = f->traced[t].dims[dim];
  return most;
}

/* A dimension of one rank in all traces is none. */
static bool has_empty(const scale_job_t *job, const scale_family_t *f)
{
  for (int d = 0; d < f->traced[0].n; d++)
    if (scale_most_ranks(job, f, d) == 1) return true;
  return false;
}

static void add_other(search_t *s, const scale_family_t *f, size_t like)
{
  scale_families_t *out = s->out;
  for (size_t i = 0; i < out->n_others; i++)
    if (out->like[i] == like && scale_same_grid(&out->others[i].made, &f->made)) return;
  size_t n = out->n_others;
  if (!ARRAY_ADD(&out->others, &n, &s->cap_others, *f) ||
      !ARRAY_ADD(&out->like, &out->n_others, &s->cap_like, like))
    s->no_memory = true;
}

static void add(search_t *s, const rule_t *rule)
{
  scale_job_t *job = s->job;
  scale_family_t f = {0};
  for (size_t t = 0; t < job->n; t++)
    if (!apply(rule, job->ranks[t], &f.traced[t])) return;
  f.recorded = scale_recorded_as(job, f.traced);
  if (has_empty(job, &f) && rule->n > 1) return;
  if (!f.recorded && says_nothing(job, &f)) return;
  if (job->options.n_grid) {
    if (job->options.n_grid != rule->n && rule->n > 1) return;
    f.made = (grid_t){.n = rule->n};
    for (int d = 0; d < rule->n; d++)
      f.made.dims[d] = rule->n > 1 ? job->options.grid[d] : job->options.ranks;
  } else if (!apply(rule, job->options.ranks, &f.made)) {
    return;
  }
  name(rule, f.rule);
  for (size_t i = 0; i < s->out->n; i++) {
    const scale_family_t *other = &s->out->family[i];
    if (!same_grids(job, other, &f)) continue;
    if (!scale_same_grid(&other->made, &f.made)) add_other(s, &f, i);
    return;
  }
  if (!ARRAY_ADD(&s->out->family, &s->out->n, &s->cap, f)) s->no_memory = true;
}

/* --- all rules --- */

static void each_order(search_t *s, rule_t *rule, int placed, bool rising)
{
  if (placed == rule->n) {
    add(s, rule);
    return;
  }
  for (int i = 0; i < rule->n; i++) {
    int d = rising ? i : rule->n - 1 - i;
    bool used = false;
    for (int k = 0; k < placed; k++) used |= rule->order[k] == d;
    if (used) continue;
    rule->order[placed] = d;
    each_order(s, rule, placed + 1, rising);
  }
}

static void each_aspect(search_t *s, rule_t *rule, int dim)
{
  if (dim == rule->n) {
    int least = aspects[ASPECTS - 1], most = 1;
    for (int i = 0; i < rule->n; i++) {
      if (rule->fixed[i]) continue;
      if (rule->aspect[i] < least) least = rule->aspect[i];
      if (rule->aspect[i] > most) most = rule->aspect[i];
    }
    if (least == 1 && most > 1) each_order(s, rule, 0, true);
    return;
  }
  for (int a = 0; a < (rule->fixed[dim] ? 1 : ASPECTS); a++) {
    rule->aspect[dim] = aspects[a];
    each_aspect(s, rule, dim + 1);
  }
  rule->aspect[dim] = 1;
}

static int greatest_divisor(const scale_job_t *job)
{
  uint64_t divisor = 0;
  for (size_t t = 0; t < job->n; t++) divisor = common_divisor(divisor, (uint64_t)job->ranks[t]);
  return (int)divisor;
}

static void each_fixed(search_t *s, rule_t *rule, int dim, int fixed, int divisor)
{
  if (dim == rule->n) {
    if (fixed > 0 && fixed < rule->n) each_order(s, rule, 0, true);
    return;
  }
  each_fixed(s, rule, dim + 1, fixed, divisor);
  for (int c = 2; c <= divisor && fixed < MOST_FIXED; c++) {
    if (divisor % c) continue;
    rule->fixed[dim] = c;
    each_fixed(s, rule, dim + 1, fixed + 1, divisor / c);
  }
  rule->fixed[dim] = 0;
}

/* Grids that the program made by no rule that is known: the user says the grid of the pattern. */
static void add_recorded(search_t *s)
{
  const scale_job_t *job = s->job;
  for (size_t i = 0; i < job->n_recorded; i++) {
    const scale_recorded_t *recorded = &job->recorded[i];
    scale_family_t f = {.made.n = job->options.n_grid, .recorded = recorded};
    bool known = f.made.n != recorded->traced[0].n;
    for (int d = 0; d < f.made.n; d++) f.made.dims[d] = job->options.grid[d];
    memcpy(f.traced, recorded->traced, sizeof f.traced);
    for (size_t k = 0; k < s->out->n && !known; k++)
      known = same_grids(job, &s->out->family[k], &f);
    if (!known && !ARRAY_ADD(&s->out->family, &s->out->n, &s->cap, f)) s->no_memory = true;
  }
}

int scale_families(scale_job_t *job, scale_families_t *out, berth_error_t *err)
{
  search_t s = {.job = job, .out = out};
  if (scale_recorded(job, err)) return err->code;
  int divisor = greatest_divisor(job);
  for (int n = 1; n <= GRID_DIMS; n++) {
    rule_t rule = {.n = n, .aspect = {1, 1, 1, 1}};
    each_order(&s, &rule, 0, true);
  }
  for (int n = 2; n <= FIXED_DIMS && job->n > 1; n++) {
    rule_t rule = {.n = n, .aspect = {1, 1, 1, 1}};
    each_fixed(&s, &rule, 0, 0, divisor);
  }
  for (int n = 2; n <= FIXED_DIMS; n++) {
    rule_t rule = {.n = n, .aspect = {1, 1, 1, 1}};
    each_aspect(&s, &rule, 0);
  }
  add_recorded(&s);
  return s.no_memory ? no_memory(err) : BERTH_OK;
}

void scale_families_free(scale_families_t *families)
{
  free(families->family);
  free(families->others);
  free(families->like);
}
