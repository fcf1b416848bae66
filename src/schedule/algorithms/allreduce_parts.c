/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: even ranks of the first pairs give all to the odd ones; those left halve what they
 * reduce, then double what they have. MPICH 4.0, MPIR_Allreduce_intra_reduce_scatter_allgather and
 * …_Iallreduce_intra_sched_…, from an element a part on; they differ in the sizes of parts. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/algorithms/halved_parts.h"

int64_t allreduce_parts_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * (floor_log(c->size) + (folded_pairs(c) > 0)) : 1;
}

static void fold(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  if (rank % 2 == 0) {
    put_send(out, rank + 1, schedule_in(0), c->count);
    return;
  }
  put_copy(out, schedule_out(0), schedule_in(0), c->count);
  put_recv(out, rank - 1, schedule_scratch_at(0), c->count);
  put_reduce(out, schedule_out(0), schedule_scratch_at(0), c->count);
}

static void unfold(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  if (rank % 2)
    put_send(out, rank - 1, schedule_out(0), c->count);
  else
    put_recv(out, rank + 1, schedule_out(0), c->count);
}

static void exchange(const schedule_call_t *c, rest_t rest, int place, int level,
                     schedule_steps_t *out)
{
  int levels = floor_log(c->size);
  bool scatters = level < levels;
  int distance = 1 << (scatters ? level : 2 * levels - 1 - level);
  int peer = folded_rank(c, place ^ distance, true);
  if (scatters) {
    put_halving(c, rest, place, distance, peer, schedule_out(0), schedule_scratch_at(0), out);
    return;
  }
  halved_t own = halved_before(c, rest, place, 2 * distance);
  halved_t others = halved_before(c, rest, place ^ distance, 2 * distance);
  put_send(out, peer, schedule_out(own.first), own.n);
  put_recv(out, peer, schedule_out(others.first), others.n);
}

static void steps(const schedule_call_t *c, rest_t rest, int rank, int64_t round,
                  schedule_steps_t *out)
{
  int place = folded_place(c, rank, true), folds = folded_pairs(c) > 0;
  int64_t last = allreduce_parts_rounds(c) - 1;
  bool paired = rank < 2 * folded_pairs(c);
  if (round == 0 && !paired) put_copy(out, schedule_out(0), schedule_in(0), c->count);
  if (c->size == 1) return;
  if (folds && round == 0) {
    if (paired) fold(c, rank, out);
  } else if (folds && round == last) {
    if (paired) unfold(c, rank, out);
  } else if (place >= 0) {
    exchange(c, rest, place, (int)round - folds, out);
  }
}

static int64_t scratch(const schedule_call_t *c, rest_t rest, int rank)
{
  if (c->size == 1 || folded_place(c, rank, true) < 0) return 0;
  return rank < 2 * folded_pairs(c) ? c->count : halved_before(c, rest, rest == REST_TO_LAST, 2).n;
}

void allreduce_parts_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  steps(c, REST_TO_FIRST, rank, round, out);
}

int64_t allreduce_parts_scratch(const schedule_call_t *c, int rank)
{
  return scratch(c, REST_TO_FIRST, rank);
}

int64_t allreduce_parts_rest_last_rounds(const schedule_call_t *c)
{
  return allreduce_parts_rounds(c);
}

void allreduce_parts_rest_last_steps(const schedule_call_t *c, int rank, int64_t round,
                                     schedule_steps_t *out)
{
  steps(c, REST_TO_LAST, rank, round, out);
}

int64_t allreduce_parts_rest_last_scratch(const schedule_call_t *c, int rank)
{
  return scratch(c, REST_TO_LAST, rank);
}
