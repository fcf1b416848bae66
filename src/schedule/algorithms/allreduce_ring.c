/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: parts go round the ring and are reduced on the way, then go round again complete.
 * Open MPI 4.1, ompi_coll_base_allreduce_intra_ring: a rank first sends the part of its own number.
 * Open MPI 4.1, libnbc's allred_sched_ring: it first sends that of the next rank. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/even_parts.h"
#include "schedule/put_steps.h"

int64_t allreduce_ring_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * (c->size - 1) : 1;
}

/* A part of the rank's own is copied when it is needed. */
static void put_own(const schedule_call_t *c, int64_t part, schedule_steps_t *out)
{
  int64_t first = even_first(c, part);
  put_copy(out, schedule_out(first), schedule_in(first), even_size(c, part));
}

/* In round 0 a rank sends the part of the rank so far ahead. */
static void steps(const schedule_call_t *c, int ahead, int rank, int64_t round,
                  schedule_steps_t *out)
{
  int64_t sent = around(c, rank, ahead - round % c->size);
  int64_t got = around(c, (int)sent, -1), n = even_size(c, got);
  bool reduces = round < c->size - 1;
  if (round == 0) put_own(c, sent, out);
  if (c->size == 1) return;
  put_send(out, around(c, rank, 1), schedule_out(even_first(c, sent)), even_size(c, sent));
  put_recv(out, around(c, rank, -1),
           reduces ? schedule_scratch_at(0) : schedule_out(even_first(c, got)), n);
  if (!reduces) return;
  put_own(c, got, out);
  put_reduce_left(out, schedule_out(even_first(c, got)), schedule_scratch_at(0), n);
}

void allreduce_ring_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  steps(c, 0, rank, round, out);
}

int64_t allreduce_ring_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? even_size(c, 0) : 0;
}

/* All rounds are, if all parts are equal. */
int64_t allreduce_ring_alike(const schedule_call_t *c, int64_t round)
{
  return c->count % c->size == 0 ? allreduce_ring_rounds(c) - round : 1;
}

int64_t allreduce_ring_next_rounds(const schedule_call_t *c) { return allreduce_ring_rounds(c); }

void allreduce_ring_next_steps(const schedule_call_t *c, int rank, int64_t round,
                               schedule_steps_t *out)
{
  steps(c, 1, rank, round, out);
}

int64_t allreduce_ring_next_scratch(const schedule_call_t *c, int rank)
{
  return allreduce_ring_scratch(c, rank);
}

int64_t allreduce_ring_next_alike(const schedule_call_t *c, int64_t round)
{
  return allreduce_ring_alike(c, round);
}
