/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter in a balanced ring. Sums lie in scratch space, where their blocks would. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/balanced_ring.h"

int64_t reduce_scatter_balanced_rounds(const schedule_call_t *c) { return balanced_rounds(c); }

/* What came in this round is reduced, and is complete if it is of the rank's own block. */
static void reduce(const schedule_call_t *c, int rank, const balanced_part_t *part,
                   schedule_steps_t *out)
{
  schedule_place_t sum = schedule_scratch_at(part->first);
  put_reduce(out, sum, schedule_in(part->first), part->n);
  if (part->block == rank)
    put_copy(out, schedule_out(part->first - block_first(c, rank)), sum, part->n);
}

void reduce_scatter_balanced_steps(const schedule_call_t *c, int rank, int64_t round,
                                   schedule_steps_t *out)
{
  balanced_part_t part;
  int before = around(c, rank, -1), next = around(c, rank, 1);
  int64_t back = balanced_rounds(c) - 1 - round;
  if (c->size == 1) put_copy(out, schedule_out(0), schedule_in(0), block_size(c, 0));
  if (c->size == 1) return;
  for (int64_t at = 0; balanced_next(c, before, back, &at, &part);) {
    bool begins = part.block == next; /* nobody has reduced anything of it yet */
    put_send(out, before, begins ? schedule_in(part.first) : schedule_scratch_at(part.first),
             part.n);
  }
  for (int64_t at = 0; balanced_next(c, rank, back, &at, &part);)
    put_recv(out, next, schedule_scratch_at(part.first), part.n);
  for (int64_t at = 0; balanced_next(c, rank, back, &at, &part);) reduce(c, rank, &part, out);
}

int64_t reduce_scatter_balanced_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? block_total(c) : 0;
}

int64_t reduce_scatter_balanced_alike(const schedule_call_t *c, int64_t round)
{
  return balanced_alike(c, round);
}
