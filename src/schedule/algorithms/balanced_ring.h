/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of different sizes go round the ring in pieces of one size, the smallest block's. In a
 * ring of whole blocks each round takes as long as its largest block, although other ranks send
 * small ones. Here a rank sends a stream: its own block, then that of the rank before it, and so
 * on, up to that of the rank behind the next one. In each round the next piece of the stream goes
 * on. A rank has what it sends, because its own block is at least a piece ahead of what it passes
 * on. So a call takes as long as the longest stream. A reduction goes the other way: sums of the
 * pieces come from the next rank, last pieces first. */
#ifndef BERTH_SCHEDULE_BALANCED_RING_H
#define BERTH_SCHEDULE_BALANCED_RING_H

#include "schedule/call_block.h"
#include "schedule/put_steps.h"

static inline int64_t balanced_piece(const schedule_call_t *c)
{
  return c->blocks ? c->blocks->least : c->count;
}

/* The elements of a rank's stream: all but the next rank's block. */
static inline int64_t balanced_stream(const schedule_call_t *c, int rank)
{
  return block_total(c) - block_size(c, around(c, rank, 1));
}

/* As long as the longest stream, which misses the smallest block. */
static inline int64_t balanced_rounds(const schedule_call_t *c)
{
  int64_t piece = balanced_piece(c), longest = block_total(c) - piece;
  return c->size > 1 ? (longest + piece - 1) / piece : 1;
}

/* All rounds are, if blocks are equal. */
static inline int64_t balanced_alike(const schedule_call_t *c, int64_t round)
{
  return blocks_are_equal(c) ? balanced_rounds(c) - round : 1;
}

/* Elements of a block, one behind the other. */
typedef struct balanced_part {
  int block;
  int64_t first, n; /* `first`: among all blocks */
} balanced_part_t;

/* The elements of the first n blocks of a rank's stream. */
static inline int64_t balanced_ahead(const schedule_call_t *c, int rank, int n)
{
  return n > 0 ? blocks_around(c, around(c, rank, 1 - n), n) : 0;
}

/* What a rank's stream has from one of its elements on, at most up to another one. */
static inline balanced_part_t balanced_part(const schedule_call_t *c, int rank, int64_t from,
                                            int64_t end)
{
  int low = 0, high = c->size - 1; /* blocks in front of that one: at least, fewer than */
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (balanced_ahead(c, rank, middle) <= from)
      low = middle;
    else
      high = middle;
  }
  int block = around(c, rank, -low);
  int64_t within = from - balanced_ahead(c, rank, low), n = block_size(c, block) - within;
  return (balanced_part_t){block, block_first(c, block) + within, n < end - from ? n : end - from};
}

/* The parts of a rank's stream in a round: call it with *at = 0, and again while it has one. */
static inline bool balanced_next(const schedule_call_t *c, int rank, int64_t round, int64_t *at,
                                 balanced_part_t *part)
{
  int64_t piece = balanced_piece(c), stream = balanced_stream(c, rank);
  int64_t end = (round + 1) * piece < stream ? (round + 1) * piece : stream;
  int64_t from = round * piece + *at;
  if (from >= end) return false;
  *part = balanced_part(c, rank, from, end);
  *at += part->n;
  return true;
}

#endif
