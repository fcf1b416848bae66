/* SPDX-License-Identifier: BSD-3-Clause */
/* Rabenseifner's halving (2004) as MPICH 4.0 does it: the block has as many parts as ranks go on
 * (folded_pairs.h), of the same size as far as possible. Places 1, 2, 4, … apart halve what both
 * have. */
#ifndef BERTH_SCHEDULE_HALVED_PARTS_H
#define BERTH_SCHEDULE_HALVED_PARTS_H

#include "schedule/put_steps.h"

/* Where the elements go that are left over: one to each of the first parts, or all to the last. */
typedef enum rest { REST_TO_FIRST, REST_TO_LAST } rest_t;

typedef struct halved {
  int64_t first, n; /* elements */
} halved_t;

static inline int64_t halved_part_first(const schedule_call_t *c, rest_t rest, int part)
{
  int64_t parts = floor_power(c->size), larger = c->count % parts;
  bool within = rest == REST_TO_LAST ? part < parts : part < larger;
  return part * (c->count / parts) + (!within ? larger : rest == REST_TO_LAST ? 0 : part);
}

/* What a place has after the exchanges over less than a distance. */
static inline halved_t halved_before(const schedule_call_t *c, rest_t rest, int place, int distance)
{
  int part = 0, parts = floor_power(c->size);
  for (int d = 1; d < distance; d *= 2) {
    parts /= 2;
    if (place & d) part += parts;
  }
  int64_t first = halved_part_first(c, rest, part);
  return (halved_t){first, halved_part_first(c, rest, part + parts) - first};
}

/* The exchange over a distance: sums lie at `sum`, and what comes at `got`. */
static inline void put_halving(const schedule_call_t *c, rest_t rest, int place, int distance,
                               int peer, schedule_place_t sum, schedule_place_t got,
                               schedule_steps_t *out)
{
  halved_t kept = halved_before(c, rest, place, 2 * distance);
  halved_t given = halved_before(c, rest, place ^ distance, 2 * distance);
  put_send(out, peer, (schedule_place_t){sum.buffer, sum.first + given.first}, given.n);
  put_recv(out, peer, got, kept.n);
  put_reduce(out, (schedule_place_t){sum.buffer, sum.first + kept.first}, got, kept.n);
}

#endif
