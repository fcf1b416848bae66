/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one size that lie in SCHEDULE_OUT, one a node, from the root on. If they have more
 * elements than there are, the last ones are shorter or empty. */
#ifndef BERTH_SCHEDULE_NODE_BLOCKS_H
#define BERTH_SCHEDULE_NODE_BLOCKS_H

#include "schedule/algorithms/doubling_groups.h"

typedef struct node_blocks {
  int64_t size, all; /* elements of a block, and of all */
} node_blocks_t;

static inline int64_t node_first(node_blocks_t b, int64_t node)
{
  return node * b.size < b.all ? node * b.size : b.all;
}

/* Sends to a node, or gets from it, the blocks of `n` nodes from `first` on. */
static inline void send_blocks(const schedule_call_t *c, node_blocks_t b, int to, int64_t first,
                               int64_t n, schedule_steps_t *out)
{
  int64_t begin = node_first(b, first), end = node_first(b, first + n);
  put_send(out, to_rank(c, to), schedule_out(begin), end - begin);
}

static inline void recv_blocks(const schedule_call_t *c, node_blocks_t b, int from, int64_t first,
                               int64_t n, schedule_steps_t *out)
{
  int64_t begin = node_first(b, first), end = node_first(b, first + n);
  put_recv(out, to_rank(c, from), schedule_out(begin), end - begin);
}

/* A round of gathering them by doubling. */
static inline void gather_doubling(const schedule_call_t *c, node_blocks_t b, int rank,
                                   int64_t round, schedule_steps_t *out)
{
  doubling_t at = doubling_at(c, round);
  doubling_node_t n = doubling_node(c, at, from_root(c, rank));
  if (n.to >= 0) send_blocks(c, b, n.to, n.sent, at.distance, out);
  if (n.from >= 0) recv_blocks(c, b, n.from, n.got, at.distance, out);
}

#endif
