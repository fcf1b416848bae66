/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall: blocks go 1, 2, 4, … ranks ahead, those together whose distance has that bit (Bruck and
 * others 1997). Scratch space holds the blocks by distance, and behind them a message each way.
 * Open MPI 4.1, ompi_coll_base_alltoall_intra_bruck; MPICH 4.0, MPIR_Alltoall_intra_brucks. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t alltoall_bruck_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? ceil_log(c->size) : 1;
}

/* Block `distance` of a message of those with a bit. */
static int packed_at(int distance, int bit) { return distance / (2 * bit) * bit + distance % bit; }

static int packed_blocks(const schedule_call_t *c, int bit)
{
  int whole = c->size / (2 * bit) * bit, rest = c->size % (2 * bit) - bit;
  return whole + (rest > 0 ? rest : 0);
}

/* Copies blocks that have the bit into the message at `packed`, or out of it. */
static void pack(const schedule_call_t *c, int bit, int packed, bool back, schedule_steps_t *out)
{
  for (int distance = 1; distance < c->size && !out->messages_only; distance++) {
    if (!(distance & bit)) continue;
    schedule_place_t block = schedule_scratch_at(distance * c->count);
    schedule_place_t at = schedule_scratch_at((packed + packed_at(distance, bit)) * c->count);
    put_copy(out, back ? block : at, back ? at : block, c->count);
  }
}

/* The input by distance. */
static void turn(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  int ahead = c->size - rank;
  put_copy(out, schedule_scratch_at(0), schedule_in(rank * c->count), ahead * c->count);
  put_copy(out, schedule_scratch_at(ahead * c->count), schedule_in(0), rank * c->count);
}

void alltoall_bruck_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int bit = 1 << round, blocks = packed_blocks(c, bit), sent = c->size, got = sent + c->size;
  if (round == 0) turn(c, rank, out);
  if (c->size > 1) {
    pack(c, bit, sent, false, out);
    put_send(out, around(c, rank, bit), schedule_scratch_at(sent * c->count), blocks * c->count);
    put_recv(out, around(c, rank, -bit), schedule_scratch_at(got * c->count), blocks * c->count);
    pack(c, bit, got, true, out);
  }
  if (round < alltoall_bruck_rounds(c) - 1 || out->messages_only) return;
  for (int distance = 0; distance < c->size; distance++)
    put_copy(out, schedule_out(around(c, rank, -distance) * c->count),
             schedule_scratch_at(distance * c->count), c->count);
}

int64_t alltoall_bruck_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return 3 * c->size * c->count;
}
