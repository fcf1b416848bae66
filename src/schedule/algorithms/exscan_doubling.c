/* SPDX-License-Identifier: BSD-3-Clause */
/* Exclusive scan: as the scan, without the rank's own block in its result.
 * Open MPI 4.1, ompi_coll_base_exscan_intra_recursivedoubling; MPICH 4.0,
 * MPIR_Exscan_intra_recursive_doubling. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t exscan_doubling_rounds(const schedule_call_t *c) { return ceil_log(c->size); }

void exscan_doubling_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  schedule_place_t group = schedule_scratch_at(0), got = schedule_scratch_at(c->count);
  int bit = 1 << round, peer = rank ^ bit;
  bool first = (rank & (bit - 1)) == 0; /* nothing has come from lower ranks yet */
  if (round == 0) put_copy(out, group, schedule_in(0), c->count);
  if (peer >= c->size) return;
  put_send(out, peer, group, c->count);
  put_recv(out, peer, got, c->count);
  if (peer > rank) {
    put_reduce(out, group, got, c->count);
    return;
  }
  if (first)
    put_copy(out, schedule_out(0), got, c->count);
  else
    put_reduce_left(out, schedule_out(0), got, c->count);
  put_reduce_left(out, group, got, c->count);
}

int64_t exscan_doubling_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? 2 * c->count : 0;
}
