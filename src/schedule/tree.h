/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of a communicator's ranks, in closed form. Nodes are numbered from the root, which is 0. */
#ifndef BERTH_SCHEDULE_TREE_H
#define BERTH_SCHEDULE_TREE_H

typedef enum tree_shape {
  TREE_FLAT,            /* all below the root */
  TREE_CHAINS,          /* `degree` chains below the root; their lengths differ by one at most */
  TREE_LEVELS,          /* at most `degree` children a node, level by level */
  TREE_BINOMIAL,        /* a node's parent lacks its highest bit */
  TREE_BINOMIAL_BLOCKS, /* its lowest bit, so that subtrees are consecutive */
  TREE_KNOMIAL,         /* its lowest digit of radix `degree` that isn't 0 */
  TREE_IN_ORDER         /* binary; subtrees are consecutive, and of about the same size */
} tree_shape_t;

typedef struct tree {
  tree_shape_t shape;
  int size, degree;
} tree_t;

/* The parent of a node that isn't 0. */
int tree_parent(const tree_t *t, int node);

/* How many edges lie between a node and the root, and between it and the farthest node below it. */
int tree_depth(const tree_t *t, int node);
int tree_height(const tree_t *t, int node);

/* Child i of a node in the order in which it sends to them; -1: it has no more. */
int tree_child(const tree_t *t, int node, int i);

#endif
