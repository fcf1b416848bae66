/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier: each rank tells the one 1, 2, 4, … ahead (Bruck and others 1997, dissemination).
 * Open MPI 4.1, ompi_coll_base_barrier_intra_bruck; MPICH 4.0, MPIR_Barrier_intra_dissemination. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t barrier_bruck_rounds(const schedule_call_t *c) { return ceil_log(c->size); }

void barrier_bruck_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int distance = 1 << round;
  put_send(out, around(c, rank, distance), schedule_in(0), 0);
  put_recv(out, around(c, rank, -distance), schedule_out(0), 0);
}
