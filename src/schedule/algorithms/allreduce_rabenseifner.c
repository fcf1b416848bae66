/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: a reduction that scatters by halving parts, and a gather that doubles them
 * (Rabenseifner 2004). Open MPI 4.1, ompi_coll_base_allreduce_intra_redscat_allgather. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/halved_block.h"

int64_t allreduce_rabenseifner_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * floor_log(c->size) + 3 * (folded_pairs(c) > 0) : 1;
}

static void double_over(const halved_t *h, int place, int distance, schedule_steps_t *out)
{
  int peer = folded_rank(h->call, place ^ distance, false);
  part_t p = part_at(h->call, place, distance);
  part_send(h, peer, half_of(p, place, distance), out);
  part_recv(h, peer, half_of(p, place ^ distance, distance), out);
}

static void unfold(const halved_t *h, int rank, schedule_steps_t *out)
{
  part_t all = {0, h->call->count};
  if (rank % 2 == 0)
    part_send(h, rank + 1, all, out);
  else
    part_recv(h, rank - 1, all, out);
}

void allreduce_rabenseifner_steps(const schedule_call_t *c, int rank, int64_t round,
                                  schedule_steps_t *out)
{
  halved_t h = {c, schedule_out(0), schedule_scratch_at(0)};
  int levels = floor_log(c->size), place = folded_place(c, rank, false);
  int64_t step = round - fold_rounds(c);
  bool paired = rank < 2 * folded_pairs(c);
  if (round == 0) put_copy(out, schedule_out(0), schedule_in(0), c->count);
  if (step < 0) {
    if (paired) fold_halves(&h, rank, round, out);
  } else if (step < levels) {
    if (place >= 0) halve_over(&h, place, 1 << step, out);
  } else if (step < 2 * levels) {
    if (place >= 0) double_over(&h, place, 1 << (2 * levels - 1 - step), out);
  } else if (paired) {
    unfold(&h, rank, out);
  }
}

int64_t allreduce_rabenseifner_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? c->count - c->count / 2 : 0;
}
