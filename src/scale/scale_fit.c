/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws of the relations that were found: what each trace has of them, and what that follows. */
#include "scale/scale_fit.h"

#include <math.h>
#include <string.h>

#define ACCURATE 0.03 /* a law of bytes needs no other one beside it */

/* --- what traces have --- */

/* How many relations have each pair. */
static void count_claims(const scale_candidates_t *c, size_t trace, int *claims)
{
  memset(claims, 0, c->unit->cell[trace].n_pairs * sizeof *claims);
  for (int k = 0; k < c->n; k++) {
    scale_walk_t w = scale_walk(c, &c->relation[k], trace);
    while (scale_walk_next(&w))
      if (w.pair) claims[w.index]++;
  }
}

static void add_point(scale_series_t *s, const scale_place_t *place, double value)
{
  s->point[s->n++] = (scale_point_t){*place, value};
}

double scale_fits_fill(const scale_candidates_t *c, scale_fits_t *fits, int *claims, double *last)
{
  double explained = 0;
  for (size_t t = 0; t < c->job->n; t++) {
    const scale_cell_t *cell = &c->unit->cell[t];
    double all = 0, missing = 0, here = 0;
    count_claims(c, t, claims);
    for (size_t i = 0; i < cell->n_pairs; i++) {
      all += scale_amount(&cell->pairs[i]);
      if (claims[i]) here += scale_amount(&cell->pairs[i]);
    }
    for (int k = 0; k < c->n; k++) {
      const scale_relation_t *r = &c->relation[k];
      scale_amounts_t a = scale_measure(c, r, t, claims);
      if (a.pairs == 0) continue;
      missing += a.missing * (a.bytes + a.messages);
      const scale_place_t place = scale_relation_place(r, &c->family->traced[t], c->job->ranks[t]);
      add_point(&fits->messages[k], &place, a.messages);
      add_point(&fits->bytes[k], &place, a.bytes);
    }
    explained += all > 0 ? (here - missing) / all : 1;
    *last = all > 0 ? here / all : 1;
  }
  return explained / (double)c->job->n;
}

static double error_of(const scale_series_t *series, size_t n)
{
  double error = 0;
  for (size_t i = 0; i < n; i++) error = fmax(error, series[i].law.error);
  return error;
}

static void fill_sizes(scale_fits_t *fits, size_t first, size_t n)
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
static bool find_some(scale_fits_t *fits, size_t first, size_t n)
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

/* --- laws --- */

bool scale_fits_find(const scale_candidates_t *c, scale_fits_t *fits)
{
  size_t steps = 0, n = (size_t)c->n;
  while (steps < n && c->relation[steps].kind == SCALE_STEP) steps++;
  if (steps && !find_some(fits, 0, steps)) return false;
  for (size_t k = steps; k < n; k++)
    if (!find_some(fits, k, 1)) return false;
  return true;
}

void scale_fits_say(const scale_candidates_t *c, scale_fits_t *fits)
{
  for (int k = 0; k < c->n; k++) {
    scale_series_t *m = &fits->messages[k], *b = &fits->bytes[k];
    bool is_short = b->n && b->point[0].value <= SCALE_SHORT * m->point[0].value;
    berth_scaling_t how = c->job->options.scaling;
    scale_law_say(m, BERTH_SCALING_WEAK, false, false);
    scale_law_say(b, is_short ? BERTH_SCALING_WEAK : how,
                  !is_short && c->relation[k].kind == SCALE_ALL, false);
  }
}
