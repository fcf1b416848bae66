/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains collective calls: which lines of ranks make them, how often, with how many bytes. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "scale/scale_internal.h"

#define APART 0.25 /* lines whose amounts differ by more don't do the same */
enum { MOST_CALLS = 256 };

typedef struct call_fits {
  scale_series_t bytes[MOST_CALLS], count[MOST_CALLS];
} call_fits_t;

/* --- lines --- */

static bool is_line(const scale_job_t *job, size_t t, int group, const grid_t *grid, unsigned dims)
{
  const scale_group_t *g = &job->groups[t].group[group];
  if (g->n != (size_t)scale_line(grid, dims)) return false;
  for (size_t i = 0; i < g->n && g->ranks; i++)
    if (g->ranks[i] != scale_line_rank(grid, dims, g->ranks[0], (int)i)) return false;
  return true;
}

/* How many groups call; 0 if one of them isn't a line. */
static int lines_that_call(const scale_job_t *job, const scale_calls_t *calls, size_t t,
                           const grid_t *grid, unsigned dims)
{
  int n = 0;
  for (size_t i = 0; i < calls->n; i++) {
    if (i > 0 && calls->call[i].group == calls->call[i - 1].group) continue;
    if (!is_line(job, t, calls->call[i].group, grid, dims)) return 0;
    n++;
  }
  return n;
}

static bool is_first(const scale_job_t *job, const scale_calls_t *calls, size_t t)
{
  const scale_group_t *g = &job->groups[t].group[calls->call[0].group];
  return !g->ranks || g->ranks[0] == 0;
}

/* Whether all lines call, or the first one alone, in all traces. */
static bool all_lines(const scale_job_t *job, const scale_unit_t *u, const scale_family_t *f,
                      unsigned dims, bool *first)
{
  bool all = true;
  *first = true;
  for (size_t t = 0; t < job->n; t++) {
    int line = scale_line(&f->traced[t], dims);
    int n = lines_that_call(job, &u->calls[t], t, &f->traced[t], dims);
    if (n == 0) return false;
    all &= n == job->ranks[t] / line;
    *first &= n == 1 && is_first(job, &u->calls[t], t);
  }
  *first &= !all;
  return all || *first;
}

/* --- roots --- */

static size_t ranks_of(const scale_job_t *job, size_t t, const scale_call_t *c)
{
  return job->groups[t].group[c->group].n;
}

/* Whether each rank of each group is a root. Calls are sorted by group and root. */
static bool all_are_roots(const scale_job_t *job, const scale_calls_t *calls, size_t t)
{
  size_t roots = 0;
  for (size_t i = 0; i < calls->n; i++) {
    const scale_call_t *c = &calls->call[i], *next = i + 1 < calls->n ? c + 1 : NULL;
    bool ends = !next || next->group != c->group;
    roots += ends || next->root != c->root;
    if (ends && roots != ranks_of(job, t, c)) return false;
    if (ends) roots = 0;
  }
  return true;
}

static bool find_roots(const scale_job_t *job, const scale_unit_t *u, scale_call_rule_t *rule)
{
  bool same = true, last = true, each = true;
  rule->root = u->calls[0].call[0].root;
  for (size_t t = 0; t < job->n; t++) {
    for (size_t i = 0; i < u->calls[t].n; i++) {
      const scale_call_t *c = &u->calls[t].call[i];
      same &= c->root == rule->root;
      last &= c->root == (int)ranks_of(job, t, c) - 1;
    }
    each &= all_are_roots(job, &u->calls[t], t);
  }
  rule->roots = same ? SCALE_ROOT_SAME : last ? SCALE_ROOT_LAST : SCALE_ROOT_EACH;
  return same || last || each;
}

/* --- amounts --- */

/* How many different calls each line makes; 0 if they differ. */
static int calls_of_a_line(const scale_calls_t *calls)
{
  int n = 0, here = 0;
  for (size_t i = 0; i < calls->n; i++) {
    here++;
    if (i + 1 < calls->n && calls->call[i + 1].group == calls->call[i].group) continue;
    if (n && here != n) return 0;
    n = here;
    here = 0;
  }
  return n;
}

static int calls_of_all(const scale_job_t *job, const scale_unit_t *u)
{
  int n = calls_of_a_line(&u->calls[0]);
  for (size_t t = 1; t < job->n; t++)
    if (calls_of_a_line(&u->calls[t]) != n) return 1;
  return n >= 1 && n <= MOST_CALLS ? n : 1;
}

/* The mean of one line's calls: of its k-th if it makes n, of all if n is 1. */
static scale_call_t mean_of_line(const scale_calls_t *calls, size_t begin, size_t end, int k, int n)
{
  scale_call_t mean = calls->call[n > 1 ? begin + (size_t)k : begin];
  if (n > 1) return mean;
  mean.count = mean.bytes = 0;
  for (size_t i = begin; i < end; i++) {
    mean.count += calls->call[i].count;
    mean.bytes += calls->call[i].bytes * calls->call[i].count;
  }
  if (mean.count > 0) mean.bytes /= mean.count;
  return mean;
}

/* The mean over lines; false if they differ too much. */
static bool mean_of_lines(const scale_calls_t *calls, int k, int n, double *bytes, double *count)
{
  double lines = 0, least[2] = {DBL_MAX, DBL_MAX}, most[2] = {0, 0};
  *bytes = *count = 0;
  for (size_t begin = 0, end; begin < calls->n; begin = end) {
    for (end = begin; end < calls->n && calls->call[end].group == calls->call[begin].group;) end++;
    scale_call_t mean = mean_of_line(calls, begin, end, k, n);
    const double value[2] = {mean.bytes, mean.count};
    for (int i = 0; i < 2; i++) {
      least[i] = fmin(least[i], value[i]);
      most[i] = fmax(most[i], value[i]);
    }
    *bytes += mean.bytes;
    *count += mean.count;
    lines++;
  }
  *bytes /= lines;
  *count /= lines;
  return most[0] <= least[0] * (1 + 2 * APART) && most[1] <= least[1] * (1 + 2 * APART);
}

static bool fill_fits(const scale_job_t *job, const scale_unit_t *u, const scale_family_t *f,
                      scale_call_rule_t *rule, call_fits_t *fits)
{
  memset(fits, 0, sizeof *fits);
  for (size_t t = 0; t < job->n; t++) {
    for (int k = 0; k < rule->n; k++) {
      const scale_place_t place = {f->traced[t], job->ranks[t],
                                   scale_line(&f->traced[t], rule->dims), 0};
      double bytes, count;
      if (!mean_of_lines(&u->calls[t], k, rule->n, &bytes, &count)) return false;
      if (rule->roots == SCALE_ROOT_EACH) count /= place.line;
      fits->bytes[k].point[fits->bytes[k].n++] = (scale_point_t){place, bytes};
      fits->count[k].point[fits->count[k].n++] = (scale_point_t){place, count};
    }
  }
  return true;
}

/* Whether ranks exchange what they have, which is a part of the problem. */
static bool moves_blocks(const char *op)
{
  return strstr(op, "lltoall") || strstr(op, "ather") || strstr(op, "catter");
}

static bool find_laws(const scale_job_t *job, const scale_unit_t *u, scale_call_rule_t *rule,
                      call_fits_t *fits, double *error)
{
  for (int k = 0; k < rule->n; k++) {
    scale_series_t *b = &fits->bytes[k], *c = &fits->count[k];
    if (job->n == 1) {
      bool block = moves_blocks(u->coll->op) && b->point[0].value > SCALE_SHORT;
      scale_law_say(b, block ? job->options.scaling : BERTH_SCALING_WEAK, false, block);
      scale_law_say(c, BERTH_SCALING_WEAK, false, false);
    } else if (!scale_law_find(b, 1, SCALE_LAW_BYTES) || !scale_law_find(c, 1, SCALE_LAW_COUNTS)) {
      return false;
    }
    rule->bytes[k] = b->law;
    rule->count[k] = c->law;
    *error = fmax(*error, fmax(b->law.error, c->law.error));
  }
  return true;
}

/* --- the explanation --- */

static double cost_of_dims(const scale_job_t *job, const scale_family_t *f, unsigned dims)
{
  double cost = 0;
  for (int d = 0; d < f->made.n; d++)
    cost += SCALE_COST_DIM +
            (f->traced[job->n - 1].dims[d] <= 2 && dims >> d & 1 ? SCALE_COST_FLAT_DIM : 0);
  return cost;
}

static const char *why_not(const scale_job_t *job, const scale_unit_t *u)
{
  for (size_t t = 0; t < job->n; t++) {
    if (!u->calls[t].n) return "not all traces have it";
    for (size_t i = 0; i < u->calls[t].n; i++) {
      if (u->calls[t].call[i].between) return "its communicator connects two groups of ranks";
      if (u->calls[t].call[i].uneven) return "its ranks give different amounts";
    }
  }
  return NULL;
}

static int explain_lines(scale_job_t *job, const scale_unit_t *u, const scale_family_t *f,
                         call_fits_t *fits, scale_calls_explanation_t *out, berth_error_t *err)
{
  scale_call_rule_t *rule = &out->rule;
  out->why = "the ranks that call together aren't lines of a grid";
  for (unsigned dims = 0; dims < 1u << f->made.n; dims++) {
    if (!all_lines(job, u, f, dims, &rule->first)) continue;
    rule->dims = dims;
    out->why = "its roots are neither the same rank of each line nor each rank in turn";
    if (!find_roots(job, u, rule)) return BERTH_OK;
    rule->n = rule->roots == SCALE_ROOT_EACH ? 1 : calls_of_all(job, u);
    rule->bytes = arena_alloc(&job->arena, (size_t)rule->n * sizeof *rule->bytes);
    rule->count = arena_alloc(&job->arena, (size_t)rule->n * sizeof *rule->count);
    if (!rule->bytes || !rule->count) return no_memory(err);
    rule->shared = u->calls[job->n - 1].call[0].shared;
    out->why = "lines of ranks call with different amounts";
    if (!fill_fits(job, u, f, rule, fits)) return BERTH_OK;
    out->why = find_laws(job, u, rule, fits, &out->error)
                   ? NULL
                   : "its numbers of bytes or messages follow no law";
    return BERTH_OK;
  }
  return BERTH_OK;
}

int scale_explain_calls(scale_job_t *job, const scale_unit_t *unit,
                        const scale_families_t *families, size_t family,
                        scale_calls_explanation_t *out, berth_error_t *err)
{
  const scale_family_t *f = &families->family[family];
  int rc = BERTH_OK;
  *out = (scale_calls_explanation_t){.family = family, .why = why_not(job, unit)};
  if (!out->why) {
    call_fits_t *fits = malloc(sizeof *fits);
    rc = fits ? explain_lines(job, unit, f, fits, out, err) : no_memory(err);
    free(fits);
  }
  out->cost =
      (out->why ? 100 : 0) + SCALE_COST_ERROR * out->error + cost_of_dims(job, f, out->rule.dims);
  return rc;
}
