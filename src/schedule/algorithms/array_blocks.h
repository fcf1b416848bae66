/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks, one of each rank, on a linear array: ranks send to the next and to the previous rank
 * only, and the last one isn't connected with the first. A block goes both ways from its rank to
 * the ends, or as partial sums from the ends to its rank. So a link in the middle carries half of
 * the blocks each way, where a ring sends almost all of them over it, both ways. If ranks follow
 * the machine's tree, a slow link between its halves carries as little as it can. */
#ifndef BERTH_SCHEDULE_ARRAY_BLOCKS_H
#define BERTH_SCHEDULE_ARRAY_BLOCKS_H

#include "schedule/put_steps.h"

/* Where a rank's block begins; of rank = size, where the last one ends. */
typedef int64_t (*array_first_t)(const schedule_call_t *c, int64_t rank);

static inline int64_t array_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? c->size - 1 : 1;
}

static inline bool array_has(const schedule_call_t *c, int64_t rank)
{
  return rank >= 0 && rank < c->size;
}

static inline int64_t array_size(const schedule_call_t *c, array_first_t first, int64_t rank)
{
  return first(c, rank + 1) - first(c, rank);
}

/* Blocks lie in the output, and each goes on by one rank. */
static inline void array_spread(const schedule_call_t *c, array_first_t first, int rank,
                                int64_t round, schedule_steps_t *out)
{
  for (int way = -1; way <= 1; way += 2) {
    int64_t block = rank - way * round;
    if (array_has(c, rank + way) && array_has(c, block))
      put_send(out, rank + way, schedule_out(first(c, block)), array_size(c, first, block));
  }
  for (int way = -1; way <= 1; way += 2) {
    int64_t block = rank - way * (round + 1);
    if (array_has(c, rank - way) && array_has(c, block))
      put_recv(out, rank - way, schedule_out(first(c, block)), array_size(c, first, block));
  }
}

/* Scratch space: two sums of each way, as one comes while the other one is sent. */
static inline schedule_place_t array_sum(int way, int64_t round, int64_t most)
{
  return schedule_scratch_at(((way > 0 ? 2 : 0) + round % 2) * most);
}

/* `to` has come from a way, `from` is the rank's own; operands of lower ranks stand on the left. */
static inline void array_reduce(int way, schedule_place_t to, schedule_place_t from, int64_t n,
                                schedule_steps_t *out)
{
  if (way > 0)
    put_reduce(out, to, from, n);
  else
    put_reduce_left(out, to, from, n);
}

/* Partial sums go on by one rank towards the rank of their block. That of the rank's own block
 * comes to `to` in the last round. `most`: the size of the largest block. */
static inline void array_sum_up(const schedule_call_t *c, array_first_t first, int64_t most,
                                int rank, int64_t round, schedule_place_t to, schedule_steps_t *out)
{
  int64_t left = array_rounds(c) - 1 - round; /* rounds that follow */
  for (int way = -1; way <= 1; way += 2) {
    int64_t sent = rank + way * (left + 1);
    if (!array_has(c, sent)) continue;
    schedule_place_t from =
        array_has(c, rank - way) ? array_sum(way, round + 1, most) : schedule_in(first(c, sent));
    put_send(out, rank + way, from, array_size(c, first, sent));
  }
  for (int way = -1; way <= 1; way += 2) {
    int64_t got = rank + way * left;
    if (array_has(c, rank - way) && array_has(c, got))
      put_recv(out, rank - way, array_sum(way, round, most), array_size(c, first, got));
  }
  if (left == 0) put_copy(out, to, schedule_in(first(c, rank)), array_size(c, first, rank));
  for (int way = -1; way <= 1; way += 2) {
    int64_t got = rank + way * left;
    if (!array_has(c, rank - way) || !array_has(c, got)) continue;
    schedule_place_t sum = array_sum(way, round, most);
    if (left == 0)
      array_reduce(-way, to, sum, array_size(c, first, got), out);
    else
      array_reduce(way, sum, schedule_in(first(c, got)), array_size(c, first, got), out);
  }
}

#endif
