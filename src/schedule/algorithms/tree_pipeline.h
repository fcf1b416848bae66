/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments that follow each other along a tree, whichever way. */
#ifndef BERTH_SCHEDULE_TREE_PIPELINE_H
#define BERTH_SCHEDULE_TREE_PIPELINE_H

#include "schedule/block_segment.h"
#include "schedule/tree.h"

/* A tree of the call's ranks; degree 0: the call's. From as many children as ranks on, trees are
 * the same. */
static inline tree_t pipeline_tree(const schedule_call_t *c, tree_shape_t shape, int degree)
{
  int most = c->size > 2 ? c->size : 2, own = c->degree < most ? c->degree : most;
  return (tree_t){shape, c->size, degree ? degree : own};
}

/* How many rounds from this one on are alike: between filling and emptying the tree, all ranks are
 * busy with whole segments. */
static inline int64_t pipeline_alike(const schedule_call_t *c, tree_t t, int64_t round)
{
  int64_t height = tree_height(&t, 0), last = segment_count(c, c->count) - 1;
  return round >= height - 1 && round < last ? last - round : 1;
}

#endif
