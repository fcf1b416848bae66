/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall: all messages at once, from the next rank on.
 * Open MPI 4.1, ompi_coll_base_alltoall_intra_basic_linear; MPICH 4.0,
 * MPIR_Alltoall_intra_scattered, which sends also to itself, and has at most
 * MPIR_CVAR_ALLTOALL_THROTTLE (32) messages under way. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t alltoall_linear_rounds(const schedule_call_t *c)
{
  (void)c;
  return 1;
}

void alltoall_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  (void)round;
  put_copy(out, schedule_out(rank * c->count), schedule_in(rank * c->count), c->count);
  for (int i = 1; i < c->size; i++) {
    int64_t peer = around(c, rank, i);
    put_recv(out, (int)peer, schedule_out(peer * c->count), c->count);
  }
  for (int i = 1; i < c->size; i++) {
    int64_t peer = around(c, rank, -i);
    put_send(out, (int)peer, schedule_in(peer * c->count), c->count);
  }
}
