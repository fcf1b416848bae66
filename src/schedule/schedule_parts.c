/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/schedule_parts.h"

#include <stdlib.h>

#include "base/array.h"

static bool add(schedule_parts_t *p, int64_t when, span_t span)
{
  return ARRAY_ADD(&p->part, &p->n, &p->cap, (schedule_part_t){when, span});
}

/* Adds what of a span isn't in the set yet, to both. */
static bool add_missing(schedule_parts_t *p, spans_t *known, int64_t when, span_t span)
{
  span_t missing;
  bool added = true;
  while (added && spans_missing(known, span, &missing))
    added = add(p, when, missing) && spans_add(known, missing);
  return added;
}

static span_t elements(schedule_place_t at, int64_t n) { return (span_t){at.first, at.first + n}; }

static bool reads(const schedule_step_t *s, schedule_buffer_t from)
{
  return s->kind != STEP_RECV && s->from.buffer == from;
}

static bool writes(const schedule_step_t *s, schedule_buffer_t to)
{
  return s->kind != STEP_SEND && s->to.buffer == to;
}

static bool used_in_round(int64_t round, const schedule_steps_t *steps, bool in_place,
                          spans_t *known, schedule_parts_t *out)
{
  bool added = true, late = false;
  for (size_t i = 0; i < steps->n && added; i++) {
    const schedule_step_t *s = &steps->step[i];
    bool local = s->kind != STEP_SEND && s->kind != STEP_RECV;
    late |= !local;
    if (reads(s, SCHEDULE_IN))
      added = add_missing(out, known, 2 * round + (local && late), elements(s->from, s->n));
    if (added && in_place && writes(s, SCHEDULE_OUT))
      added = add_missing(out, known, 2 * round + (local && late), elements(s->to, s->n));
  }
  return added;
}

bool schedule_parts_used(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                         bool in_place, schedule_parts_t *out)
{
  schedule_steps_t steps = {0};
  spans_t known = {0};
  int64_t rounds = a->rounds(c);
  bool added = true;
  out->n = 0;
  for (int64_t round = 0; round < rounds && added; round++) {
    steps.n = 0;
    schedule_steps(a, c, rank, round, &steps);
    added = !steps.lost && used_in_round(round, &steps, in_place, &known, out);
  }
  schedule_steps_clear(&steps);
  spans_clear(&known);
  return added;
}

/* The list is made from its end on. */
static void turn_round(schedule_parts_t *p)
{
  for (size_t i = 0; i < p->n / 2; i++) {
    schedule_part_t *other = &p->part[p->n - 1 - i], kept = *other;
    *other = p->part[i];
    p->part[i] = kept;
  }
}

bool schedule_parts_final(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                          int64_t total, schedule_parts_t *out)
{
  schedule_steps_t steps = {0};
  spans_t later = {0};
  bool added = true;
  out->n = 0;
  for (int64_t round = a->rounds(c) - 1; round >= 0 && added; round--) {
    steps.n = 0;
    schedule_steps(a, c, rank, round, &steps);
    added = !steps.lost;
    for (size_t i = steps.n; i > 0 && added; i--) {
      const schedule_step_t *s = &steps.step[i - 1];
      if (writes(s, SCHEDULE_OUT))
        added = add_missing(out, &later, 2 * round + 2, elements(s->to, s->n));
    }
  }
  added = added && add_missing(out, &later, 0, (span_t){0, total});
  turn_round(out);
  schedule_steps_clear(&steps);
  spans_clear(&later);
  return added;
}

void schedule_parts_clear(schedule_parts_t *p)
{
  free(p->part);
  *p = (schedule_parts_t){0};
}
