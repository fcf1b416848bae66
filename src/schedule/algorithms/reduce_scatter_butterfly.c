/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter and …_block: neighbours exchange halves first, so that operands stay in order;
 * then each block is where the bits of its place are in reverse (Traff 2005). Equal blocks of a
 * power of two can be laid out in that order before, otherwise they travel once more. The sum lies
 * in scratch space, and behind it what comes. Open MPI 4.1,
 * ompi_coll_base_reduce_scatter_block_intra_butterfly, and …_reduce_scatter_intra_butterfly, where
 * blocks always travel; MPICH 4.0, MPIR_Reduce_scatter_block_intra_noncommutative and
 * MPIR_Reduce_scatter_intra_noncommutative. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/put_steps.h"

static int reversed(const schedule_call_t *c, int place)
{
  int bits = 0;
  for (int i = floor_log(c->size); i > 0; i--, place >>= 1) bits = 2 * bits + place % 2;
  return bits;
}

/* Rounds of the halving, with the one before it that makes pairs one. */
static int64_t rounds_of_sums(const schedule_call_t *c)
{
  return floor_log(c->size) + (folded_pairs(c) > 0);
}

/* The first of the places that are the place's before the exchange of this bit. */
static int first_place(const schedule_call_t *c, int place, int bit)
{
  int first = 0, n = floor_power(c->size);
  for (int i = 0; i < bit; i++) first += (n >>= 1) * (place >> i & 1);
  return first;
}

static void exchange(const schedule_call_t *c, int place, int bit, schedule_steps_t *out)
{
  int peer = place ^ 1 << bit, rank = folded_rank(c, peer, true);
  int n = floor_power(c->size) >> (bit + 1);
  int own = first_place(c, place, bit + 1), others = first_place(c, peer, bit + 1);
  int64_t size = folded_size(c, own, n);
  schedule_place_t at = schedule_scratch_at(folded_begin(c, own)),
                   got = schedule_scratch_at(block_total(c));
  put_send(out, rank, schedule_scratch_at(folded_begin(c, others)), folded_size(c, others, n));
  put_recv(out, rank, got, size);
  (place < peer ? put_reduce : put_reduce_left)(out, at, got, size);
}

/* After, a place's blocks go to whom they belong: one rank or two. */
static void bring_home(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  int place = folded_place(c, rank, true), other = reversed(c, place < 0 ? rank / 2 : place);
  int peer = folded_rank(c, other, true);
  int64_t n = block_size(c, rank);
  schedule_place_t others = schedule_scratch_at(block_first(c, peer));
  if (place < 0) {
    put_recv(out, peer, schedule_out(0), n);
    return;
  }
  if (other < folded_pairs(c))
    put_send(out, peer - 1, schedule_scratch_at(block_first(c, peer - 1)), block_size(c, peer - 1));
  if (peer == rank) {
    put_copy(out, schedule_out(0), others, n);
    return;
  }
  put_send(out, peer, others, block_size(c, peer));
  put_recv(out, peer, schedule_out(0), n);
}

static void lay_out(const schedule_call_t *c, bool travel, schedule_steps_t *out)
{
  if (travel) {
    put_copy(out, schedule_scratch_at(0), schedule_in(0), block_total(c));
    return;
  }
  for (int i = 0; i < c->size && !out->messages_only; i++)
    put_copy(out, schedule_scratch_at(block_first(c, reversed(c, i))),
             schedule_in(block_first(c, i)), block_size(c, i));
}

/* `travel`: the blocks do so in the end. */
static int64_t rounds(const schedule_call_t *c, bool travel)
{
  return c->size > 1 ? rounds_of_sums(c) + travel : 1;
}

static void steps(const schedule_call_t *c, bool travel, int rank, int64_t round,
                  schedule_steps_t *out)
{
  int pairs = folded_pairs(c), place = folded_place(c, rank, true);
  int64_t step = round - (pairs > 0), sums = rounds_of_sums(c);
  if (round == 0 && place >= 0) lay_out(c, travel, out);
  if (step < 0) {
    if (rank < 2 * pairs) folded_give_all(c, rank, out);
  } else if (round < sums) {
    if (place >= 0) exchange(c, place, (int)step, out);
  } else if (travel) {
    bring_home(c, rank, out);
  }
  if (!travel && round == rounds(c, travel) - 1)
    put_copy(out, schedule_out(0), schedule_scratch_at(block_first(c, reversed(c, rank))),
             block_size(c, rank));
}

int64_t reduce_scatter_butterfly_rounds(const schedule_call_t *c)
{
  return rounds(c, folded_pairs(c) > 0);
}

void reduce_scatter_butterfly_steps(const schedule_call_t *c, int rank, int64_t round,
                                    schedule_steps_t *out)
{
  steps(c, folded_pairs(c) > 0, rank, round, out);
}

int64_t reduce_scatter_butterfly_scratch(const schedule_call_t *c, int rank)
{
  return folded_place(c, rank, true) >= 0 ? 2 * block_total(c) : 0;
}

int64_t reduce_scatter_travel_rounds(const schedule_call_t *c) { return rounds(c, true); }

void reduce_scatter_travel_steps(const schedule_call_t *c, int rank, int64_t round,
                                 schedule_steps_t *out)
{
  steps(c, true, rank, round, out);
}

int64_t reduce_scatter_travel_scratch(const schedule_call_t *c, int rank)
{
  return reduce_scatter_butterfly_scratch(c, rank);
}
