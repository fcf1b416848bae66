/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of ranks. Shapes are those of Open MPI 4.1 (ompi/mca/coll/base/coll_base_topo.c). */
#include "schedule/tree.h"

#include <stdbool.h>
#include <stdint.h>

/* --- chains --- */

static int chains_of(const tree_t *t)
{
  int most = t->size - 1, n = t->degree < 1 ? 1 : t->degree;
  return n < most ? n : most;
}

/* The first node of chain i; long ones come first. */
static int chain_head(const tree_t *t, int i)
{
  int n = chains_of(t), nodes = t->size - 1, shorter = nodes / n, longer = nodes % n;
  return 1 + i * shorter + (i < longer ? i : longer);
}

static int head_of(const tree_t *t, int node)
{
  int n = chains_of(t), nodes = t->size - 1, shorter = nodes / n, longer = nodes % n;
  int in_long = longer * (shorter + 1);
  int chain =
      node - 1 < in_long ? (node - 1) / (shorter + 1) : longer + (node - 1 - in_long) / shorter;
  return chain_head(t, chain);
}

static int chain_child(const tree_t *t, int node, int i)
{
  if (node == 0) return i < chains_of(t) ? chain_head(t, i) : -1;
  bool last = node + 1 >= t->size || head_of(t, node + 1) == node + 1;
  return i == 0 && !last ? node + 1 : -1;
}

/* --- levels --- */

/* A node's level, the nodes on it, and those above it. */
static int level_of(const tree_t *t, int node, int64_t *width, int64_t *above)
{
  int level = 0;
  *width = 1;
  *above = 0;
  while (*above + *width <= node) {
    *above += *width;
    *width *= t->degree;
    level++;
  }
  return level;
}

static int level_parent(const tree_t *t, int node)
{
  int64_t width, above;
  level_of(t, node, &width, &above);
  int64_t stride = width / t->degree, excess = node - above;
  return (int)(node - (excess / stride + 1) * stride);
}

static int level_child(const tree_t *t, int node, int i)
{
  int64_t width, above;
  level_of(t, node, &width, &above);
  int64_t child = node + width * (i + 1);
  return i < t->degree && child < t->size ? (int)child : -1;
}

/* --- digits --- */

/* The weight of the lowest digit that isn't 0; for node 0, of the first beyond the size. */
static int64_t lowest_weight(const tree_t *t, int radix, int node)
{
  int64_t weight = 1;
  while (weight < t->size && node % (radix * weight) == 0) weight *= radix;
  return weight;
}

static int highest_bit(int node)
{
  int bit = 1;
  while (bit <= node / 2) bit *= 2;
  return bit;
}

static int digits_of(int radix, int node)
{
  int n = 0;
  for (; node; node /= radix) n += node % radix != 0;
  return n;
}

static int binomial_child(const tree_t *t, int node, int i)
{
  int64_t child = node + ((node ? 2 * (int64_t)highest_bit(node) : 1) << i);
  return i < 31 && child < t->size ? (int)child : -1;
}

static int block_child(const tree_t *t, int node, int i)
{
  int64_t weight = (int64_t)1 << i;
  return i < 31 && weight < lowest_weight(t, 2, node) && node + weight < t->size
             ? (int)(node + weight)
             : -1;
}

/* From the largest subtree to the smallest. */
static int knomial_child(const tree_t *t, int node, int i)
{
  for (int64_t weight = lowest_weight(t, t->degree, node) / t->degree; weight > 0;
       weight /= t->degree)
    for (int digit = 1; digit < t->degree; digit++)
      if (node + weight * digit < t->size && i-- == 0) return (int)(node + weight * digit);
  return -1;
}

/* --- in order --- */

/* Goes down from the root to a node: its parent, its depth, and how many nodes its subtree and that
 * of its second child have. */
typedef struct in_order {
  int parent, depth, nodes, second;
} in_order_t;

static int second_of(int nodes) { return nodes > 2 ? nodes / 2 : 0; }

static in_order_t in_order_find(const tree_t *t, int node)
{
  in_order_t at = {0, 0, t->size, second_of(t->size)};
  int here = 0;
  while (here != node) {
    int second = here + at.nodes - at.second;
    bool first = node < second;
    at.parent = here;
    at.nodes = first ? at.nodes - 1 - at.second : at.second;
    at.second = second_of(at.nodes);
    at.depth++;
    here = first ? here + 1 : second;
  }
  return at;
}

static int in_order_child(const tree_t *t, int node, int i)
{
  in_order_t at = in_order_find(t, node);
  if (i == 0 && at.nodes > 1) return node + 1;
  return i == 1 && at.second > 0 ? node + at.nodes - at.second : -1;
}

/* --- all --- */

int tree_parent(const tree_t *t, int node)
{
  switch (t->shape) {
  case TREE_FLAT:
    return 0;
  case TREE_CHAINS:
    return head_of(t, node) == node ? 0 : node - 1;
  case TREE_LEVELS:
    return level_parent(t, node);
  case TREE_BINOMIAL:
    return node - highest_bit(node);
  case TREE_BINOMIAL_BLOCKS:
    return node & (node - 1);
  case TREE_KNOMIAL: {
    int64_t above = lowest_weight(t, t->degree, node) * t->degree;
    return (int)(node / above * above);
  }
  case TREE_IN_ORDER:
    return in_order_find(t, node).parent;
  }
  return 0;
}

int tree_depth(const tree_t *t, int node)
{
  int64_t width, above;
  if (node == 0) return 0;
  switch (t->shape) {
  case TREE_FLAT:
    return 1;
  case TREE_CHAINS:
    return node - head_of(t, node) + 1;
  case TREE_LEVELS:
    return level_of(t, node, &width, &above);
  case TREE_BINOMIAL:
  case TREE_BINOMIAL_BLOCKS:
    return digits_of(2, node);
  case TREE_KNOMIAL:
    return digits_of(t->degree, node);
  case TREE_IN_ORDER:
    return in_order_find(t, node).depth;
  }
  return 0;
}

/* The most digits other than 0 that a number up to `last` has: its own, or those of one that is
 * less from some digit on, and has no 0 behind it. */
static int most_digits(int radix, int last)
{
  int most = digits_of(radix, last), behind = 0;
  for (int rest = last; rest; rest /= radix, behind++) {
    int digit = rest % radix, n = digits_of(radix, rest / radix) + (digit > 1) + behind;
    if (digit > 0 && n > most) most = n;
  }
  return most;
}

/* The larger of two subtrees is the higher one. */
static int in_order_height(int nodes)
{
  int height = 0;
  for (; nodes > 1; height++) {
    int second = second_of(nodes), first = nodes - 1 - second;
    nodes = first > second ? first : second;
  }
  return height;
}

/* The last node of a node's chain. */
static int tail_of(const tree_t *t, int node)
{
  int n = chains_of(t), nodes = t->size - 1, shorter = nodes / n;
  int head = head_of(t, node), longer = head - 1 < nodes % n * (shorter + 1);
  return head + shorter + longer - 1;
}

/* How many nodes the subtree of a node has, where these are consecutive. */
static int block_of(const tree_t *t, int radix, int node)
{
  int64_t block = lowest_weight(t, radix, node), rest = t->size - node;
  return (int)(block < rest ? block : rest);
}

static int first_children(const tree_t *t, int node)
{
  int n = 0;
  while ((node = level_child(t, node, 0)) >= 0) n++;
  return n;
}

int tree_height(const tree_t *t, int node)
{
  int last = t->size - 1, stride = node ? 2 * highest_bit(node) : 1;
  if (last == 0) return 0;
  switch (t->shape) {
  case TREE_FLAT:
    return node == 0;
  case TREE_CHAINS:
    return node ? tail_of(t, node) - node : tail_of(t, 1);
  case TREE_LEVELS:
    return first_children(t, node);
  case TREE_BINOMIAL:
    return most_digits(2, (last - node) / stride);
  case TREE_BINOMIAL_BLOCKS:
    return most_digits(2, block_of(t, 2, node) - 1);
  case TREE_KNOMIAL:
    return most_digits(t->degree, block_of(t, t->degree, node) - 1);
  case TREE_IN_ORDER:
    return in_order_height(in_order_find(t, node).nodes);
  }
  return 0;
}

int tree_child(const tree_t *t, int node, int i)
{
  switch (t->shape) {
  case TREE_FLAT:
    return node == 0 && i + 1 < t->size ? i + 1 : -1;
  case TREE_CHAINS:
    return t->size > 1 ? chain_child(t, node, i) : -1;
  case TREE_LEVELS:
    return level_child(t, node, i);
  case TREE_BINOMIAL:
    return binomial_child(t, node, i);
  case TREE_BINOMIAL_BLOCKS:
    return block_child(t, node, i);
  case TREE_KNOMIAL:
    return knomial_child(t, node, i);
  case TREE_IN_ORDER:
    return in_order_child(t, node, i);
  }
  return -1;
}
