/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduction: scattered by halving parts, then gathered along a binomial tree (Rabenseifner 2004).
 * A root that folding left out takes the place of rank 0, whose part it gets first. Open MPI 4.1,
 * ompi_coll_base_reduce_intra_redscat_gather. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/halved_block.h"

/* Whether the root takes the place of rank 0. */
static bool replaces(const schedule_call_t *c) { return folded_place(c, c->root, false) < 0; }

int64_t reduce_rabenseifner_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * floor_log(c->size) + fold_rounds(c) + replaces(c) : 1;
}

static int gather_place(const schedule_call_t *c, int rank)
{
  if (!replaces(c)) return folded_place(c, rank, false);
  return rank == c->root ? 0 : rank == 0 ? -1 : folded_place(c, rank, false);
}

static void hand_over(const halved_t *h, int rank, schedule_steps_t *out)
{
  const schedule_call_t *c = h->call;
  part_t p = part_at(c, 0, floor_power(c->size));
  if (rank == 0) part_send(h, c->root, p, out);
  if (rank == c->root) part_recv(h, 0, p, out);
}

/* Those whose place has the root's higher bits are left; the one without its bit sends. */
static void gather_over(const halved_t *h, int place, int bit, schedule_steps_t *out)
{
  const schedule_call_t *c = h->call;
  int distance = 1 << bit, root = gather_place(c, c->root), other = place ^ distance;
  if (place >> (bit + 1) != root >> (bit + 1)) return;
  int peer = other == 0 && replaces(c) ? c->root : folded_rank(c, other, false);
  part_t p = part_at(c, place, distance);
  if ((place ^ root) & distance)
    part_send(h, peer, half_of(p, place, distance), out);
  else
    part_recv(h, peer, half_of(p, other, distance), out);
}

void reduce_rabenseifner_steps(const schedule_call_t *c, int rank, int64_t round,
                               schedule_steps_t *out)
{
  halved_t h = {c, schedule_scratch_at(0), schedule_scratch_at(c->count)};
  int levels = floor_log(c->size), place = folded_place(c, rank, false);
  int64_t step = round - fold_rounds(c), gathers = levels + replaces(c);
  if (round == 0) put_copy(out, schedule_scratch_at(0), schedule_in(0), c->count);
  if (step < 0) {
    if (rank < 2 * folded_pairs(c)) fold_halves(&h, rank, round, out);
  } else if (step < levels) {
    if (place >= 0) halve_over(&h, place, 1 << step, out);
  } else if (step < gathers) {
    hand_over(&h, rank, out);
  } else if (gather_place(c, rank) >= 0 && levels > 0) {
    gather_over(&h, gather_place(c, rank), (int)(gathers + levels - 1 - step), out);
  }
  if (round == reduce_rabenseifner_rounds(c) - 1 && rank == c->root)
    put_copy(out, schedule_out(0), schedule_scratch_at(0), c->count);
}

int64_t reduce_rabenseifner_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return 2 * c->count - c->count / 2;
}
