/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction along a chain that ends at the root: rank 0 and the root change places. The block has
 * as many parts as its bytes fill segments, all of the same size but the last one, which has the
 * rest: if an element is larger than a segment, the others are empty.
 * Open MPI 4.1, red_sched_chain, of nonblocking calls. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/block_segment.h"
#include "schedule/put_steps.h"

static int64_t part_count(const schedule_call_t *c)
{
  return c->parts ? c->parts : segment_count(c, c->count);
}

static bool has_part(const schedule_call_t *c, int64_t i) { return i >= 0 && i < part_count(c); }

static int64_t part_first(const schedule_call_t *c, int64_t i)
{
  return i * (c->count / part_count(c));
}

static int64_t part_size(const schedule_call_t *c, int64_t i)
{
  int64_t end = i == part_count(c) - 1 ? c->count : part_first(c, i + 1);
  return end - part_first(c, i);
}

int64_t reduce_chain_swapped_rounds(const schedule_call_t *c)
{
  int64_t parts = part_count(c);
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
  if (node && has_part(c, sent))
    put_send(out, swapped(c, node - 1),
             first ? schedule_in(part_first(c, sent)) : schedule_scratch_at(part_first(c, sent)),
             part_size(c, sent));
  if (first || !has_part(c, got)) return;
  int64_t at = part_first(c, got), n = part_size(c, got);
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
  int64_t first = c->size - 1 - node, parts = node ? part_count(c) : 0;
  return next_of(first, first + parts, round);
}
