/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall and alltoallv: all messages at once, from the next rank on.
 * Open MPI 4.1, ompi_coll_base_alltoall_intra_basic_linear, and …_alltoallv_intra_basic_linear,
 * which begins with rank 0; MPICH 4.0, MPIR_Alltoall_intra_scattered, which sends also to itself,
 * and MPIR_Alltoallv_intra_scattered: they have at most MPIR_CVAR_ALLTOALL_THROTTLE (32) messages
 * under way. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t alltoall_linear_rounds(const schedule_call_t *c)
{
  (void)c;
  return 1;
}

void alltoall_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  (void)round;
  put_copy(out, schedule_out(got_first(c, rank, rank)), schedule_in(sent_first(c, rank, rank)),
           pair_size(c, rank, rank));
  for (int i = 1; i < c->size; i++) {
    int peer = around(c, rank, i);
    put_recv(out, peer, schedule_out(got_first(c, peer, rank)), pair_size(c, peer, rank));
  }
  for (int i = 1; i < c->size; i++) {
    int peer = around(c, rank, -i);
    put_send(out, peer, schedule_in(sent_first(c, rank, peer)), pair_size(c, rank, peer));
  }
}
