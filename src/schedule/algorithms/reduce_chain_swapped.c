/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction along a chain that ends at the root: rank 0 and the root change places. The block has
 * as many parts as segments fit in, all of the same size but the last one, which has the rest.
 * Open MPI 4.1, red_sched_chain, of nonblocking calls. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/block_segment.h"
#include "schedule/put_steps.h"

static int64_t part_first(const schedule_call_t *c, int64_t i)
{
  return i * (c->count / segment_count(c, c->count));
}

/* 0: there is no such part. */
static int64_t part_size(const schedule_call_t *c, int64_t i)
{
  int64_t n = segment_count(c, c->count);
  if (i < 0 || i >= n) return 0;
  return (i == n - 1 ? c->count : part_first(c, i + 1)) - part_first(c, i);
}

int64_t reduce_chain_swapped_rounds(const schedule_call_t *c)
{
  int64_t parts = segment_count(c, c->count);
  if (c->size == 1) return 1;
  return parts ? c->size - 1 + parts - 1 : 0;
}

void reduce_chain_swapped_steps(const schedule_call_t *c, int rank, int64_t round,
                                schedule_steps_t *out)
{
  int node = swapped(c, rank);
  bool first = node == c->size - 1;
  if (c->size == 1) put_copy(out, schedule_out(0), schedule_in(0), c->count);
  if (c->size == 1 || c->count == 0) return;
  int64_t got = round - (c->size - 2 - node), sent = got - 1;
  int64_t n = node ? part_size(c, sent) : 0;
  if (n)
    put_send(out, swapped(c, node - 1),
             first ? schedule_in(part_first(c, sent)) : schedule_scratch_at(part_first(c, sent)),
             n);
  n = first ? 0 : part_size(c, got);
  if (n == 0) return;
  int64_t at = part_first(c, got);
  schedule_place_t sum = node ? schedule_scratch_at(at) : schedule_out(at);
  put_recv(out, swapped(c, node + 1), sum, n);
  put_reduce_left(out, sum, schedule_in(at), n);
}

int64_t reduce_chain_swapped_scratch(const schedule_call_t *c, int rank)
{
  int node = swapped(c, rank);
  return node && node < c->size - 1 ? c->count : 0;
}

int64_t reduce_chain_swapped_next(const schedule_call_t *c, int rank, int64_t round)
{
  int node = swapped(c, rank);
  int64_t first = c->size - 1 - node, parts = node ? segment_count(c, c->count) : 0;
  return next_of(first, first + parts, round);
}
