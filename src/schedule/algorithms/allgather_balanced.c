/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv in a balanced ring. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/balanced_ring.h"

int64_t allgather_balanced_rounds(const schedule_call_t *c) { return balanced_rounds(c); }

void allgather_balanced_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  balanced_part_t part;
  int before = around(c, rank, -1);
  if (round == 0)
    put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
  if (c->size == 1) return;
  for (int64_t at = 0; balanced_next(c, rank, round, &at, &part);)
    put_send(out, around(c, rank, 1), schedule_out(part.first), part.n);
  for (int64_t at = 0; balanced_next(c, before, round, &at, &part);)
    put_recv(out, before, schedule_out(part.first), part.n);
}

int64_t allgather_balanced_alike(const schedule_call_t *c, int64_t round)
{
  return balanced_alike(c, round);
}
