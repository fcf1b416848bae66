/* SPDX-License-Identifier: BSD-3-Clause */
/* Any number of ranks as a power of two: of the first ranks, each pair goes on as one of both. The
 * ranks that go on have places, in the order of ranks. */
#ifndef BERTH_SCHEDULE_FOLDED_PAIRS_H
#define BERTH_SCHEDULE_FOLDED_PAIRS_H

#include "schedule/call_block.h"
#include "schedule/put_steps.h"

/* How many pairs there are. */
static inline int folded_pairs(const schedule_call_t *c) { return c->size - floor_power(c->size); }

/* A rank's place; -1: the other one of its pair goes on, the odd one if `odd`. */
static inline int folded_place(const schedule_call_t *c, int rank, bool odd)
{
  if (rank >= 2 * folded_pairs(c)) return rank - folded_pairs(c);
  return (rank % 2 == 1) == odd ? rank / 2 : -1;
}

static inline int folded_rank(const schedule_call_t *c, int place, bool odd)
{
  return place < folded_pairs(c) ? 2 * place + odd : place + folded_pairs(c);
}

/* Where a rank has a block, a place that stands for a pair has two: the first one, where that
 * begins, and how many elements n places have. */
static inline int folded_first(const schedule_call_t *c, int place)
{
  int pairs = folded_pairs(c);
  return place < pairs ? 2 * place : place + pairs;
}

static inline int64_t folded_begin(const schedule_call_t *c, int place)
{
  return block_first(c, folded_first(c, place));
}

static inline int64_t folded_size(const schedule_call_t *c, int place, int n)
{
  return folded_begin(c, place + n) - folded_begin(c, place);
}

/* Before, all blocks of an even rank of a pair go to the odd one, which has its sum in scratch
 * space and room for as much behind it. */
static inline void folded_give_all(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  int64_t all = block_total(c);
  if (rank % 2 == 0) {
    put_send(out, rank + 1, schedule_in(0), all);
    return;
  }
  put_recv(out, rank - 1, schedule_scratch_at(all), all);
  put_reduce_left(out, schedule_scratch_at(0), schedule_scratch_at(all), all);
}

#endif
