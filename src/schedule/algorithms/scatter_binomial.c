/* SPDX-License-Identifier: BSD-3-Clause */
/* Scatter: each rank gets the blocks of all below it, and passes theirs on.
 * Open MPI 4.1, ompi_coll_base_scatter_intra_binomial; MPICH 4.0, MPIR_Scatter_intra_binomial. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/binomial_blocks.h"

int64_t scatter_binomial_rounds(const schedule_call_t *c) { return blocks_rounds(c); }

static void turn(const schedule_call_t *c, schedule_steps_t *out)
{
  for (int i = 0; i < 2; i++) {
    blocks_part_t p = blocks_part(c, i);
    put_copy(out, schedule_scratch_at(p.node * c->count), schedule_in(p.rank * c->count),
             p.n * c->count);
  }
}

void scatter_binomial_steps(const schedule_call_t *c, int rank, int64_t round,
                            schedule_steps_t *out)
{
  int node = from_root(c, rank), rounds = (int)blocks_rounds(c);
  int level = c->size > 1 ? rounds - 1 - (int)round : 0;
  int child = child_of(c, node, level), blocks = blocks_of(c, node, level);
  schedule_place_t all = is_direct(c, node) ? schedule_in(0) : schedule_scratch_at(0);
  if (node == 0 && c->root && round == 0) turn(c, out);
  if (child >= 0) {
    schedule_place_t from = {all.buffer, (child - node) * c->count};
    put_send(out, to_rank(c, child), from, blocks_of(c, child, level) * c->count);
  }
  if (blocks)
    put_recv(out, to_rank(c, node - (1 << level)), is_leaf(c, node) ? schedule_out(0) : all,
             blocks * c->count);
  if (round == rounds - 1 && !is_leaf(c, node)) put_copy(out, schedule_out(0), all, c->count);
}

int64_t scatter_binomial_scratch(const schedule_call_t *c, int rank)
{
  return blocks_scratch(c, rank);
}
