/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the messages of a dense phase by node of a tree. */
#ifndef BERTH_COST_DENSE_DENSE_COUNT_H
#define BERTH_COST_DENSE_DENSE_COUNT_H

#include "cost/dense/cost_dense.h"

/* Scratch space of an evaluator, by node. */
typedef struct dense_count {
  dense_node_t *node;
  int *inside; /* members of the current communicator; 0 before and after */
  int *touched;
} dense_count_t;

/* Replaces node[0] to node[n - 1]. Ranks are at nodes c->node_of_rank: switches, or PUs if
 * with_pus. */
void dense_count(const berth_cost_t *c, const dense_phase_t *d, bool with_pus, int n,
                 dense_count_t *out);

/* What n members of one communicator add to a node's resources. *pairs: how many messages they send
 * to each other; those of a switch's children don't cross the switch itself. Ranks on one PU meet
 * at its switch, so all that they send crosses the PU's port. */
static inline dense_node_t dense_members(const berth_cost_t *c, const dense_phase_t *d, int v,
                                         int64_t n, int64_t *pairs)
{
  int64_t size = d->size, leaving = n * (size - n);
  *pairs = 0;
  if (n == 0) return (dense_node_t){{0, 0}, {0, 0}, {0, 0}};
  if (v >= c->n_switches)
    return (dense_node_t){{n * (size - 1), n}, {n * (size - 1), size - (n == 1)}, {0, 0}};
  *pairs = n * (n - 1);
  return (dense_node_t){
      {leaving, n < size ? n : 0}, {leaving, size - n}, {2 * leaving + *pairs, size}};
}

static inline void dense_out(dense_node_t *node, int sign)
{
  node->out.messages += sign;
  node->self.messages += sign;
}

static inline void dense_in(dense_node_t *node, int sign)
{
  node->in.messages += sign;
  node->self.messages += sign;
}

/* Adds a message from node a to node b or, with sign -1, removes it. */
static inline void dense_way(const berth_cost_t *c, bool with_pus, int a, int b, int sign,
                             dense_node_t *node)
{
  const cost_node_t *tree = c->node;
  if (with_pus) {
    dense_out(&node[a], sign);
    dense_in(&node[b], sign);
    a = tree[a].parent;
    b = tree[b].parent;
  }
  while (a != b) {
    int da = tree[a].depth, db = tree[b].depth;
    if (da >= db) {
      dense_out(&node[a], sign);
      a = tree[a].parent;
    }
    if (db >= da) {
      dense_in(&node[b], sign);
      b = tree[b].parent;
    }
  }
  node[a].self.messages += sign;
}

/* Adds or, with sign -1, removes. */
static inline void dense_add(dense_node_t *to, const dense_node_t *load, int sign)
{
  to->out.messages += sign * load->out.messages;
  to->out.senders += sign * load->out.senders;
  to->in.messages += sign * load->in.messages;
  to->in.senders += sign * load->in.senders;
  to->self.messages += sign * load->self.messages;
  to->self.senders += sign * load->self.senders;
}

#endif
