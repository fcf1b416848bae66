/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the relations that may explain a unit: lines, and the steps that its messages make. */
#include <stdlib.h>
#include <string.h>

#include "scale/scale_candidates.h"

enum { WIDTH = 2 * SCALE_FAR + 1, LINE_OF_ALL = 4, LINE_OF_BITS = 8 };
enum { LINE_OF_CUBE = 16 }; /* with 8 ranks, those that differ in a bit are neighbours in space */
enum { STEPS = WIDTH * WIDTH * WIDTH * WIDTH };

#define ENOUGH 0.8 /* the steps must reach this part of the open pairs, or none is tried */

static const grid_t *last_grid(const scale_candidates_t *c)
{
  return &c->family->traced[c->job->n - 1];
}

/* --- lines --- */

static void try_all(scale_candidates_t *c)
{
  const grid_t *grid = last_grid(c);
  unsigned lines = 1u << grid->n;
  for (int n = scale_line(grid, lines - 1); n >= LINE_OF_ALL; n--)
    for (unsigned dims = lines - 1; dims; dims--)
      if (scale_line(grid, dims) == n)
        scale_try(c, &(scale_relation_t){.kind = SCALE_ALL, .dims = dims}, false);
}

static bool can_grow(scale_relation_kind_t kind)
{
  return kind == SCALE_BITS || kind == SCALE_POWERS || kind == SCALE_POWERS_BACK ||
         kind == SCALE_TREE || kind == SCALE_HALVES;
}

static void try_line(scale_candidates_t *c, scale_relation_kind_t kind, unsigned dims)
{
  scale_relation_t r = {.kind = kind, .dims = dims};
  for (int growth = SCALE_EVEN; growth <= SCALE_FALLS; growth++) {
    r.growth = (scale_growth_t)growth;
    if (scale_try(c, &r, false) || !can_grow(kind)) return;
  }
}

/* Ranks on the diagonal may send to themselves, too. */
static void try_transpose(scale_candidates_t *c, unsigned dims)
{
  scale_relation_t r = {.kind = SCALE_TRANSPOSE, .dims = dims, .itself = true};
  if (scale_try(c, &r, false)) return;
  r.itself = false;
  scale_try(c, &r, false);
}

static void try_lines(scale_candidates_t *c)
{
  const grid_t *grid = last_grid(c);
  for (unsigned dims = (1u << grid->n) - 1; dims; dims--) {
    int line = scale_line(grid, dims);
    if (line < LINE_OF_BITS) continue;
    for (int kind = SCALE_BITS; kind <= SCALE_REVERSE; kind++)
      if (kind != SCALE_BITS || line >= LINE_OF_CUBE)
        try_line(c, (scale_relation_kind_t)kind, dims);
  }
  for (int d = 0; d < grid->n; d++)
    for (int e = d + 1; e < grid->n && grid->dims[d] >= LINE_OF_ALL; e++)
      try_transpose(c, 1u << d | 1u << e);
}

/* --- steps --- */

/* A step that messages of the last trace make, in the shorter direction. */
typedef struct step {
  int by[GRID_DIMS];
  bool ambiguous; /* the other direction is as short in some dimension */
} step_t;

typedef struct steps {
  char seen[STEPS]; /* by index_of; 1: as it is; 2: only as one of two directions */
  int n, index[STEPS];
} steps_t;

static int index_of(const int *by, int n)
{
  int at = 0;
  for (int d = 0; d < n; d++) at = at * WIDTH + by[d] + SCALE_FAR;
  return at;
}

static void see(steps_t *s, const scale_candidates_t *c, const int *apart, int d, step_t *step)
{
  const grid_t *grid = last_grid(c);
  if (d == grid->n) {
    int index = index_of(step->by, d);
    char *seen = &s->seen[index];
    if (!*seen) s->index[s->n++] = index;
    if (*seen != 1) *seen = step->ambiguous ? 2 : 1;
    return;
  }
  int n = grid->dims[d], by = apart[d];
  if (n == 2 && !(c->periodic >> d & 1)) {
    step->by[d] = by;
    see(s, c, apart, d + 1, step);
    return;
  }
  if (2 * by > n) by -= n;
  if (2 * by < -n) by += n;
  if (abs(by) > SCALE_FAR) return;
  step->by[d] = by;
  bool before = step->ambiguous, both = by && 2 * abs(by) == n;
  step->ambiguous |= both;
  see(s, c, apart, d + 1, step);
  step->by[d] = -by;
  if (both) see(s, c, apart, d + 1, step);
  step->ambiguous = before;
}

static void see_all(steps_t *s, const scale_candidates_t *c)
{
  const grid_t *grid = last_grid(c);
  const scale_cell_t *cell = &c->unit->cell[c->job->n - 1];
  memset(s->seen, 0, sizeof s->seen);
  s->n = 0;
  for (size_t i = 0; i < cell->n_pairs; i++) {
    int from[GRID_DIMS], apart[GRID_DIMS];
    if (c->explained[i] || cell->pairs[i].src == cell->pairs[i].dst) continue;
    grid_place(grid, cell->pairs[i].src, from);
    grid_place(grid, cell->pairs[i].dst, apart);
    for (int d = 0; d < grid->n; d++) apart[d] -= from[d];
    see(s, c, apart, 0, &(step_t){{0}, false});
  }
}

static unsigned moved_dims(const int *by, int n)
{
  unsigned moved = 0;
  for (int d = 0; d < n; d++)
    if (by[d]) moved |= 1u << d;
  return moved;
}

/* Finds in which of its dimensions the step goes around: the most complete reading. */
static bool try_step(scale_candidates_t *c, const int *by, bool twin)
{
  const grid_t *grid = last_grid(c);
  unsigned moved = moved_dims(by, grid->n), flat = scale_flat_dims(grid), best = 0;
  double most = -1;
  scale_relation_t r = {.kind = SCALE_STEP, .dims = moved};
  memcpy(r.step, by, sizeof r.step);
  unsigned open = moved & ~flat;
  for (unsigned around = open;; around = (around - 1) & open) {
    r.periodic = around | (moved & flat & c->periodic);
    double holds = scale_holds(c, &r, c->job->n - 1);
    if (holds > most) most = holds, best = r.periodic;
    if (!around) break;
  }
  r.periodic = best;
  return scale_try(c, &r, twin);
}

static int length(const int *by, int n)
{
  int sum = 0;
  for (int d = 0; d < n; d++) sum += abs(by[d]);
  return sum;
}

static void step_at(int index, int n, int *by)
{
  for (int d = n - 1; d >= 0; d--) {
    by[d] = index % WIDTH - SCALE_FAR;
    index /= WIDTH;
  }
}

static bool has_mirror(const scale_candidates_t *c, const scale_relation_t *r)
{
  for (int k = 0; k < c->n; k++) {
    bool mirrors = c->relation[k].kind == SCALE_STEP;
    for (int d = 0; d < GRID_DIMS; d++) mirrors &= c->relation[k].step[d] == -r->step[d];
    if (mirrors) return true;
  }
  return false;
}

/* Whether steps go in both directions; true if none say anything. */
static bool is_mirrored(const scale_candidates_t *c)
{
  for (int k = 0; k < c->n; k++)
    if (c->relation[k].kind == SCALE_STEP && !has_mirror(c, &c->relation[k])) return false;
  return true;
}

static bool goes_back(const int *by, int n)
{
  for (int d = 0; d < n; d++)
    if (by[d]) return by[d] < 0;
  return false;
}

/* Tries the steps of one length, whose direction is clear, or isn't. */
static void try_length(scale_candidates_t *c, const steps_t *s, int far, char seen, bool both)
{
  int n = last_grid(c)->n;
  for (int i = 0; i < s->n; i++) {
    int by[GRID_DIMS] = {0};
    if (s->seen[s->index[i]] != seen) continue;
    step_at(s->index[i], n, by);
    if (length(by, n) == far && (seen == 1 || both || !goes_back(by, n)))
      try_step(c, by, seen == 2);
  }
}

/* Whether so many steps, one of each rank, have enough of the pairs that are open. */
static bool can_explain(const scale_candidates_t *c, int steps)
{
  int most = steps < SCALE_RELATIONS ? steps : SCALE_RELATIONS;
  return (double)most * c->job->ranks[c->job->n - 1] >= ENOUGH * (double)c->open;
}

/* Tries steps, short ones first: those whose direction is clear, then the others. */
static void try_steps(scale_candidates_t *c, steps_t *s)
{
  if (!can_explain(c, SCALE_RELATIONS)) return;
  see_all(s, c);
  if (!can_explain(c, s->n)) return;
  for (char seen = 1; seen <= 2; seen++) {
    bool both = is_mirrored(c);
    for (int far = 1; far <= last_grid(c)->n * SCALE_FAR; far++) try_length(c, s, far, seen, both);
  }
}

/* --- all --- */

static void steps_first(scale_candidates_t *c)
{
  scale_relation_t sorted[SCALE_RELATIONS];
  int n = 0;
  for (int steps = 1; steps >= 0; steps--)
    for (int k = 0; k < c->n; k++)
      if ((c->relation[k].kind == SCALE_STEP) == steps) sorted[n++] = c->relation[k];
  memcpy(c->relation, sorted, (size_t)n * sizeof *sorted);
}

void scale_candidates_try(scale_candidates_t *c, bool lines_first)
{
  steps_t steps;
  scale_try(c, &(scale_relation_t){.kind = SCALE_SELF}, false);
  try_all(c);
  if (lines_first) try_lines(c);
  try_steps(c, &steps);
  if (!lines_first) try_lines(c);
  steps_first(c);
}
