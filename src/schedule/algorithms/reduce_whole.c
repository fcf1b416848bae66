/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction of a block that isn't divided, and is sent if it is empty, too, along a binomial tree
 * with consecutive subtrees to the root. Sums lie in scratch space, or at the root where the result
 * goes; behind them what comes. Open MPI 4.1, red_sched_binomial, of nonblocking calls, where rank
 * 0 and the root change places; MPICH 4.0, MPIR_Ireduce_intra_sched_binomial, where nodes count
 * from the root on. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/binomial_blocks.h"

/* From a rank to its node, or back. */
typedef int number_t(const schedule_call_t *c, int rank);

static void steps(const schedule_call_t *c, number_t *node_of, number_t *rank_of, int rank,
                  int64_t round, schedule_steps_t *out)
{
  bool root = rank == c->root;
  int node = node_of(c, rank), level = (int)round, child = child_of(c, node, level);
  schedule_place_t sum = root ? schedule_out(0) : schedule_scratch_at(0);
  schedule_place_t got = schedule_scratch_at(root ? 0 : c->count);
  if (round == 0) put_copy(out, sum, schedule_in(0), c->count);
  if (blocks_of(c, node, level)) put_send(out, rank_of(c, node - (1 << level)), sum, c->count);
  if (child < 0) return;
  put_recv(out, rank_of(c, child), got, c->count);
  put_reduce(out, sum, got, c->count);
}

static int64_t scratch(const schedule_call_t *c, int rank)
{
  return (rank == c->root ? 1 : 2) * c->count;
}

int64_t reduce_whole_swapped_rounds(const schedule_call_t *c) { return blocks_rounds(c); }

void reduce_whole_swapped_steps(const schedule_call_t *c, int rank, int64_t round,
                                schedule_steps_t *out)
{
  steps(c, swapped, swapped, rank, round, out);
}

int64_t reduce_whole_swapped_scratch(const schedule_call_t *c, int rank)
{
  return scratch(c, rank);
}

int64_t reduce_whole_binomial_rounds(const schedule_call_t *c) { return blocks_rounds(c); }

void reduce_whole_binomial_steps(const schedule_call_t *c, int rank, int64_t round,
                                 schedule_steps_t *out)
{
  steps(c, from_root, to_rank, rank, round, out);
}

int64_t reduce_whole_binomial_scratch(const schedule_call_t *c, int rank)
{
  return scratch(c, rank);
}
