/* SPDX-License-Identifier: BSD-3-Clause */
/* Where berth's own collective library does one thing or another. */
#ifndef BERTH_SCHEDULE_TWO_LEVELS_LIMITS_H
#define BERTH_SCHEDULE_TWO_LEVELS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* In bytes, unless they say something else. */
enum {
  TWO_LEVELS_ROOM = 32 * 1024,   /* what a rank writes for others of its host at once */
  TWO_LEVELS_WHOLE = 2048,       /* vectors up to this size are reduced whole, others in slices */
  TWO_LEVELS_ALL = 8,            /* so many ranks of a host may all look at each other */
  TWO_LEVELS_TOGETHER = 8 << 20, /* what the speaker of a host may hold of an all-to-all */
  TWO_LEVELS_GATHERED =
      16 * 1024,             /* all vectors together that are gathered to be reduced in order */
  TWO_LEVELS_SLICERS = 1024, /* ranks of a host, of which more don't exchange slices */
  TWO_LEVELS_BY_AGENTS = 1 << 30, /* all blocks of a call that agents carry out */
  TWO_LEVELS_FOLDED = 1 << 23     /* all vectors of one whose ranks reduce them */
};

/* Whether equal blocks of an all-to-all go in one message for each pair of hosts, the largest of
 * which has so many of the ranks. */
static inline bool two_levels_together(int largest, int ranks, int64_t bytes, double half)
{
  int64_t all = (int64_t)largest * ranks;
  return bytes > 0 && all <= TWO_LEVELS_TOGETHER / bytes && (double)bytes < half;
}

/* Whether vectors of so many bytes are gathered for a reduction in the order of ranks; longer ones
 * are exchanged in slices. */
static inline bool two_levels_gathers(int ranks, int64_t bytes)
{
  return bytes <= TWO_LEVELS_GATHERED / ranks;
}

#endif
