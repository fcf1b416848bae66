/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather: ranks 1, 2, 4, … apart exchange all that their groups have. Powers of two: Open MPI
 * 4.1, ompi_coll_base_allgather_intra_recursivedoubling, with two ranks also …_two_procs; MPICH
 * 4.0, MPIR_Allgather_intra_recursive_doubling. Its code knows other sizes, but is never called for
 * them. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/node_blocks.h"

int64_t allgather_doubling_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? doubling_rounds(c) : 1;
}

void allgather_doubling_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  if (round == 0) put_copy(out, schedule_out(rank * c->count), schedule_in(0), c->count);
  node_blocks_t blocks = {c->count, c->size * c->count};
  if (c->size > 1) gather_doubling(c, blocks, rank, round, out);
}
