/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a pattern of one phase of another one.
 * All lists are sorted by phase, so each phase's items are contiguous and can be borrowed. */
#include <stdint.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

/* Narrows a sorted list to the items of one phase. */
#define NARROW(list, id)                                                                           \
  do {                                                                                             \
    size_t first = 0, end;                                                                         \
    while (first < (list).n && (list).items[first].phase < (id)) first++;                          \
    for (end = first; end < (list).n && (list).items[end].phase == (id);) end++;                   \
    if ((list).items) (list).items += first;                                                       \
    (list).n = (list).cap = end - first;                                                           \
  } while (0)

const berth_pattern_t *berth_pattern_of_phase(const berth_pattern_t *p, size_t phase,
                                              berth_error_t *err)
{
  if (pattern_check_finished(p, err)) return NULL;
  berth_pattern_t *one = malloc(sizeof *one);
  size_t *start = malloc(2 * sizeof *start);
  if (!one || !start) {
    free(one);
    free(start);
    return no_memory_null(err);
  }
  *one = *p;
  one->phases.items += phase;
  one->phases.n = one->phases.cap = 1;
  start[0] = 0;
  start[1] = p->phase_start[phase + 1] - p->phase_start[phase];
  if (start[1]) one->messages.items += p->phase_start[phase];
  one->messages.n = one->messages.cap = start[1];
  one->phase_start = start;
  NARROW(one->colls, one->phases.items->id);
  NARROW(one->rows, one->phases.items->id);
  NARROW(one->rmas, one->phases.items->id);
  NARROW(one->orders, one->phases.items->id);
  return one;
}

void berth_pattern_of_phase_free(const berth_pattern_t *of_phase)
{
  if (!of_phase) return;
  free(of_phase->phase_start);
  free((void *)(uintptr_t)of_phase); /* the rest is borrowed */
}
