/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast: blocks are scattered along a binomial tree, then gathered by all: by doubling, or
 * round a ring. The size of a block is rounded up, so the last ones may be empty; the tree has no
 * messages for them. Open MPI 4.1, ompi_coll_base_bcast_intra_scatter_allgather and …_ring, from an
 * element a rank on; MPICH 4.0, MPIR_Bcast_intra_scatter_recursive_doubling_allgather and
 * …_scatter_ring_allgather, which divide bytes: their calls have elements of one byte. */
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

static void scatter(const schedule_call_t *c, int node, int level, schedule_steps_t *out)
{
  node_blocks_t b = blocks(c);
  int child = child_of(c, node, level), weight = 1 << level;
  if (child >= 0 && node_first(b, child) < b.all) send_blocks(c, b, child, child, weight, out);
  if (blocks_of(c, node, level) && node_first(b, node) < b.all)
    recv_blocks(c, b, node - weight, node, weight, out);
}

/* --- by doubling --- */

int64_t bcast_scatter_allgather_rounds(const schedule_call_t *c)
{
  return rounds(c, doubling_rounds(c));
}

void bcast_scatter_allgather_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  int node = from_root(c, rank), levels = ceil_log(c->size);
  if (round < levels)
    scatter(c, node, levels - 1 - (int)round, out);
  else
    gather_doubling(c, blocks(c), rank, round - levels, out);
}

/* --- round a ring --- */

int64_t bcast_scatter_allgather_ring_rounds(const schedule_call_t *c)
{
  return rounds(c, c->size - 1);
}

void bcast_scatter_allgather_ring_steps(const schedule_call_t *c, int rank, int64_t round,
                                        schedule_steps_t *out)
{
  int node = from_root(c, rank), levels = ceil_log(c->size);
  if (round < levels) {
    scatter(c, node, levels - 1 - (int)round, out);
    return;
  }
  int64_t sent = around(c, node, levels - round), got = around(c, (int)sent, -1);
  send_blocks(c, blocks(c), around(c, node, 1), sent, 1, out);
  recv_blocks(c, blocks(c), around(c, node, -1), got, 1, out);
}

/* Those of the ring are, if all blocks are equal. */
int64_t bcast_scatter_allgather_ring_alike(const schedule_call_t *c, int64_t round)
{
  bool ring = round >= ceil_log(c->size) && c->count % c->size == 0;
  return ring ? bcast_scatter_allgather_ring_rounds(c) - round : 1;
}
