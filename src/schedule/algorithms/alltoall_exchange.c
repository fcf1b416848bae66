/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall: in each round pairs of ranks exchange their blocks. MPICH 4.0,
 * MPIR_Alltoall_intra_pairwise for powers of two: ranks whose exclusive or is the round's number;
 * MPIR_Alltoall_intra_pairwise_sendrecv_replace, for calls in place: each rank meets the others in
 * their order, so that the ranks of a round's pairs have the same sum. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

static void exchange(const schedule_call_t *c, int rank, int peer, int64_t round,
                     schedule_steps_t *out)
{
  if (round == 0)
    put_copy(out, schedule_out(rank * c->count), schedule_in(rank * c->count), c->count);
  if (peer < 0 || peer >= c->size || peer == rank) return;
  put_send(out, peer, schedule_in(peer * c->count), c->count);
  put_recv(out, peer, schedule_out(peer * c->count), c->count);
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
