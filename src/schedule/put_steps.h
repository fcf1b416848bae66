/* SPDX-License-Identifier: BSD-3-Clause */
/* What algorithms write their steps with. */
#ifndef BERTH_SCHEDULE_PUT_STEPS_H
#define BERTH_SCHEDULE_PUT_STEPS_H

#include "schedule/schedule.h"

static inline schedule_place_t schedule_in(int64_t first)
{
  return (schedule_place_t){SCHEDULE_IN, first};
}

static inline schedule_place_t schedule_out(int64_t first)
{
  return (schedule_place_t){SCHEDULE_OUT, first};
}

static inline schedule_place_t schedule_scratch_at(int64_t first)
{
  return (schedule_place_t){SCHEDULE_SCRATCH, first};
}

void put_send(schedule_steps_t *s, int peer, schedule_place_t from, int64_t n);
void put_recv(schedule_steps_t *s, int peer, schedule_place_t to, int64_t n);
/* These append nothing if n is 0. */
void put_copy(schedule_steps_t *s, schedule_place_t to, schedule_place_t from, int64_t n);
void put_reduce(schedule_steps_t *s, schedule_place_t to, schedule_place_t from, int64_t n);
void put_reduce_left(schedule_steps_t *s, schedule_place_t to, schedule_place_t from, int64_t n);

/* Ranks in the order that begins with the root, and back. */
static inline int from_root(const schedule_call_t *c, int rank)
{
  return (rank - c->root + c->size) % c->size;
}

static inline int to_rank(const schedule_call_t *c, int place)
{
  return (place + c->root) % c->size;
}

/* Ranks in their order, but for rank 0 and the root, which have each other's place; and back. */
static inline int swapped(const schedule_call_t *c, int rank)
{
  return rank == 0 ? c->root : rank == c->root ? 0 : rank;
}

/* (a + b) mod size, for |b| <= size. */
static inline int around(const schedule_call_t *c, int a, int64_t b)
{
  return (int)(((int64_t)a + b + c->size) % c->size);
}

/* Logarithms to base 2, rounded down and up, of numbers from 1 on; the largest power that is at
 * most n. */
static inline int floor_log(int n)
{
  int log = 0;
  while (n >>= 1) log++;
  return log;
}

/* For algorithms in which a rank sends in rounds [first, end) only: the first of them from a round
 * on, or INT64_MAX. */
static inline int64_t next_of(int64_t first, int64_t end, int64_t round)
{
  int64_t next = round > first ? round : first;
  return next < end ? next : INT64_MAX;
}

static inline int ceil_log(int n) { return n > 1 ? floor_log(n - 1) + 1 : 0; }

static inline int floor_power(int n) { return 1 << floor_log(n); }

#endif
