/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast: each rank passes a segment to all of its children while it gets the next one.
 * Open MPI 4.1, ompi_coll_base_bcast_intra_generic with its trees, and …_basic_linear; MPICH 4.0,
 * MPIR_Bcast_intra_binomial, whose tree is knomial of degree 2. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/tree_pipeline.h"
#include "schedule/put_steps.h"

static int64_t rounds(const schedule_call_t *c, tree_t t)
{
  int64_t segments = segment_count(c, c->count);
  return c->size > 1 && segments ? tree_height(&t, 0) + segments - 1 : 0;
}

static void steps(const schedule_call_t *c, tree_t t, int rank, int64_t round,
                  schedule_steps_t *out)
{
  int node = from_root(c, rank), depth = tree_depth(&t, node);
  int64_t sent = round - depth, got = sent + 1; /* segments */
  int64_t n = segment_size(c, c->count, sent);
  for (int i = 0; n && tree_child(&t, node, i) >= 0; i++)
    put_send(out, to_rank(c, tree_child(&t, node, i)), schedule_out(segment_first(c, sent)), n);
  n = node ? segment_size(c, c->count, got) : 0;
  if (n) put_recv(out, to_rank(c, tree_parent(&t, node)), schedule_out(segment_first(c, got)), n);
}

static int64_t next(const schedule_call_t *c, tree_t t, int rank, int64_t round)
{
  int node = from_root(c, rank), depth = tree_depth(&t, node);
  int64_t segments = tree_child(&t, node, 0) < 0 ? 0 : segment_count(c, c->count);
  return next_of(depth, depth + segments, round);
}

#define BCAST(name, shape, degree)                                                                 \
  int64_t bcast_##name##_rounds(const schedule_call_t *c)                                          \
  {                                                                                                \
    return rounds(c, pipeline_tree(c, shape, degree));                                             \
  }                                                                                                \
  void bcast_##name##_steps(const schedule_call_t *c, int rank, int64_t round,                     \
                            schedule_steps_t *out)                                                 \
  {                                                                                                \
    steps(c, pipeline_tree(c, shape, degree), rank, round, out);                                   \
  }                                                                                                \
  int64_t bcast_##name##_alike(const schedule_call_t *c, int64_t round)                            \
  {                                                                                                \
    return pipeline_alike(c, pipeline_tree(c, shape, degree), round);                              \
  }                                                                                                \
  int64_t bcast_##name##_next(const schedule_call_t *c, int rank, int64_t round)                   \
  {                                                                                                \
    return next(c, pipeline_tree(c, shape, degree), rank, round);                                  \
  }

BCAST(linear, TREE_FLAT, 1)
BCAST(chain, TREE_CHAINS, 0)
BCAST(pipeline, TREE_CHAINS, 1)
BCAST(binary, TREE_LEVELS, 2)
BCAST(binomial, TREE_BINOMIAL, 2)
BCAST(blocks, TREE_BINOMIAL_BLOCKS, 2)
BCAST(knomial, TREE_KNOMIAL, 0)
