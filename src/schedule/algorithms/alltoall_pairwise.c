/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall, alltoallv and alltoallw: in each round each rank sends to the one that is so many ranks
 * ahead, and gets from the one as many behind. Farther each time: Open MPI 4.1,
 * ompi_coll_base_alltoall_intra_pairwise, with two ranks also …_two_procs, and
 * …_alltoallv_intra_pairwise; MPICH 4.0, MPIR_Alltoall_intra_pairwise, unless the size is a power
 * of two. Both ways at each distance, for calls in place: libnbc of Open MPI 4.1,
 * a2a_sched_inplace, a2av_sched_inplace and, where opposite ranks send each other empty messages,
 * too, a2aw_sched_inplace. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

static void pass(const schedule_call_t *c, int rank, int64_t round, int64_t ahead, bool empty_too,
                 schedule_steps_t *out)
{
  int to = around(c, rank, ahead), from = around(c, rank, -ahead);
  if (round == 0)
    put_copy(out, schedule_out(got_first(c, rank, rank)), schedule_in(sent_first(c, rank, rank)),
             pair_size(c, rank, rank));
  if (c->size == 1) return;
  if (empty_too || pair_size(c, rank, to))
    put_send(out, to, schedule_in(sent_first(c, rank, to)), pair_size(c, rank, to));
  if (empty_too || pair_size(c, from, rank))
    put_recv(out, from, schedule_out(got_first(c, from, rank)), pair_size(c, from, rank));
}

int64_t alltoall_pairwise_rounds(const schedule_call_t *c) { return c->size > 1 ? c->size - 1 : 1; }

void alltoall_pairwise_steps(const schedule_call_t *c, int rank, int64_t round,
                             schedule_steps_t *out)
{
  pass(c, rank, round, round + 1, true, out);
}

static int64_t both_ways(int64_t round) { return round % 2 ? -(round / 2 + 1) : round / 2 + 1; }

int64_t alltoall_both_ways_rounds(const schedule_call_t *c) { return alltoall_pairwise_rounds(c); }

void alltoall_both_ways_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  pass(c, rank, round, both_ways(round), true, out);
}

int64_t alltoall_opposite_rounds(const schedule_call_t *c) { return alltoall_pairwise_rounds(c); }

/* Ranks without any elements don't take part. */
static bool takes_part(const schedule_call_t *c, int rank)
{
  return sent_first(c, rank, c->size) > sent_first(c, rank, 0);
}

void alltoall_opposite_steps(const schedule_call_t *c, int rank, int64_t round,
                             schedule_steps_t *out)
{
  int64_t ahead = both_ways(round);
  int to = around(c, rank, ahead);
  bool opposite = to == around(c, rank, -ahead) && takes_part(c, rank) && takes_part(c, to);
  pass(c, rank, round, ahead, opposite, out);
}
