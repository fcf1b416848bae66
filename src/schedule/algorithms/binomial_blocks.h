/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that travel along a binomial tree with consecutive subtrees: a message holds those of a
 * subtree. They lie in the order from the root on, in scratch space unless rank 0 is the root. */
#ifndef BERTH_SCHEDULE_BINOMIAL_BLOCKS_H
#define BERTH_SCHEDULE_BINOMIAL_BLOCKS_H

#include "schedule/put_steps.h"

/* How many blocks the subtree below an edge of weight 2^level has, at a node that has that edge to
 * its parent; 0 if it has none. */
static inline int blocks_of(const schedule_call_t *c, int node, int level)
{
  int weight = 1 << level, rest = c->size - node;
  if (node == 0 || (node & (2 * weight - 1)) != weight) return 0;
  return weight < rest ? weight : rest;
}

static inline int child_of(const schedule_call_t *c, int node, int level)
{
  int child = node + (1 << level);
  return child < c->size && blocks_of(c, child, level) ? child : -1;
}

/* Leaves have their own block alone, the root's blocks need no turning if it is rank 0. */
static inline bool is_direct(const schedule_call_t *c, int node)
{
  return node == 0 && c->root == 0;
}
static inline bool is_leaf(const schedule_call_t *c, int node)
{
  return node % 2 || (node && node + 1 >= c->size);
}

static inline int64_t blocks_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? ceil_log(c->size) : 1;
}

/* The root's blocks lie in the order of nodes in scratch space, those of ranks in the user's
 * memory; part i of two that are consecutive in both. */
typedef struct blocks_part {
  int64_t node, rank, n;
} blocks_part_t;

static inline blocks_part_t blocks_part(const schedule_call_t *c, int i)
{
  int first = c->size - c->root;
  return i == 0 ? (blocks_part_t){0, c->root, first} : (blocks_part_t){first, 0, c->root};
}

/* Elements of a rank's scratch space. */
static inline int64_t blocks_scratch(const schedule_call_t *c, int rank)
{
  int node = from_root(c, rank), block = node ? node & -node : c->size;
  int rest = c->size - node;
  if (is_direct(c, node) || is_leaf(c, node)) return 0;
  return (block < rest ? block : rest) * c->count;
}

#endif
