/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction: each rank reduces a segment of its own and of all of its children, and passes it to
 * its parent while it gets the next one. A rank sends as soon as the segment can have come from
 * below. A k-nomial tree is the f-nomial one of A. Moody's thesis (2003), section 3.2.3. Open
 * MPI 4.1, ompi_coll_base_reduce_generic with its trees; MPICH 4.0, MPIR_Reduce_intra_binomial, if
 * the operation is commutative. In order, the tree's root is the last rank, which sends the result
 * to the call's root. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/tree_pipeline.h"
#include "schedule/put_steps.h"

static int node_of(const schedule_call_t *c, const tree_t *t, int rank)
{
  return t->shape == TREE_IN_ORDER ? c->size - 1 - rank : from_root(c, rank);
}

static int rank_of(const schedule_call_t *c, const tree_t *t, int node)
{
  return t->shape == TREE_IN_ORDER ? c->size - 1 - node : to_rank(c, node);
}

/* Rounds until the tree's root has everything. */
static int64_t rounds_up(const schedule_call_t *c, const tree_t *t)
{
  int64_t segments = segment_count(c, c->count);
  int height = c->size > 1 ? tree_height(t, 0) : 1;
  return segments ? height + segments - 1 : 0;
}

static int64_t rounds(const schedule_call_t *c, tree_t t)
{
  return rounds_up(c, &t) + (c->count > 0 && rank_of(c, &t, 0) != c->root);
}

static int children_of(const tree_t *t, int node)
{
  int n = 0;
  while (tree_child(t, node, n) >= 0) n++;
  return n;
}

/* Where a rank's sum is. */
static schedule_place_t sum_at(const schedule_call_t *c, int rank, int64_t first)
{
  return rank == c->root ? schedule_out(first) : schedule_scratch_at(first);
}

/* Where a segment of a child goes: behind the sum, one child behind the other. */
static schedule_place_t received_at(const schedule_call_t *c, int rank, int child)
{
  int64_t sum = rank == c->root ? 0 : c->count;
  return schedule_scratch_at(sum + child * segment_size(c, c->count, 0));
}

/* The least height of a node's children: their segments come first. */
static int first_height(const tree_t *t, int node, int children)
{
  int least = tree_height(t, node);
  for (int i = 0; i < children; i++) {
    int height = tree_height(t, tree_child(t, node, i));
    least = height < least ? height : least;
  }
  return least;
}

/* Gets the segments that children send in a round, and reduces them with the rank's own. */
static void take_segments(const schedule_call_t *c, const tree_t *t, int rank, int64_t round,
                          schedule_steps_t *out)
{
  int node = node_of(c, t, rank), children = children_of(t, node);
  int64_t segment = round - first_height(t, node, children), n;
  for (int i = 0; i < children; i++) {
    int child = tree_child(t, node, i);
    n = segment_size(c, c->count, round - tree_height(t, child));
    if (n) put_recv(out, rank_of(c, t, child), received_at(c, rank, i), n);
  }
  int64_t first = segment_first(c, segment);
  if (children)
    put_copy(out, sum_at(c, rank, first), schedule_in(first), segment_size(c, c->count, segment));
  for (int i = 0; i < children; i++) {
    segment = round - tree_height(t, tree_child(t, node, i));
    put_reduce_left(out, sum_at(c, rank, segment_first(c, segment)), received_at(c, rank, i),
                    segment_size(c, c->count, segment));
  }
}

static void steps(const schedule_call_t *c, tree_t t, int rank, int64_t round,
                  schedule_steps_t *out)
{
  int node = node_of(c, &t, rank), top = rank_of(c, &t, 0);
  if (round == rounds_up(c, &t)) { /* the result goes to the root */
    if (node == 0) put_send(out, c->root, schedule_scratch_at(0), c->count);
    if (rank == c->root) put_recv(out, top, schedule_out(0), c->count);
    return;
  }
  int height = tree_height(&t, node);
  int64_t sent = round - height, n = node ? segment_size(c, c->count, sent) : 0;
  int64_t first = segment_first(c, sent);
  if (n)
    put_send(out, rank_of(c, &t, tree_parent(&t, node)),
             height ? sum_at(c, rank, first) : schedule_in(first), n);
  take_segments(c, &t, rank, round, out);
  if (c->size == 1)
    put_copy(out, schedule_out(segment_first(c, round)), schedule_in(segment_first(c, round)),
             segment_size(c, c->count, round));
}

static int64_t scratch(const schedule_call_t *c, tree_t t, int rank)
{
  int children = children_of(&t, node_of(c, &t, rank));
  return (rank == c->root ? 0 : c->count) + children * segment_size(c, c->count, 0);
}

static int64_t next(const schedule_call_t *c, tree_t t, int rank, int64_t round)
{
  int node = node_of(c, &t, rank), height = tree_height(&t, node);
  if (node == 0) return next_of(rounds_up(c, &t), rounds(c, t), round);
  return next_of(height, height + segment_count(c, c->count), round);
}

#define REDUCE(name, shape, degree)                                                                \
  int64_t reduce_##name##_rounds(const schedule_call_t *c)                                         \
  {                                                                                                \
    return rounds(c, pipeline_tree(c, shape, degree));                                             \
  }                                                                                                \
  void reduce_##name##_steps(const schedule_call_t *c, int rank, int64_t round,                    \
                             schedule_steps_t *out)                                                \
  {                                                                                                \
    steps(c, pipeline_tree(c, shape, degree), rank, round, out);                                   \
  }                                                                                                \
  int64_t reduce_##name##_scratch(const schedule_call_t *c, int rank)                              \
  {                                                                                                \
    return scratch(c, pipeline_tree(c, shape, degree), rank);                                      \
  }                                                                                                \
  int64_t reduce_##name##_alike(const schedule_call_t *c, int64_t round)                           \
  {                                                                                                \
    return pipeline_alike(c, pipeline_tree(c, shape, degree), round);                              \
  }                                                                                                \
  int64_t reduce_##name##_next(const schedule_call_t *c, int rank, int64_t round)                  \
  {                                                                                                \
    return next(c, pipeline_tree(c, shape, degree), rank, round);                                  \
  }

REDUCE(chain, TREE_CHAINS, 0)
REDUCE(pipeline, TREE_CHAINS, 1)
REDUCE(binary, TREE_LEVELS, 2)
REDUCE(binomial, TREE_BINOMIAL_BLOCKS, 2)
REDUCE(knomial, TREE_KNOMIAL, 0)
REDUCE(in_order_binary, TREE_IN_ORDER, 2)
