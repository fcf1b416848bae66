/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parts of its vectors a rank uses, and gets for good, in which round of a schedule. */
#ifndef BERTH_SCHEDULE_PARTS_H
#define BERTH_SCHEDULE_PARTS_H

#include "base/spans.h"
#include "schedule/schedule.h"

/* Parts by time. Rounds are counted in halves: 2 r is the beginning of round r, 2 r + 1 is when its
 * messages are under way. */
typedef struct schedule_part {
  int64_t when;
  span_t span; /* elements */
} schedule_part_t;

/* All zero is an empty list. */
typedef struct schedule_parts {
  schedule_part_t *part;
  size_t n, cap;
} schedule_parts_t;

/* Lists when which elements of a rank's input must be there: before it sends them, copies or
 * reduces them; `in_place`: or overwrites the elements of the output with the same numbers. False:
 * out of memory. */
bool schedule_parts_used(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                         bool in_place, schedule_parts_t *out);
/* Lists when which elements of its output, `total` of them, are as they stay: from the beginning,
 * or after the round that writes them last. */
bool schedule_parts_final(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                          int64_t total, schedule_parts_t *out);
void schedule_parts_clear(schedule_parts_t *p);

#endif
