/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv: ranks 1, 2, 4, … apart exchange all that their groups have. Powers of
 * two: Open MPI 4.1, ompi_coll_base_allgather_intra_recursivedoubling, with two ranks also
 * …_two_procs and …_allgatherv_intra_two_procs; MPICH 4.0, MPIR_Allgather_intra_recursive_doubling
 * and MPIR_Allgatherv_intra_recursive_doubling. MPICH's code knows other sizes, but is never called
 * for them. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t allgather_doubling_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? floor_log(c->size) : 1;
}

void allgather_doubling_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  int distance = 1 << round, peer = rank ^ distance, own = rank & -distance;
  int others = own ^ distance;
  if (round == 0)
    put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
  if (c->size == 1) return;
  put_send(out, peer, schedule_out(block_first(c, own)), blocks_size(c, own, distance));
  put_recv(out, peer, schedule_out(block_first(c, others)), blocks_size(c, others, distance));
}
