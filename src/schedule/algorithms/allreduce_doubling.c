/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: of the ranks beyond the largest power of two, as many of the first give theirs to the
 * next one; those left exchange whole blocks 1, 2, 4, … apart. The order of operands is that of
 * ranks. Open MPI 4.1, ompi_coll_base_allreduce_intra_recursivedoubling; MPICH 4.0,
 * MPIR_Allreduce_intra_recursive_doubling. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/put_steps.h"

int64_t allreduce_doubling_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? floor_log(c->size) + 2 * (folded_pairs(c) > 0) : 1;
}

/* Before and after: even ranks of the first pairs give, and get the result. */
static void fold(const schedule_call_t *c, int rank, bool first, schedule_steps_t *out)
{
  if (rank >= 2 * folded_pairs(c)) return;
  int peer = rank ^ 1;
  bool even = rank % 2 == 0;
  if (even == first)
    put_send(out, peer, schedule_out(0), c->count);
  else
    put_recv(out, peer, first ? schedule_scratch_at(0) : schedule_out(0), c->count);
  if (!even && first) put_reduce_left(out, schedule_out(0), schedule_scratch_at(0), c->count);
}

void allreduce_doubling_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  bool folds = folded_pairs(c) > 0;
  if (round == 0) put_copy(out, schedule_out(0), schedule_in(0), c->count);
  if (c->size == 1) return;
  if (folds && (round == 0 || round == allreduce_doubling_rounds(c) - 1)) {
    fold(c, rank, round == 0, out);
    return;
  }
  int place = folded_place(c, rank, true);
  if (place < 0) return;
  int peer = folded_rank(c, place ^ (1 << (round - folds)), true);
  put_send(out, peer, schedule_out(0), c->count);
  put_recv(out, peer, schedule_scratch_at(0), c->count);
  if (peer < rank)
    put_reduce_left(out, schedule_out(0), schedule_scratch_at(0), c->count);
  else
    put_reduce(out, schedule_out(0), schedule_scratch_at(0), c->count);
}

int64_t allreduce_doubling_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? c->count : 0;
}
