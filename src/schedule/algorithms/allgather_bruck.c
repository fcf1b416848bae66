/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather: each rank gets blocks from the one 1, 2, 4, … ahead, and turns them at the end (Bruck
 * and others 1997). Open MPI 4.1, ompi_coll_base_allgather_intra_bruck; MPICH 4.0,
 * MPIR_Allgather_intra_brucks. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t allgather_bruck_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? ceil_log(c->size) : 1;
}

void allgather_bruck_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int distance = 1 << round, rest = c->size - distance;
  int64_t n = (distance < rest ? distance : rest) * c->count, ahead = c->size - rank;
  if (round == 0) put_copy(out, schedule_scratch_at(0), schedule_in(0), c->count);
  if (c->size > 1) {
    put_send(out, around(c, rank, -distance), schedule_scratch_at(0), n);
    put_recv(out, around(c, rank, distance), schedule_scratch_at(distance * c->count), n);
  }
  if (round < allgather_bruck_rounds(c) - 1) return;
  put_copy(out, schedule_out(rank * c->count), schedule_scratch_at(0), ahead * c->count);
  put_copy(out, schedule_out(0), schedule_scratch_at(ahead * c->count), rank * c->count);
}

int64_t allgather_bruck_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size * c->count;
}
