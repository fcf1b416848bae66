/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv: each rank gets blocks from the one 1, 2, 4, … ahead, and turns them at
 * the end (Bruck and others 1997). Open MPI 4.1, ompi_coll_base_allgather_intra_bruck and
 * …_allgatherv_intra_bruck; MPICH 4.0, MPIR_Allgather_intra_brucks and …_Allgatherv_intra_brucks.
 */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t allgather_bruck_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? ceil_log(c->size) : 1;
}

void allgather_bruck_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int distance = 1 << round, rest = c->size - distance;
  int n = distance < rest ? distance : rest, from = around(c, rank, distance);
  int64_t before = block_first(c, rank), behind = block_total(c) - before;
  if (round == 0) put_copy(out, schedule_scratch_at(0), schedule_in(0), block_size(c, rank));
  if (c->size > 1) {
    put_send(out, around(c, rank, -distance), schedule_scratch_at(0), blocks_around(c, rank, n));
    put_recv(out, from, schedule_scratch_at(blocks_around(c, rank, distance)),
             blocks_around(c, from, n));
  }
  if (round < allgather_bruck_rounds(c) - 1) return;
  put_copy(out, schedule_out(before), schedule_scratch_at(0), behind);
  put_copy(out, schedule_out(0), schedule_scratch_at(behind), before);
}

int64_t allgather_bruck_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return block_total(c);
}
