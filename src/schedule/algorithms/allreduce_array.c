/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: the vector has a part of each rank, which is reduced to its rank along a linear array
 * and goes back both ways (array_blocks.h). Operands keep the order of ranks. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/array_blocks.h"
#include "schedule/algorithms/even_parts.h"

int64_t allreduce_array_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * array_rounds(c) : 1;
}

void allreduce_array_steps(const schedule_call_t *c, int rank, int64_t round, schedule_steps_t *out)
{
  int64_t most = even_first(c, 1), half = array_rounds(c);
  if (round < half)
    array_sum_up(c, even_first, most, rank, round, schedule_out(even_first(c, rank)), out);
  else
    array_spread(c, even_first, rank, round - half, out);
}

int64_t allreduce_array_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? 4 * even_first(c, 1) : 0;
}
