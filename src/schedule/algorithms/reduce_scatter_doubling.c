/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter and …_block: ranks 1, 2, 4, … apart exchange the sums of their groups, in the
 * order of ranks: all blocks but those of the sender's own group. Scratch space holds the sums,
 * behind them a message that goes, and one that came. MPICH 4.0,
 * MPIR_Reduce_scatter_block_intra_recursive_doubling and
 * MPIR_Reduce_scatter_intra_recursive_doubling. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/doubling_groups.h"
#include "schedule/call_block.h"

int64_t reduce_scatter_doubling_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? doubling_rounds(c) : 1;
}

/* The blocks of a group that a message lacks: the first, and the first behind them. */
typedef struct gap {
  int64_t first, end;
} gap_t;

static gap_t group(const schedule_call_t *c, int64_t first, int n)
{
  return (gap_t){first, first + n < c->size ? first + n : c->size};
}

static int64_t message_size(const schedule_call_t *c, gap_t g)
{
  return block_total(c) - blocks_size(c, g.first, g.end - g.first);
}

static void pack(const schedule_call_t *c, gap_t g, schedule_steps_t *out)
{
  int64_t sent = block_total(c), before = block_first(c, g.first), end = block_first(c, g.end);
  put_copy(out, schedule_scratch_at(sent), schedule_scratch_at(0), before);
  put_copy(out, schedule_scratch_at(sent + before), schedule_scratch_at(end), sent - end);
}

/* Reduces blocks of a message that came. */
static void take(const schedule_call_t *c, gap_t lacks, int64_t block, int64_t n, bool left,
                 schedule_steps_t *out)
{
  int64_t lost = block < lacks.first ? 0 : blocks_size(c, lacks.first, lacks.end - lacks.first);
  schedule_place_t sum = schedule_scratch_at(block_first(c, block));
  schedule_place_t got = schedule_scratch_at(2 * block_total(c) + block_first(c, block) - lost);
  (left ? put_reduce_left : put_reduce)(out, sum, got, blocks_size(c, block, n));
}

/* A rank goes on with its own block, and with those outside of both groups. */
static void take_needed(const schedule_call_t *c, int rank, gap_t lacks, int distance,
                        schedule_steps_t *out)
{
  gap_t both = group(c, rank & (-2 * distance), 2 * distance);
  bool left = lacks.first < rank;
  take(c, lacks, 0, both.first, left, out);
  take(c, lacks, rank, 1, left, out);
  take(c, lacks, both.end, c->size - both.end, left, out);
}

void reduce_scatter_doubling_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  int64_t all = block_total(c);
  if (round == 0) put_copy(out, schedule_scratch_at(0), schedule_in(0), all);
  if (c->size > 1) {
    doubling_t at = doubling_at(c, round);
    doubling_node_t d = doubling_node(c, at, rank);
    gap_t sent = group(c, d.sent, at.distance), got = group(c, d.got, at.distance);
    if (d.to >= 0 && !at.relay) pack(c, sent, out);
    if (d.to >= 0)
      put_send(out, d.to, schedule_scratch_at(at.relay ? 2 * all : all), message_size(c, sent));
    if (d.from >= 0) {
      put_recv(out, d.from, schedule_scratch_at(2 * all), message_size(c, got));
      take_needed(c, rank, got, at.distance, out);
    }
  }
  if (round == reduce_scatter_doubling_rounds(c) - 1)
    put_copy(out, schedule_out(0), schedule_scratch_at(block_first(c, rank)), block_size(c, rank));
}

int64_t reduce_scatter_doubling_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return (c->size > 1 ? 3 : 1) * block_total(c);
}
