/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter and …_block: one of each pair beyond the power of two gives its blocks to the odd
 * one; those left exchange halves of what they have, from the farthest on. The sum lies in scratch
 * space, and behind it what comes. Without any elements nothing is exchanged. Open MPI 4.1,
 * ompi_coll_base_reduce_scatter_block_intra_recursivehalving and
 * …_reduce_scatter_intra_basic_recursivehalving; MPICH 4.0,
 * MPIR_Reduce_scatter_block_intra_recursive_halving and
 * MPIR_Reduce_scatter_intra_recursive_halving. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/put_steps.h"

int64_t reduce_scatter_halving_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? floor_log(c->size) + 2 * (folded_pairs(c) > 0) : 1;
}

static void exchange(const schedule_call_t *c, int place, int distance, schedule_steps_t *out)
{
  if (block_total(c) == 0) return;
  int peer = folded_rank(c, place ^ distance, true), own = place & -distance;
  int others = own ^ distance;
  int64_t n = folded_size(c, own, distance), first = folded_begin(c, own);
  schedule_place_t got = schedule_scratch_at(block_total(c));
  put_send(out, peer, schedule_scratch_at(folded_begin(c, others)),
           folded_size(c, others, distance));
  put_recv(out, peer, got, n);
  put_reduce(out, schedule_scratch_at(first), got, n);
}

/* After, even ranks get their own. */
static void unfold(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  if (rank % 2 == 0)
    put_recv(out, rank + 1, schedule_out(0), block_size(c, rank));
  else
    put_send(out, rank - 1, schedule_scratch_at(block_first(c, rank - 1)), block_size(c, rank - 1));
}

void reduce_scatter_halving_steps(const schedule_call_t *c, int rank, int64_t round,
                                  schedule_steps_t *out)
{
  int pairs = folded_pairs(c), levels = floor_log(c->size), place = folded_place(c, rank, true);
  int64_t step = round - (pairs > 0), last = reduce_scatter_halving_rounds(c) - 1;
  if (round == 0 && place >= 0)
    put_copy(out, schedule_scratch_at(0), schedule_in(0), block_total(c));
  if (step < 0) {
    if (rank < 2 * pairs) folded_give_all(c, rank, out);
  } else if (step < levels && place >= 0) {
    exchange(c, place, 1 << (levels - 1 - step), out);
  } else if (step >= levels && pairs > 0 && rank < 2 * pairs) {
    unfold(c, rank, out);
  }
  if (round == last && place >= 0)
    put_copy(out, schedule_out(0), schedule_scratch_at(block_first(c, rank)), block_size(c, rank));
}

int64_t reduce_scatter_halving_scratch(const schedule_call_t *c, int rank)
{
  return folded_place(c, rank, true) >= 0 ? 2 * block_total(c) : 0;
}
