/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather: all send to the root.
 * Open MPI 4.1, ompi_coll_base_gather_intra_basic_linear. */
#include "schedule/algorithms/algorithms.h"
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
    put_send(out, c->root, schedule_in(0), c->count);
    return;
  }
  put_copy(out, schedule_out(rank * c->count), schedule_in(0), c->count);
  for (int r = 0; r < c->size; r++)
    if (r != rank) put_recv(out, r, schedule_out(r * c->count), c->count);
}
