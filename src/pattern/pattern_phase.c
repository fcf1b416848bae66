/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a pattern of some phases of another one.
 * All lists are sorted by phase, so each phase's items are contiguous and can be borrowed. */
#include <stdint.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"
#include "pattern/phase_find.h"

/* Narrows a sorted list to the items of some phases. */
#define NARROW(list, min_id, max_id)                                                               \
  do {                                                                                             \
    size_t from = 0, to;                                                                           \
    while (from < (list).n && (list).items[from].phase < (min_id)) from++;                         \
    for (to = from; to < (list).n && (list).items[to].phase <= (max_id);) to++;                    \
    if ((list).items) (list).items += from;                                                        \
    (list).n = (list).cap = to - from;                                                             \
  } while (0)

static void narrow(berth_pattern_t *some, size_t first, size_t end)
{
  const size_t *start = some->phase_start;
  int min_id = some->phases.items[first].id, max_id = some->phases.items[end - 1].id;
  some->phases.items += first;
  some->phases.n = some->phases.cap = end - first;
  some->messages.n = some->messages.cap = start[end] - start[first];
  if (some->messages.n) some->messages.items += start[first];
  NARROW(some->colls, min_id, max_id);
  NARROW(some->rows, min_id, max_id);
  NARROW(some->rmas, min_id, max_id);
  NARROW(some->orders, min_id, max_id);
  NARROW(some->dense, min_id, max_id);
  some->times.n = some->times.cap = 0; /* these are of the whole run */
  some->packed.n = some->packed.cap = 0;
}

const berth_pattern_t *pattern_of_phases(const berth_pattern_t *p, size_t first, size_t end,
                                         berth_error_t *err)
{
  if (pattern_check_finished(p, err)) return NULL;
  berth_pattern_t *some = malloc(sizeof *some);
  size_t *start = malloc((end - first + 1) * sizeof *start);
  if (!some || !start) {
    free(some);
    free(start);
    return no_memory_null(err);
  }
  *some = *p;
  narrow(some, first, end);
  for (size_t k = first; k <= end; k++)
    start[k - first] = p->phase_start[k] - p->phase_start[first];
  some->phase_start = start;
  return some;
}

const berth_pattern_t *berth_pattern_of_phase(const berth_pattern_t *p, size_t phase,
                                              berth_error_t *err)
{
  return pattern_of_phases(p, phase, phase + 1, err);
}

void berth_pattern_of_phase_free(const berth_pattern_t *of_phase)
{
  if (!of_phase) return;
  free(of_phase->phase_start);
  free((void *)(uintptr_t)of_phase); /* the rest is borrowed */
}
