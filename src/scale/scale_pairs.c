/* SPDX-License-Identifier: BSD-3-Clause */
/* A relation in a trace: which of its pairs are there, with which amounts. */
#include <math.h>
#include <string.h>

#include "scale/scale_candidates.h"

#define COMPLETE 0.9  /* a relation holds if so many of its pairs are there */
#define NEAR     0.25 /* amounts that differ by more aren't the same */
#define MOSTLY   0.75 /* so much of a relation's amount must be near its mean */

/* --- walking --- */

scale_walk_t scale_walk(const scale_candidates_t *c, const scale_relation_t *r, size_t trace)
{
  const grid_t *grid = &c->family->traced[trace];
  return (scale_walk_t){.cell = &c->unit->cell[trace],
                        .grid = grid,
                        .relation = r,
                        .ranks = c->job->ranks[trace],
                        .most = scale_relation_most(r, grid, 0)};
}

bool scale_walk_next(scale_walk_t *w)
{
  int dst = -1;
  while (dst < 0) {
    if (w->next >= w->most) {
      if (++w->src >= w->ranks) return false;
      w->next = 0;
      w->most = scale_relation_most(w->relation, w->grid, w->src);
      continue;
    }
    dst = scale_relation_target(w->relation, w->grid, w->src, w->next++);
  }
  w->weight = scale_relation_weight(w->relation, w->grid, w->next - 1);
  w->pair = scale_pair_find(w->cell, w->src, dst);
  w->index = w->pair ? (size_t)(w->pair - w->cell->pairs) : 0;
  return true;
}

/* --- amounts --- */

double scale_amount(const scale_pair_t *p) { return p->bytes + p->messages; }

scale_amounts_t scale_measure(const scale_candidates_t *c, const scale_relation_t *r, size_t trace,
                              const int *claims)
{
  scale_amounts_t a = {0};
  scale_weight_t all = {0, 0};
  scale_walk_t w = scale_walk(c, r, trace);
  while (scale_walk_next(&w)) {
    if (!w.pair) {
      a.missing++;
      continue;
    }
    int share = claims ? claims[w.index] : 1;
    a.pairs++;
    all.messages += w.weight.messages;
    all.bytes += w.weight.bytes;
    a.messages += w.pair->messages / share;
    a.bytes += w.pair->bytes / share;
  }
  if (a.pairs > 0) a.messages /= all.messages, a.bytes /= all.bytes;
  return a;
}

/* Whether the relation's pairs have about the same amount each in the last trace. */
static bool is_even(const scale_candidates_t *c, const scale_relation_t *r)
{
  size_t last = c->job->n - 1;
  scale_amounts_t a = scale_measure(c, r, last, NULL);
  double mean = a.bytes + a.messages, near = 0, all = 0;
  scale_walk_t w = scale_walk(c, r, last);
  while (scale_walk_next(&w)) {
    if (!w.pair) continue;
    double here = w.pair->bytes / w.weight.bytes + w.pair->messages / w.weight.messages;
    all += scale_amount(w.pair);
    if (fabs(here - mean) <= NEAR * mean) near += scale_amount(w.pair);
  }
  return near >= MOSTLY * all;
}

/* --- what holds --- */

double scale_holds(const scale_candidates_t *c, const scale_relation_t *r, size_t trace)
{
  double expected = 0, found = 0;
  scale_walk_t w = scale_walk(c, r, trace);
  double most_missing = (1 - COMPLETE) * w.ranks * (r->kind == SCALE_FROM_FIRST ? 1 : w.most);
  while (scale_walk_next(&w)) {
    expected++;
    found += w.pair != NULL;
    if (expected - found > most_missing) return 0;
  }
  return expected > 0 ? found / expected : -1;
}

/* The part of its pairs that nothing explains yet, in the last trace. */
static double fresh(const scale_candidates_t *c, const scale_relation_t *r)
{
  double all = 0, open = 0;
  scale_walk_t w = scale_walk(c, r, c->job->n - 1);
  while (scale_walk_next(&w)) {
    all++;
    open += w.pair && !c->explained[w.index];
  }
  return open / all;
}

static void mark(scale_candidates_t *c, const scale_relation_t *r)
{
  scale_walk_t w = scale_walk(c, r, c->job->n - 1);
  while (scale_walk_next(&w)) {
    if (!w.pair || c->explained[w.index]) continue;
    c->explained[w.index] = true;
    c->open--;
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
  size_t last = c->job->n - 1;
  if (c->n == SCALE_RELATIONS || too_many(c, r)) return false;
  if (c->open == 0 && !twin) return false;
  if (scale_holds(c, r, last) < COMPLETE) return false;
  if (!twin && fresh(c, r) < 0.5) return false;
  for (size_t t = 0; t < last; t++) {
    double holds = scale_holds(c, r, t);
    if (holds >= 0 && holds < COMPLETE) return false;
  }
  if (!is_even(c, r)) return false;
  mark(c, r);
  c->relation[c->n++] = *r;
  return true;
}
