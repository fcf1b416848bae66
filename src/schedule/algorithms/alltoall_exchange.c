/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall, alltoallv and alltoallw: in each round pairs of ranks exchange their blocks. MPICH 4.0,
 * MPIR_Alltoall_intra_pairwise for powers of two: ranks whose exclusive or is the round's number;
 * for calls in place MPIR_Alltoall_intra_pairwise_sendrecv_replace, …_Alltoallv_…, …_Alltoallw_…,
 * and Open MPI 4.1, mca_coll_base_alltoall_intra_basic_inplace, …_alltoallv_… and
 * mca_coll_basic_alltoallw_intra_inplace: each rank meets the others in their order, so that the
 * ranks of a round's pairs have the same sum. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

static void exchange(const schedule_call_t *c, int rank, int peer, int64_t round,
                     schedule_steps_t *out)
{
  if (round == 0)
    put_copy(out, schedule_out(got_first(c, rank, rank)), schedule_in(sent_first(c, rank, rank)),
             pair_size(c, rank, rank));
  if (peer < 0 || peer >= c->size || peer == rank) return;
  put_send(out, peer, schedule_in(sent_first(c, rank, peer)), pair_size(c, rank, peer));
  put_recv(out, peer, schedule_out(got_first(c, peer, rank)), pair_size(c, peer, rank));
}

int64_t alltoall_exchange_xor_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? c->size - 1 : 1;
}

void alltoall_exchange_xor_steps(const schedule_call_t *c, int rank, int64_t round,
                                 schedule_steps_t *out)
{
  exchange(c, rank, rank ^ ((int)round + 1), round, out);
}

int64_t alltoall_exchange_sum_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * (int64_t)c->size - 3 : 1;
}

void alltoall_exchange_sum_steps(const schedule_call_t *c, int rank, int64_t round,
                                 schedule_steps_t *out)
{
  exchange(c, rank, (int)(round + 1 - rank), round, out);
}
