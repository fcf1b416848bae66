/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter: partial sums go from both ends of a linear array to the rank of their block
 * (array_blocks.h). Operands keep the order of ranks. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/array_blocks.h"
#include "schedule/call_block.h"

int64_t reduce_scatter_array_rounds(const schedule_call_t *c) { return array_rounds(c); }

void reduce_scatter_array_steps(const schedule_call_t *c, int rank, int64_t round,
                                schedule_steps_t *out)
{
  array_sum_up(c, block_first, block_most(c), rank, round, schedule_out(0), out);
}

int64_t reduce_scatter_array_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? 4 * block_most(c) : 0;
}
