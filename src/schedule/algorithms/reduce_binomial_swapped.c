/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction along a binomial tree with consecutive subtrees to the root: rank 0 and the root change
 * places. Empty blocks are sent, too. Sums lie in scratch space, or at the root where the result
 * goes; behind them what comes. Open MPI 4.1, red_sched_binomial, of nonblocking calls. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/binomial_blocks.h"

int64_t reduce_binomial_swapped_rounds(const schedule_call_t *c) { return blocks_rounds(c); }

void reduce_binomial_swapped_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  bool root = rank == c->root;
  int node = swapped(c, rank), level = (int)round, child = child_of(c, node, level);
  schedule_place_t sum = root ? schedule_out(0) : schedule_scratch_at(0);
  schedule_place_t got = schedule_scratch_at(root ? 0 : c->count);
  if (round == 0) put_copy(out, sum, schedule_in(0), c->count);
  if (blocks_of(c, node, level)) put_send(out, swapped(c, node - (1 << level)), sum, c->count);
  if (child < 0) return;
  put_recv(out, swapped(c, child), got, c->count);
  put_reduce(out, sum, got, c->count);
}

int64_t reduce_binomial_swapped_scratch(const schedule_call_t *c, int rank)
{
  return (rank == c->root ? 1 : 2) * c->count;
}
