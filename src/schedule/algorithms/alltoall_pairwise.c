/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall: in round i each rank sends to the one i ahead and gets from the one i behind.
 * Open MPI 4.1, ompi_coll_base_alltoall_intra_pairwise, with two ranks also …_two_procs; MPICH
 * 4.0, MPIR_Alltoall_intra_pairwise, unless the size is a power of two. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t alltoall_pairwise_rounds(const schedule_call_t *c) { return c->size > 1 ? c->size - 1 : 1; }

void alltoall_pairwise_steps(const schedule_call_t *c, int rank, int64_t round,
                             schedule_steps_t *out)
{
  int64_t to = around(c, rank, round + 1), from = around(c, rank, -round - 1);
  if (round == 0)
    put_copy(out, schedule_out(rank * c->count), schedule_in(rank * c->count), c->count);
  if (c->size == 1) return;
  put_send(out, (int)to, schedule_in(to * c->count), c->count);
  put_recv(out, (int)from, schedule_out(from * c->count), c->count);
}
