/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather: each rank gets the blocks of all below it, and passes them on.
 * Open MPI 4.1, ompi_coll_base_gather_intra_binomial; MPICH 4.0, MPIR_Gather_intra_binomial. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/binomial_blocks.h"

int64_t gather_binomial_rounds(const schedule_call_t *c) { return blocks_rounds(c); }

static void turn(const schedule_call_t *c, schedule_steps_t *out)
{
  for (int i = 0; i < 2; i++) {
    blocks_part_t p = blocks_part(c, i);
    put_copy(out, schedule_out(p.rank * c->count), schedule_scratch_at(p.node * c->count),
             p.n * c->count);
  }
}

void gather_binomial_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int node = from_root(c, rank), level = (int)round;
  int child = child_of(c, node, level), blocks = blocks_of(c, node, level);
  schedule_place_t own = is_direct(c, node) ? schedule_out(0) : schedule_scratch_at(0);
  if (round == 0 && !is_leaf(c, node)) put_copy(out, own, schedule_in(0), c->count);
  if (blocks)
    put_send(out, to_rank(c, node - (1 << level)), is_leaf(c, node) ? schedule_in(0) : own,
             blocks * c->count);
  if (child >= 0) {
    own.first = (child - node) * c->count;
    put_recv(out, to_rank(c, child), own, blocks_of(c, child, level) * c->count);
  }
  if (node == 0 && c->root && round == blocks_rounds(c) - 1) turn(c, out);
}

int64_t gather_binomial_scratch(const schedule_call_t *c, int rank)
{
  return blocks_scratch(c, rank);
}
