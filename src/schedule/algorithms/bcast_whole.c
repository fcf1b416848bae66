/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast of a block that isn't divided, and is sent if it is empty, too.
 * Open MPI 4.1, bcast_sched_linear and bcast_sched_binomial, of nonblocking calls, where rank 0 and
 * the root change places; MPICH 4.0, MPIR_Ibcast_intra_sched_binomial. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"
#include "schedule/tree.h"

static int64_t rounds(tree_t t) { return t.size > 1 ? tree_height(&t, 0) : 0; }

/* From a rank to its node, or back. */
typedef int number_t(const schedule_call_t *c, int rank);

static void steps(const schedule_call_t *c, tree_t t, number_t *node_of, number_t *rank_of,
                  int rank, int64_t round, schedule_steps_t *out)
{
  int node = node_of(c, rank), depth = tree_depth(&t, node);
  if (round == depth)
    for (int i = 0; tree_child(&t, node, i) >= 0; i++)
      put_send(out, rank_of(c, tree_child(&t, node, i)), schedule_out(0), c->count);
  if (round == depth - 1)
    put_recv(out, rank_of(c, tree_parent(&t, node)), schedule_out(0), c->count);
}

static tree_t tree_of(const schedule_call_t *c, tree_shape_t shape)
{
  return (tree_t){shape, c->size, 2};
}

int64_t bcast_whole_linear_rounds(const schedule_call_t *c)
{
  return rounds(tree_of(c, TREE_FLAT));
}

void bcast_whole_linear_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  steps(c, tree_of(c, TREE_FLAT), swapped, swapped, rank, round, out);
}

int64_t bcast_whole_swapped_rounds(const schedule_call_t *c)
{
  return rounds(tree_of(c, TREE_BINOMIAL));
}

void bcast_whole_swapped_steps(const schedule_call_t *c, int rank, int64_t round,
                               schedule_steps_t *out)
{
  steps(c, tree_of(c, TREE_BINOMIAL), swapped, swapped, rank, round, out);
}

int64_t bcast_whole_binomial_rounds(const schedule_call_t *c)
{
  return rounds(tree_of(c, TREE_KNOMIAL));
}

void bcast_whole_binomial_steps(const schedule_call_t *c, int rank, int64_t round,
                                schedule_steps_t *out)
{
  steps(c, tree_of(c, TREE_KNOMIAL), from_root, to_rank, rank, round, out);
}
