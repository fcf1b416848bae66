/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather and gatherv: all send to the root.
 * Open MPI 4.1, ompi_coll_base_gather_intra_basic_linear and mca_coll_basic_gatherv_intra; MPICH
 * 4.0, MPIR_Gatherv_allcomm_linear, whose sends are synchronous from 32 ranks on. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t gather_linear_rounds(const schedule_call_t *c)
{
  (void)c;
  return 1;
}

void gather_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  (void)round;
  if (rank != c->root) {
    put_send(out, c->root, schedule_in(0), block_size(c, rank));
    return;
  }
  put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
  for (int r = 0; r < c->size; r++)
    if (r != rank) put_recv(out, r, schedule_out(block_first(c, r)), block_size(c, r));
}
