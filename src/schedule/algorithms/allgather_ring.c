/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv: blocks go round the ring, or their segments one after the other.
 * Open MPI 4.1, ompi_coll_base_allgather_intra_ring and …_allgatherv_intra_ring; MPICH 4.0,
 * MPIR_Allgather_intra_ring, and MPIR_Allgatherv_intra_ring, which has segments of
 * MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE; MPIR_Iallgatherv_intra_sched_ring has larger ones if the
 * smallest block is. If blocks have different numbers of segments, MPICH's
 * ranks are further with shorter blocks; here a block waits for the longest one. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/block_segment.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

/* Rounds in which the blocks go on by one rank. */
static int64_t segments(const schedule_call_t *c)
{
  int64_t n = segment_count(c, block_most(c));
  return n > 0 ? n : 1;
}

int64_t allgather_ring_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? (c->size - 1) * segments(c) : 1;
}

void allgather_ring_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int64_t step = round / segments(c), segment = round % segments(c);
  int sent = around(c, rank, -step), got = around(c, rank, -step - 1);
  int64_t first = segment_first(c, segment);
  if (round == 0)
    put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
  if (c->size == 1) return;
  put_send(out, around(c, rank, 1), schedule_out(block_first(c, sent) + first),
           segment_size(c, block_size(c, sent), segment));
  put_recv(out, around(c, rank, -1), schedule_out(block_first(c, got) + first),
           segment_size(c, block_size(c, got), segment));
}

/* All rounds are, if blocks are equal and not divided. */
int64_t allgather_ring_alike(const schedule_call_t *c, int64_t round)
{
  bool same = !c->blocks || c->blocks->least == c->blocks->most;
  return same && segments(c) == 1 ? allgather_ring_rounds(c) - round : 1;
}

/* The same in segments as large as the smallest block, and at least as the call's. */
static schedule_call_t in_least(const schedule_call_t *c)
{
  schedule_call_t own = *c;
  int64_t least = c->blocks ? c->blocks->least : c->count;
  if (own.segment > 0 && own.segment < least) own.segment = least;
  return own;
}

int64_t allgather_ring_in_least_rounds(const schedule_call_t *c)
{
  schedule_call_t own = in_least(c);
  return allgather_ring_rounds(&own);
}

void allgather_ring_in_least_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  schedule_call_t own = in_least(c);
  allgather_ring_steps(&own, rank, round, out);
}

int64_t allgather_ring_in_least_alike(const schedule_call_t *c, int64_t round)
{
  schedule_call_t own = in_least(c);
  return allgather_ring_alike(&own, round);
}
