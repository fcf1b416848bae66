/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: ranks 1, 2, 4, … apart exchange the reduction of their groups, which lies in scratch space,
 * and behind it what comes.
 * Open MPI 4.1, ompi_coll_base_scan_intra_recursivedoubling; MPICH 4.0,
 * MPIR_Scan_intra_recursive_doubling. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t scan_doubling_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? ceil_log(c->size) : 1;
}

void scan_doubling_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  schedule_place_t group = schedule_scratch_at(0), got = schedule_scratch_at(c->count);
  int peer = rank ^ (1 << round);
  if (round == 0) {
    put_copy(out, schedule_out(0), schedule_in(0), c->count);
    if (c->size > 1) put_copy(out, group, schedule_in(0), c->count);
  }
  if (peer >= c->size) return;
  put_send(out, peer, group, c->count);
  put_recv(out, peer, got, c->count);
  if (peer > rank) {
    put_reduce(out, group, got, c->count);
  } else {
    put_reduce_left(out, schedule_out(0), got, c->count);
    put_reduce_left(out, group, got, c->count);
  }
}

int64_t scan_doubling_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? 2 * c->count : 0;
}
