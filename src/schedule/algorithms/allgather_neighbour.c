/* SPDX-License-Identifier: BSD-3-Clause */
/* Allgather and allgatherv: even numbers of ranks exchange two blocks with either neighbour in turn
 * (Chen and others 2005). Open MPI 4.1, ompi_coll_base_allgather_intra_neighborexchange and
 * …_allgatherv_intra_neighborexchange. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/call_block.h"
#include "schedule/put_steps.h"

int64_t allgather_neighbour_rounds(const schedule_call_t *c) { return c->size / 2; }

/* The first of the two blocks that a rank gets in a round, and from whom. Round 0 gives the pairs
 * their two blocks. */
static int64_t got_in(const schedule_call_t *c, int rank, int64_t round, int *peer)
{
  bool even = rank % 2 == 0, ahead = even == (round % 2 == 0);
  int64_t pair = rank & -2, step = (round + 1) / 2 * 2;
  *peer = around(c, rank, ahead ? 1 : -1);
  return around(c, (int)pair, ahead ? step : -step);
}

void allgather_neighbour_steps(const schedule_call_t *c, int rank, int64_t round,
                               schedule_steps_t *out)
{
  int peer, before;
  int64_t got = got_in(c, rank, round, &peer);
  if (round == 0) {
    put_copy(out, schedule_out(block_first(c, rank)), schedule_in(0), block_size(c, rank));
    put_send(out, peer, schedule_out(block_first(c, rank)), block_size(c, rank));
    put_recv(out, peer, schedule_out(block_first(c, peer)), block_size(c, peer));
    return;
  }
  int64_t sent = round == 1 ? rank & -2 : got_in(c, rank, round - 1, &before);
  put_send(out, peer, schedule_out(block_first(c, sent)), blocks_size(c, sent, 2));
  put_recv(out, peer, schedule_out(block_first(c, got)), blocks_size(c, got, 2));
}
