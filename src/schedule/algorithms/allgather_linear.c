/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv: each rank sends its block to all others at once.
 * Open MPI 4.1, allgather_sched_linear and nbc_allgatherv_init, of nonblocking calls. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t allgather_linear_rounds(const schedule_call_t *c)
{
  (void)c;
  return 1;
}

void allgather_linear_steps(const schedule_call_t *c, int rank, int64_t round,
                            schedule_steps_t *out)
{
  (void)round;
  put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
  for (int i = 1; i < c->size; i++) {
    int to = around(c, rank, i), from = around(c, rank, -i);
    put_send(out, to, schedule_in(0), block_size(c, rank));
    put_recv(out, from, schedule_out(block_first(c, from)), block_size(c, from));
  }
}
