/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall and alltoallv: in round i each rank sends to the one i ahead and gets from the one i
 * behind. Open MPI 4.1, ompi_coll_base_alltoall_intra_pairwise, with two ranks also …_two_procs,
 * and …_alltoallv_intra_pairwise; MPICH 4.0, MPIR_Alltoall_intra_pairwise, unless the size is a
 * power of two. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t alltoall_pairwise_rounds(const schedule_call_t *c) { return c->size > 1 ? c->size - 1 : 1; }

void alltoall_pairwise_steps(const schedule_call_t *c, int rank, int64_t round,
                             schedule_steps_t *out)
{
  int to = around(c, rank, round + 1), from = around(c, rank, -round - 1);
  if (round == 0)
    put_copy(out, schedule_out(got_first(c, rank, rank)), schedule_in(sent_first(c, rank, rank)),
             pair_size(c, rank, rank));
  if (c->size == 1) return;
  put_send(out, to, schedule_in(sent_first(c, rank, to)), pair_size(c, rank, to));
  put_recv(out, from, schedule_out(got_first(c, from, rank)), pair_size(c, from, rank));
}
