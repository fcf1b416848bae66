/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier: all tell rank 0, which tells all.
 * Open MPI 4.1, ompi_coll_base_barrier_intra_basic_linear. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t barrier_linear_rounds(const schedule_call_t *c) { return c->size > 1 ? 2 : 0; }

void barrier_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int first = rank ? 0 : 1, end = rank ? 1 : c->size;
  for (int peer = first; peer < end; peer++)
    if ((round == 0) == (rank != 0))
      put_send(out, peer, schedule_in(0), 0);
    else
      put_recv(out, peer, schedule_out(0), 0);
}
