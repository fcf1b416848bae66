/* SPDX-License-Identifier: BSD-3-Clause */
/* Scatter and scatterv: the root sends to all.
 * Open MPI 4.1, ompi_coll_base_scatter_intra_basic_linear and mca_coll_basic_scatterv_intra; MPICH
 * 4.0, MPIR_Scatterv_allcomm_linear. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t scatter_linear_rounds(const schedule_call_t *c)
{
  (void)c;
  return 1;
}

void scatter_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  (void)round;
  if (rank != c->root) {
    put_recv(out, c->root, schedule_out(0), block_size(c, rank));
    return;
  }
  put_copy(out, schedule_out(0), schedule_in(block_first(c, rank)), block_size(c, rank));
  for (int r = 0; r < c->size; r++)
    if (r != rank) put_send(out, r, schedule_in(block_first(c, r)), block_size(c, r));
}
