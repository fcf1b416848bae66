/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a call, of one size or of several. Blocks of a rank's input or output lie one
 * behind the other, in the order of the ranks that they come from or go to. */
#ifndef BERTH_SCHEDULE_CALL_BLOCK_H
#define BERTH_SCHEDULE_CALL_BLOCK_H

#include "schedule/schedule.h"

/* Where the block of a rank begins; for rank = size, where the last one ends. */
static inline int64_t block_first(const schedule_call_t *c, int64_t rank)
{
  return c->blocks ? c->blocks->begin[rank] : rank * c->count;
}

/* Elements of the blocks of n ranks. */
static inline int64_t blocks_size(const schedule_call_t *c, int64_t rank, int64_t n)
{
  return block_first(c, rank + n) - block_first(c, rank);
}

static inline int64_t block_size(const schedule_call_t *c, int64_t rank)
{
  return blocks_size(c, rank, 1);
}

/* Elements of the blocks of n ranks, the last one of which is followed by the first one. */
static inline int64_t blocks_around(const schedule_call_t *c, int64_t rank, int64_t n)
{
  int64_t beyond = rank + n - c->size;
  return beyond > 0 ? blocks_size(c, rank, n - beyond) + block_first(c, beyond)
                    : blocks_size(c, rank, n);
}

/* Elements of all blocks that lie one behind the other, and of the largest block. */
static inline int64_t block_total(const schedule_call_t *c) { return block_first(c, c->size); }

static inline bool blocks_are_equal(const schedule_call_t *c)
{
  return !c->blocks || c->blocks->least == c->blocks->most;
}

static inline int64_t block_most(const schedule_call_t *c)
{
  return c->blocks ? c->blocks->most : c->count;
}

/* Blocks of pairs: where in its source's input and in its destination's output one lies. */
static inline int64_t sent_first(const schedule_call_t *c, int64_t from, int64_t to)
{
  return c->blocks ? c->blocks->begin[from * (c->size + 1) + to] : to * c->count;
}

static inline int64_t got_first(const schedule_call_t *c, int64_t from, int64_t to)
{
  return c->blocks ? c->blocks->begin[(c->size + to) * (c->size + 1) + from] : from * c->count;
}

static inline int64_t pair_size(const schedule_call_t *c, int64_t from, int64_t to)
{
  return sent_first(c, from, to + 1) - sent_first(c, from, to);
}

#endif
