/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: a reduction that scatters by halving parts, and a gather that doubles them
 * (Rabenseifner 2004). Of the ranks beyond the largest power of two, as many of the first reduce
 * one half each for their pair, whose even one goes on. Open MPI 4.1,
 * ompi_coll_base_allreduce_intra_redscat_allgather. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/folded_pairs.h"
#include "schedule/put_steps.h"

typedef struct part {
  int64_t first, n;
} part_t;

/* The half of a part that is the place's at an exchange over this distance; the larger half is the
 * right one. */
static part_t half_of(part_t p, int place, int distance)
{
  int64_t left = p.n / 2;
  return place & distance ? (part_t){p.first + left, p.n - left} : (part_t){p.first, left};
}

/* What is the place's before the exchange over a distance. */
static part_t part_at(const schedule_call_t *c, int place, int distance)
{
  part_t p = {0, c->count};
  for (int d = 1; d < distance; d *= 2) p = half_of(p, place, d);
  return p;
}

int64_t allreduce_rabenseifner_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * floor_log(c->size) + 3 * (folded_pairs(c) > 0) : 1;
}

/* --- pairs --- */

static void halve_pair(const schedule_call_t *c, int rank, schedule_steps_t *out)
{
  bool odd = rank % 2;
  part_t all = {0, c->count}, kept = half_of(all, odd, 1), given = half_of(all, !odd, 1);
  put_send(out, rank ^ 1, schedule_out(given.first), given.n);
  put_recv(out, rank ^ 1, schedule_scratch_at(0), kept.n);
  put_reduce(out, schedule_out(kept.first), schedule_scratch_at(0), kept.n);
}

/* The odd one's half, or everything, goes to the other. */
static void join_pair(int rank, part_t p, bool from_odd, schedule_steps_t *out)
{
  if ((rank % 2 == 1) == from_odd)
    put_send(out, rank ^ 1, schedule_out(p.first), p.n);
  else
    put_recv(out, rank ^ 1, schedule_out(p.first), p.n);
}

/* --- all --- */

static void exchange(const schedule_call_t *c, int place, int64_t step, schedule_steps_t *out)
{
  int levels = floor_log(c->size);
  bool scatters = step < levels;
  int distance = 1 << (scatters ? step : 2 * levels - 1 - step),
      peer = folded_rank(c, place ^ distance, false);
  part_t p = part_at(c, place, distance);
  part_t own = half_of(p, place, distance), others = half_of(p, place ^ distance, distance);
  part_t sent = scatters ? others : own, got = scatters ? own : others;
  put_send(out, peer, schedule_out(sent.first), sent.n);
  put_recv(out, peer, scatters ? schedule_scratch_at(0) : schedule_out(got.first), got.n);
  if (scatters) put_reduce(out, schedule_out(got.first), schedule_scratch_at(0), got.n);
}

void allreduce_rabenseifner_steps(const schedule_call_t *c, int rank, int64_t round,
                                  schedule_steps_t *out)
{
  int64_t before = folded_pairs(c) > 0 ? 2 : 0, last = allreduce_rabenseifner_rounds(c) - 1;
  bool paired = rank < 2 * folded_pairs(c);
  int place = folded_place(c, rank, false);
  if (round == 0) put_copy(out, schedule_out(0), schedule_in(0), c->count);
  if (c->size == 1) return;
  if (before && round == 0) {
    if (paired) halve_pair(c, rank, out);
  } else if (before && (round == 1 || round == last)) {
    part_t all = {0, c->count};
    if (paired) join_pair(rank, round == 1 ? half_of(all, 1, 1) : all, round == 1, out);
  } else if (place >= 0) {
    exchange(c, place, round - before, out);
  }
}

int64_t allreduce_rabenseifner_scratch(const schedule_call_t *c, int rank)
{
  (void)rank;
  return c->size > 1 ? c->count - c->count / 2 : 0;
}
