/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather: ranks 1, 2, 4, … apart exchange all that they have.
 * Open MPI 4.1, ompi_coll_base_allgather_intra_recursivedoubling, with two ranks also …_two_procs.
 */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t allgather_doubling_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? ceil_log(c->size) : 1;
}

void allgather_doubling_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  int distance = 1 << round, peer = rank ^ distance;
  int64_t own = rank & -distance, others = peer & -distance;
  if (round == 0) put_copy(out, schedule_out(rank * c->count), schedule_in(0), c->count);
  if (c->size == 1) return;
  put_send(out, peer, schedule_out(own * c->count), distance * c->count);
  put_recv(out, peer, schedule_out(others * c->count), distance * c->count);
}
