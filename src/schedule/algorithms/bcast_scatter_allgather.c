/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast: blocks are scattered along a binomial tree, then gathered by all: by doubling, or
 * round a ring. The size of a block is rounded up, so the last ones may be empty; the tree has no
 * messages for them. Open MPI 4.1, ompi_coll_base_bcast_intra_scatter_allgather and …_ring, from an
 * element a rank on; MPICH 4.0, MPIR_Bcast_intra_scatter_recursive_doubling_allgather and
 * …_scatter_ring_allgather, which divide bytes: their calls have elements of one byte. Those of
 * MPIR_Ibcast_intra_sched_…, "to the end", begin with MPIR_Iscatter_for_bcast_sched: a node thinks
 * that it has all blocks from its own on, and passes more on to its first child than it got. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/binomial_blocks.h"
#include "schedule/algorithms/doubling_groups.h"
#include "schedule/algorithms/node_blocks.h"

static node_blocks_t blocks(const schedule_call_t *c)
{
  return (node_blocks_t){(c->count + c->size - 1) / c->size, c->count};
}

static int64_t rounds(const schedule_call_t *c, int64_t gathering)
{
  return c->size > 1 && c->count > 0 ? ceil_log(c->size) + gathering : 0;
}

/* Whether the node is the first child of one that isn't the root, over an edge of 2^level. */
static bool is_first_child(int node, int level)
{
  int parent = node - (1 << level);
  return parent > 0 && (parent & -parent) == 2 << level;
}

/* A round of the tree. `to_end`: first children get all blocks from their own on. */
static void scatter(const schedule_call_t *c, int node, int level, bool to_end,
                    schedule_steps_t *out)
{
  node_blocks_t b = blocks(c);
  int child = child_of(c, node, level), weight = 1 << level;
  int sent = to_end && is_first_child(child, level) ? c->size - child : weight;
  int got = to_end && is_first_child(node, level) ? c->size - node : weight;
  if (child >= 0 && node_first(b, child) < b.all) send_blocks(c, b, child, child, sent, out);
  if (blocks_of(c, node, level) && node_first(b, node) < b.all)
    recv_blocks(c, b, node - weight, node, got, out);
}

/* --- by doubling --- */

int64_t bcast_scatter_allgather_rounds(const schedule_call_t *c)
{
  return rounds(c, doubling_rounds(c));
}

static void doubling_steps(const schedule_call_t *c, int rank, int64_t round, bool to_end,
                           schedule_steps_t *out)
{
  int node = from_root(c, rank), levels = ceil_log(c->size);
  if (round < levels)
    scatter(c, node, levels - 1 - (int)round, to_end, out);
  else
    gather_doubling(c, blocks(c), rank, round - levels, out);
}

void bcast_scatter_allgather_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  doubling_steps(c, rank, round, false, out);
}

int64_t bcast_scatter_allgather_to_end_rounds(const schedule_call_t *c)
{
  return bcast_scatter_allgather_rounds(c);
}

void bcast_scatter_allgather_to_end_steps(const schedule_call_t *c, int rank, int64_t round,
                                          schedule_steps_t *out)
{
  doubling_steps(c, rank, round, true, out);
}

/* --- round a ring --- */

int64_t bcast_scatter_allgather_ring_rounds(const schedule_call_t *c)
{
  return rounds(c, c->size - 1);
}

static void ring_steps(const schedule_call_t *c, int rank, int64_t round, bool to_end,
                       schedule_steps_t *out)
{
  int node = from_root(c, rank), levels = ceil_log(c->size);
  if (round < levels) {
    scatter(c, node, levels - 1 - (int)round, to_end, out);
    return;
  }
  int64_t sent = around(c, node, levels - round), got = around(c, (int)sent, -1);
  send_blocks(c, blocks(c), around(c, node, 1), sent, 1, out);
  recv_blocks(c, blocks(c), around(c, node, -1), got, 1, out);
}

void bcast_scatter_allgather_ring_steps(const schedule_call_t *c, int rank, int64_t round,
                                        schedule_steps_t *out)
{
  ring_steps(c, rank, round, false, out);
}

int64_t bcast_scatter_allgather_ring_to_end_rounds(const schedule_call_t *c)
{
  return bcast_scatter_allgather_ring_rounds(c);
}

void bcast_scatter_allgather_ring_to_end_steps(const schedule_call_t *c, int rank, int64_t round,
                                               schedule_steps_t *out)
{
  ring_steps(c, rank, round, true, out);
}

/* Those of the ring are, if all blocks are equal. */
int64_t bcast_scatter_allgather_ring_alike(const schedule_call_t *c, int64_t round)
{
  bool ring = round >= ceil_log(c->size) && c->count % c->size == 0;
  return ring ? bcast_scatter_allgather_ring_rounds(c) - round : 1;
}

int64_t bcast_scatter_allgather_ring_to_end_alike(const schedule_call_t *c, int64_t round)
{
  return bcast_scatter_allgather_ring_alike(c, round);
}
