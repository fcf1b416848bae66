/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv: each block goes both ways along a linear array (array_blocks.h). */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/array_blocks.h"
#include "schedule/call_block.h"

int64_t allgather_array_rounds(const schedule_call_t *c) { return array_rounds(c); }

void allgather_array_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  if (round == 0)
    put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
  array_spread(c, block_first, rank, round, out);
}
