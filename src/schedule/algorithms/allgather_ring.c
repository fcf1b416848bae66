/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather: blocks go round the ring.
 * Open MPI 4.1, ompi_coll_base_allgather_intra_ring; MPICH 4.0, MPIR_Allgather_intra_ring. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t allgather_ring_rounds(const schedule_call_t *c) { return c->size > 1 ? c->size - 1 : 1; }

void allgather_ring_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  if (round == 0) put_copy(out, schedule_out(rank * c->count), schedule_in(0), c->count);
  if (c->size == 1) return;
  int64_t sent = around(c, rank, -round), got = around(c, rank, -round - 1);
  put_send(out, around(c, rank, 1), schedule_out(sent * c->count), c->count);
  put_recv(out, around(c, rank, -1), schedule_out(got * c->count), c->count);
}

int64_t allgather_ring_alike(const schedule_call_t *c, int64_t round)
{
  return allgather_ring_rounds(c) - round;
}
