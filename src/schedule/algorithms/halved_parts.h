/* SPDX-License-Identifier: BSD-3-Clause */
/* Rabenseifner's halving (2004) as MPICH 4.0 does it: the block has as many parts as ranks go on
 * (folded_pairs.h); larger parts come first. Places 1, 2, 4, … apart halve what both have. */
#ifndef BERTH_SCHEDULE_HALVED_PARTS_H
#define BERTH_SCHEDULE_HALVED_PARTS_H

#include "schedule/put_steps.h"

typedef struct halved {
  int64_t first, n; /* elements */
} halved_t;

static inline int64_t halved_part_first(const schedule_call_t *c, int part)
{
  int64_t parts = floor_power(c->size), larger = c->count % parts;
  return part * (c->count / parts) + (part < larger ? part : larger);
}

/* What a place has after the exchanges over less than a distance. */
static inline halved_t halved_before(const schedule_call_t *c, int place, int distance)
{
  int part = 0, parts = floor_power(c->size);
  for (int d = 1; d < distance; d *= 2) {
    parts /= 2;
    if (place & d) part += parts;
  }
  int64_t first = halved_part_first(c, part);
  return (halved_t){first, halved_part_first(c, part + parts) - first};
}

/* The exchange over a distance: sums lie at `sum`, and what comes at `got`. */
static inline void put_halving(const schedule_call_t *c, int place, int distance, int peer,
                               schedule_place_t sum, schedule_place_t got, schedule_steps_t *out)
{
  halved_t kept = halved_before(c, place, 2 * distance);
  halved_t given = halved_before(c, place ^ distance, 2 * distance);
  put_send(out, peer, (schedule_place_t){sum.buffer, sum.first + given.first}, given.n);
  put_recv(out, peer, got, kept.n);
  put_reduce(out, (schedule_place_t){sum.buffer, sum.first + kept.first}, got, kept.n);
}

#endif
