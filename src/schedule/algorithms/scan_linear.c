/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: each rank waits for the one before.
 * Open MPI 4.1, ompi_coll_base_scan_intra_linear. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t scan_linear_rounds(const schedule_call_t *c) { return c->size > 1 ? c->size - 1 : 1; }

void scan_linear_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  if (round == 0) put_copy(out, schedule_out(0), schedule_in(0), c->count);
  if (c->size == 1) return;
  if (rank == round) put_send(out, rank + 1, schedule_out(0), c->count);
  if (rank != round + 1) return;
  put_recv(out, rank - 1, schedule_scratch_at(0), c->count);
  put_reduce_left(out, schedule_out(0), schedule_scratch_at(0), c->count);
}

int64_t scan_linear_scratch(const schedule_call_t *c, int rank) { return rank ? c->count : 0; }

int64_t scan_linear_next(const schedule_call_t *c, int rank, int64_t round)
{
  (void)c;
  return next_of(rank, rank + 1, round);
}
