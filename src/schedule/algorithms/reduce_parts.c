/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction: odd ranks of the first pairs give all to the even ones; those left halve what they
 * reduce, and the parts are gathered along a binomial tree. If the root was one of the odd ranks,
 * rank 0 gives it its part and its place. MPICH 4.0, MPIR_Reduce_intra_reduce_scatter_gather and
 * …_Ireduce_intra_sched_…, from an element a part on; they differ in the sizes of parts. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/algorithms/halved_parts.h"

/* The root gave its block away, and comes back. */
static bool root_returns(const schedule_call_t *c) { return folded_place(c, c->root, false) < 0; }

int64_t reduce_parts_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * floor_log(c->size) + (folded_pairs(c) > 0) + root_returns(c) : 1;
}

static schedule_place_t sum_at(const schedule_call_t *c, int rank, int64_t first)
{
  return rank == c->root ? schedule_out(first) : schedule_scratch_at(first);
}

/* Behind the sum. */
static schedule_place_t got_at(const schedule_call_t *c, int rank)
{
  return schedule_scratch_at(rank == c->root ? 0 : c->count);
}

static void fold(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  if (rank % 2) {
    put_send(out, rank - 1, schedule_in(0), c->count);
    return;
  }
  put_recv(out, rank + 1, got_at(c, rank), c->count);
  put_reduce(out, sum_at(c, rank, 0), got_at(c, rank), c->count);
}

static void return_root(const schedule_call_t *c, rest_t rest, int rank, schedule_steps_t *out)
{
  halved_t part = halved_before(c, rest, 0, floor_power(c->size));
  if (rank == 0) put_send(out, c->root, sum_at(c, rank, 0), part.n);
  if (rank == c->root) put_recv(out, 0, schedule_out(0), part.n);
}

/* --- the gather --- */

/* Places and ranks while parts are gathered. */
static int gather_place(const schedule_call_t *c, int rank)
{
  if (root_returns(c) && (rank == 0 || rank == c->root)) return rank == c->root ? 0 : -1;
  return folded_place(c, rank, false);
}

static int gather_rank(const schedule_call_t *c, int place)
{
  return root_returns(c) && place == 0 ? c->root : folded_rank(c, place, false);
}

/* Places that differ from the root's in the distance's bit send what they have, unless they have
 * done so before. */
static void gather(const schedule_call_t *c, rest_t rest, int rank, int distance,
                   schedule_steps_t *out)
{
  int place = gather_place(c, rank), peer = place ^ distance;
  int apart = place ^ gather_place(c, c->root);
  if (place < 0 || apart >= 2 * distance) return;
  bool sends = apart & distance;
  halved_t p = halved_before(c, rest, sends ? place : peer, 2 * distance);
  if (sends)
    put_send(out, gather_rank(c, peer), sum_at(c, rank, p.first), p.n);
  else
    put_recv(out, gather_rank(c, peer), sum_at(c, rank, p.first), p.n);
}

/* --- all --- */

static void steps(const schedule_call_t *c, rest_t rest, int rank, int64_t round,
                  schedule_steps_t *out)
{
  int place = folded_place(c, rank, false), levels = floor_log(c->size);
  int64_t level = round - (folded_pairs(c) > 0), left = reduce_parts_rounds(c) - 1 - round;
  if (round == 0 && place >= 0) put_copy(out, sum_at(c, rank, 0), schedule_in(0), c->count);
  if (c->size == 1) return;
  if (level < 0) {
    if (rank < 2 * folded_pairs(c)) fold(c, rank, out);
  } else if (level < levels) {
    int distance = 1 << level, peer = folded_rank(c, place ^ distance, false);
    if (place >= 0)
      put_halving(c, rest, place, distance, peer, sum_at(c, rank, 0), got_at(c, rank), out);
  } else if (left < levels) {
    gather(c, rest, rank, 1 << left, out);
  } else {
    return_root(c, rest, rank, out);
  }
}

static int64_t scratch(const schedule_call_t *c, rest_t rest, int rank)
{
  if (c->size == 1 || folded_place(c, rank, false) < 0) return 0;
  int64_t got =
      rank < 2 * folded_pairs(c) ? c->count : halved_before(c, rest, rest == REST_TO_LAST, 2).n;
  return got_at(c, rank).first + got;
}

void reduce_parts_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  steps(c, REST_TO_FIRST, rank, round, out);
}

int64_t reduce_parts_scratch(const schedule_call_t *c, int rank)
{
  return scratch(c, REST_TO_FIRST, rank);
}

int64_t reduce_parts_rest_last_rounds(const schedule_call_t *c) { return reduce_parts_rounds(c); }

void reduce_parts_rest_last_steps(const schedule_call_t *c, int rank, int64_t round,
                                  schedule_steps_t *out)
{
  steps(c, REST_TO_LAST, rank, round, out);
}

int64_t reduce_parts_rest_last_scratch(const schedule_call_t *c, int rank)
{
  return scratch(c, REST_TO_LAST, rank);
}
