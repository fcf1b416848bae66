/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter: blocks go round the ring and are reduced on the way; each ends at its rank. The
 * sum of the last block that came lies in scratch space.
 * Open MPI 4.1, ompi_coll_base_reduce_scatter_intra_ring. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t reduce_scatter_ring_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? c->size - 1 : 1;
}

void reduce_scatter_ring_steps(const schedule_call_t *c, int rank, int64_t round,
                               schedule_steps_t *out)
{
  int sent = around(c, rank, -round - 1), got = around(c, sent, -1);
  int64_t most = block_most(c), n = block_size(c, got);
  /* Sums come into one half of the scratch space while the other one is sent. */
  schedule_place_t before = schedule_scratch_at((round + 1) % 2 * most);
  schedule_place_t sum = schedule_scratch_at(round % 2 * most);
  if (c->size > 1) {
    put_send(out, around(c, rank, 1), round ? before : schedule_in(block_first(c, sent)),
             block_size(c, sent));
    put_recv(out, around(c, rank, -1), sum, n);
    put_reduce(out, sum, schedule_in(block_first(c, got)), n);
  }
  if (round == reduce_scatter_ring_rounds(c) - 1)
    put_copy(out, schedule_out(0), c->size > 1 ? sum : schedule_in(0), n);
}

int64_t reduce_scatter_ring_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? 2 * block_most(c) : 0;
}

int64_t reduce_scatter_ring_alike(const schedule_call_t *c, int64_t round)
{
  return blocks_are_equal(c) ? reduce_scatter_ring_rounds(c) - round : 1;
}
