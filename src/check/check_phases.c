/* SPDX-License-Identifier: BSD-3-Clause */
/* Which phase of a pattern is which of the baseline. Numbers may shift where a program gets a phase
 * more, so that names come first where they tell. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_internal.h"

/* The place of the only phase of that name, which isn't ""; CHECK_NONE when there are others. */
static size_t find_name(const check_side_t *side, const char *name)
{
  size_t found = CHECK_NONE;
  if (!*name) return CHECK_NONE;
  for (size_t k = 0; k < side->n_phases; k++) {
    if (strcmp(side->phases[k].name, name) != 0) continue;
    if (found != CHECK_NONE) return CHECK_NONE;
    found = k;
  }
  return found;
}

/* By number: two names that differ say that these are two phases. */
static size_t find_id(const check_side_t *side, const berth_phase_t *phase)
{
  size_t k = check_place(side, phase->id);
  if (k == CHECK_NONE) return CHECK_NONE;
  const char *name = side->phases[k].name;
  return !*name || !*phase->name || strcmp(name, phase->name) == 0 ? k : CHECK_NONE;
}

static bool alike(const check_side_t *now, size_t k, const check_side_t *was, size_t i)
{
  return now->phases[k].repeats == was->phases[i].repeats &&
         !check_grew(now->cost.phases[k].cost_s, was->cost.phases[i].cost_s) &&
         !check_grew(was->cost.phases[i].cost_s, now->cost.phases[k].cost_s);
}

/* Phases that the tracer found are named by places in the program, of which lines move when it is
 * changed: those at the same place but for that are the same, first those that cost as much. */
static void match_moved(const check_side_t *now, const check_side_t *was, bool as_much,
                        size_t *matched, bool *taken)
{
  for (size_t k = 0; k < now->n_phases; k++)
    for (size_t i = 0; i < was->n_phases && matched[k] == CHECK_NONE; i++) {
      const char *name = now->phases[k].name;
      if (taken[i] || !*name || !check_same_place(name, was->phases[i].name) ||
          (as_much && !alike(now, k, was, i)))
        continue;
      matched[k] = i;
      taken[i] = true;
    }
}

/* matched[k] is the place in `was` of phase k of `now`; taken[] has the places that are one. */
static void match(const check_side_t *now, const check_side_t *was, size_t *matched, bool *taken)
{
  for (size_t k = 0; k < now->n_phases; k++) {
    size_t own = find_name(now, now->phases[k].name);
    matched[k] = own == k ? find_name(was, now->phases[k].name) : CHECK_NONE;
    if (matched[k] != CHECK_NONE) taken[matched[k]] = true;
  }
  for (size_t k = 0; k < now->n_phases; k++) {
    if (matched[k] != CHECK_NONE) continue;
    size_t place = find_id(was, &now->phases[k]);
    if (place == CHECK_NONE || taken[place]) continue;
    matched[k] = place;
    taken[place] = true;
  }
  match_moved(now, was, true, matched, taken);
  match_moved(now, was, false, matched, taken);
}

static void put_now(const check_side_t *side, size_t k, berth_check_phase_t *out)
{
  out->id = side->phases[k].id;
  out->name = side->phases[k].name;
  out->repeats = (double)side->phases[k].repeats;
  out->cost_s = side->cost.phases[k].cost_s;
}

static void put_was(const check_side_t *side, size_t k, berth_check_phase_t *out)
{
  out->was_id = side->phases[k].id;
  if (!out->name || !*out->name) out->name = side->phases[k].name;
  out->was_repeats = (double)side->phases[k].repeats;
  out->was_cost_s = side->cost.phases[k].cost_s;
}

static double growth(const berth_check_phase_t *p)
{
  return p->repeats * p->cost_s - p->was_repeats * p->was_cost_s;
}

static int by_growth(const void *a, const void *b)
{
  const berth_check_phase_t *p = a, *q = b;
  double x = growth(p), y = growth(q);
  if (x != y) return x < y ? 1 : -1;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return (p->was_id > q->was_id) - (p->was_id < q->was_id);
}

int check_match_phases(const check_job_t *job, berth_check_t *out, berth_error_t *err)
{
  const check_side_t *now = &job->now, *was = &job->was;
  size_t *matched = malloc((now->n_phases + 1) * sizeof *matched);
  bool *taken = calloc(was->n_phases + 1, sizeof *taken);
  out->phases = calloc(now->n_phases + was->n_phases + 1, sizeof *out->phases);
  if (!matched || !taken || !out->phases) {
    free(matched);
    free(taken);
    return berth_fail(err, BERTH_MISSING, "out of memory");
  }
  match(now, was, matched, taken);
  for (size_t k = 0; k < now->n_phases; k++) {
    berth_check_phase_t *phase = &out->phases[out->n_phases++];
    phase->was_id = -1;
    put_now(now, k, phase);
    if (matched[k] != CHECK_NONE) put_was(was, matched[k], phase);
  }
  for (size_t k = 0; k < was->n_phases; k++) {
    if (taken[k]) continue;
    berth_check_phase_t *gone = &out->phases[out->n_phases++];
    gone->id = -1;
    put_was(was, k, gone);
  }
  free(matched);
  free(taken);
  qsort(out->phases, out->n_phases, sizeof *out->phases, by_growth);
  return BERTH_OK;
}
