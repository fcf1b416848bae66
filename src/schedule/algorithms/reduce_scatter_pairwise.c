/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter and …_block: in round i each rank gives the one i ahead its block, and reduces
 * what the one i behind gives. MPICH 4.0, MPIR_Reduce_scatter_block_intra_pairwise and
 * MPIR_Reduce_scatter_intra_pairwise. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t reduce_scatter_pairwise_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? c->size - 1 : 1;
}

void reduce_scatter_pairwise_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  int to = around(c, rank, round + 1), from = around(c, rank, -round - 1);
  int64_t n = block_size(c, rank);
  if (round == 0) put_copy(out, schedule_out(0), schedule_in(block_first(c, rank)), n);
  if (c->size == 1) return;
  put_send(out, to, schedule_in(block_first(c, to)), block_size(c, to));
  put_recv(out, from, schedule_scratch_at(0), n);
  put_reduce(out, schedule_out(0), schedule_scratch_at(0), n);
}

int64_t reduce_scatter_pairwise_scratch(const schedule_call_t *c, int rank)
{
  return c->size > 1 ? block_size(c, rank) : 0;
}
