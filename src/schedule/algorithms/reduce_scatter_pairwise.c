/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter_block: in round i each rank gives the one i ahead its block, and reduces what the
 * one i behind gives. MPICH 4.0, MPIR_Reduce_scatter_block_intra_pairwise. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t reduce_scatter_pairwise_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? c->size - 1 : 1;
}

void reduce_scatter_pairwise_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  int64_t to = around(c, rank, round + 1), from = around(c, rank, -round - 1);
  if (round == 0) put_copy(out, schedule_out(0), schedule_in(rank * c->count), c->count);
  if (c->size == 1) return;
  put_send(out, (int)to, schedule_in(to * c->count), c->count);
  put_recv(out, (int)from, schedule_scratch_at(0), c->count);
  put_reduce(out, schedule_out(0), schedule_scratch_at(0), c->count);
}

int64_t reduce_scatter_pairwise_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? c->count : 0;
}
