/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter_block: neighbours exchange halves first, so that operands stay in order; then each
 * block is where the bits of its place are in reverse (Traff 2005). With a power of two the blocks
 * are laid out in that order before, otherwise they travel once more. The sum lies in scratch
 * space, and behind it what comes. Open MPI 4.1,
 * ompi_coll_base_reduce_scatter_block_intra_butterfly; MPICH 4.0,
 * MPIR_Reduce_scatter_block_intra_noncommutative. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/put_steps.h"

static int reversed(const schedule_call_t *c, int place)
{
  int bits = 0;
  for (int i = floor_log(c->size); i > 0; i--, place >>= 1) bits = 2 * bits + place % 2;
  return bits;
}

int64_t reduce_scatter_butterfly_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? floor_log(c->size) + 2 * (folded_pairs(c) > 0) : 1;
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
  schedule_place_t at = schedule_scratch_at(folded_first(c, own) * c->count),
                   got = schedule_scratch_at(c->size * c->count);
  put_send(out, rank, schedule_scratch_at(folded_first(c, others) * c->count),
           folded_size(c, others, n));
  put_recv(out, rank, got, size);
  (place < peer ? put_reduce : put_reduce_left)(out, at, got, size);
}

/* After, a place's blocks go to whom they belong: one rank or two. */
static void bring_home(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  int place = folded_place(c, rank, true), other = reversed(c, place < 0 ? rank / 2 : place);
  int peer = folded_rank(c, other, true);
  int64_t first = folded_first(c, other) * c->count;
  if (place < 0) {
    put_recv(out, peer, schedule_out(0), c->count);
    return;
  }
  if (other < folded_pairs(c)) {
    put_send(out, peer - 1, schedule_scratch_at(first), c->count);
    first += c->count;
  }
  if (peer == rank) {
    put_copy(out, schedule_out(0), schedule_scratch_at(first), c->count);
    return;
  }
  put_send(out, peer, schedule_scratch_at(first), c->count);
  put_recv(out, peer, schedule_out(0), c->count);
}

static void lay_out(const schedule_call_t *c, schedule_steps_t *out)
{
  if (folded_pairs(c) > 0) {
    put_copy(out, schedule_scratch_at(0), schedule_in(0), c->size * c->count);
    return;
  }
  for (int i = 0; i < c->size; i++)
    put_copy(out, schedule_scratch_at(reversed(c, i) * c->count), schedule_in(i * c->count),
             c->count);
}

void reduce_scatter_butterfly_steps(const schedule_call_t *c, int rank, int64_t round,
                                    schedule_steps_t *out)
{
  int pairs = folded_pairs(c), levels = floor_log(c->size), place = folded_place(c, rank, true);
  int64_t step = round - (pairs > 0);
  if (round == 0 && place >= 0) lay_out(c, out);
  if (step < 0) {
    if (rank < 2 * pairs) folded_give_all(c, rank, out);
  } else if (step < levels && place >= 0) {
    exchange(c, place, (int)step, out);
  } else if (step >= levels && pairs > 0) {
    bring_home(c, rank, out);
  }
  if (pairs == 0 && step >= levels - 1)
    put_copy(out, schedule_out(0), schedule_scratch_at(reversed(c, rank) * c->count), c->count);
}

int64_t reduce_scatter_butterfly_scratch(const schedule_call_t *c, int rank)
{
  return folded_place(c, rank, true) >= 0 ? 2 * c->size * c->count : 0;
}
