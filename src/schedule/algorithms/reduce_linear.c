/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction: all send to the root, which reduces in the order of ranks.
 * Open MPI 4.1, ompi_coll_base_reduce_intra_basic_linear. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t reduce_linear_rounds(const schedule_call_t *c)
{
  (void)c;
  return 1;
}

void reduce_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  (void)round;
  if (rank != c->root) {
    put_send(out, c->root, schedule_in(0), c->count);
    return;
  }
  for (int r = 0; r < c->size; r++)
    if (r != rank) put_recv(out, r, schedule_scratch_at(r * c->count), c->count);
  for (int r = c->size - 1; r >= 0; r--) {
    schedule_place_t from = r == rank ? schedule_in(0) : schedule_scratch_at(r * c->count);
    if (r == c->size - 1)
      put_copy(out, schedule_out(0), from, c->count);
    else
      put_reduce_left(out, schedule_out(0), from, c->count);
  }
}

int64_t reduce_linear_scratch(const schedule_call_t *c, int rank)
{
  return rank == c->root ? c->size * c->count : 0;
}
