/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction in the order of ranks: along a binomial tree with consecutive subtrees to rank 0, which
 * sends the result to the root. Sums lie in scratch space, or at the root where the result goes;
 * behind them what comes. MPICH 4.0, MPIR_Reduce_intra_binomial, if the operation isn't
 * commutative. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/binomial_blocks.h"

int64_t reduce_binomial_in_order_rounds(const schedule_call_t *c)
{
  return blocks_rounds(c) + (c->root > 0);
}

void reduce_binomial_in_order_steps(const schedule_call_t *c, int rank, int64_t round,
                                    schedule_steps_t *out)
{
  bool root = rank == c->root;
  schedule_place_t sum = root ? schedule_out(0) : schedule_scratch_at(0);
  schedule_place_t got = schedule_scratch_at(root ? 0 : c->count);
  if (round == blocks_rounds(c)) {
    if (rank == 0) put_send(out, c->root, sum, c->count);
    if (root) put_recv(out, 0, schedule_out(0), c->count);
    return;
  }
  int level = (int)round, child = child_of(c, rank, level);
  if (round == 0) put_copy(out, sum, schedule_in(0), c->count);
  if (blocks_of(c, rank, level)) put_send(out, rank - (1 << level), sum, c->count);
  if (child < 0) return;
  put_recv(out, child, got, c->count);
  put_reduce(out, sum, got, c->count);
}

int64_t reduce_binomial_in_order_scratch(const schedule_call_t *c, int rank)
{
  return (rank == c->root ? 1 : 2) * c->count;
}
