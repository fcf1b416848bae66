/* SPDX-License-Identifier: BSD-3-Clause */
/* Rabenseifner's reductions: ranks exchange halves of what they have, from the nearest on, and
 * reduce theirs. Of the ranks beyond the largest power of two, as many of the first reduce one half
 * each for their pair, whose even one goes on. A rank's values are at `at`, what comes is at `got`.
 */
#ifndef BERTH_SCHEDULE_HALVED_BLOCK_H
#define BERTH_SCHEDULE_HALVED_BLOCK_H

#include "schedule/algorithms/folded_pairs.h"

typedef struct part {
  int64_t first, n;
} part_t;

typedef struct halved {
  const schedule_call_t *call;
  schedule_place_t at, got;
} halved_t;

static inline schedule_place_t halved_place(const halved_t *h, int64_t first)
{
  return (schedule_place_t){h->at.buffer, h->at.first + first};
}

/* The half of a part that is the place's at an exchange over this distance; the larger half is the
 * right one. */
static inline part_t half_of(part_t p, int place, int distance)
{
  int64_t left = p.n / 2;
  return place & distance ? (part_t){p.first + left, p.n - left} : (part_t){p.first, left};
}

/* What is the place's before the exchange over a distance. */
static inline part_t part_at(const schedule_call_t *c, int place, int distance)
{
  part_t p = {0, c->count};
  for (int d = 1; d < distance; d *= 2) p = half_of(p, place, d);
  return p;
}

/* Rounds in which pairs become one. */
static inline int fold_rounds(const schedule_call_t *c) { return folded_pairs(c) > 0 ? 2 : 0; }

static inline void part_send(const halved_t *h, int peer, part_t p, schedule_steps_t *out)
{
  put_send(out, peer, halved_place(h, p.first), p.n);
}

static inline void part_recv(const halved_t *h, int peer, part_t p, schedule_steps_t *out)
{
  put_recv(out, peer, halved_place(h, p.first), p.n);
}

/* What a rank of a pair does in round 0 and 1. */
static inline void fold_halves(const halved_t *h, int rank, int64_t round, schedule_steps_t *out)
{
  bool odd = rank % 2;
  part_t all = {0, h->call->count}, kept = half_of(all, odd, 1), given = half_of(all, !odd, 1);
  if (round == 0) {
    part_send(h, rank ^ 1, given, out);
    put_recv(out, rank ^ 1, h->got, kept.n);
    put_reduce(out, halved_place(h, kept.first), h->got, kept.n);
  } else if (odd) {
    part_send(h, rank ^ 1, kept, out);
  } else {
    part_recv(h, rank ^ 1, given, out);
  }
}

/* Places reduce over a distance. */
static inline void halve_over(const halved_t *h, int place, int distance, schedule_steps_t *out)
{
  int peer = folded_rank(h->call, place ^ distance, false);
  part_t p = part_at(h->call, place, distance), own = half_of(p, place, distance);
  part_send(h, peer, half_of(p, place ^ distance, distance), out);
  put_recv(out, peer, h->got, own.n);
  put_reduce(out, halved_place(h, own.first), h->got, own.n);
}

#endif
