/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier: up a binomial tree to rank 0, and down again.
 * Open MPI 4.1, ompi_coll_base_barrier_intra_tree. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t barrier_tree_rounds(const schedule_call_t *c) { return 2 * ceil_log(c->size); }

void barrier_tree_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int levels = ceil_log(c->size);
  bool up = round < levels;
  int jump = 1 << (up ? round : 2 * levels - 1 - round), peer = rank ^ jump;
  if ((peer & (jump - 1)) || peer >= c->size) return;
  if (up == (peer < rank))
    put_send(out, peer, schedule_in(0), 0);
  else
    put_recv(out, peer, schedule_out(0), 0);
}
