/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier: a message goes round the ring twice.
 * Open MPI 4.1, ompi_coll_base_barrier_intra_doublering. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t barrier_ring_rounds(const schedule_call_t *c) { return c->size > 1 ? 2 * c->size : 0; }

void barrier_ring_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int sender = (int)(round % c->size);
  if (rank == sender) put_send(out, around(c, rank, 1), schedule_in(0), 0);
  if (rank == around(c, sender, 1)) put_recv(out, sender, schedule_out(0), 0);
}

int64_t barrier_ring_next(const schedule_call_t *c, int rank, int64_t round)
{
  int64_t again = (int64_t)rank + c->size;
  return round <= rank ? next_of(rank, rank + 1, round) : next_of(again, again + 1, round);
}
