/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather: the root asks one rank after the other, which sends its block, and then nothing, where a
 * second part could be. Open MPI 4.1, ompi_coll_base_gather_intra_linear_sync without segments. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t gather_linear_sync_rounds(const schedule_call_t *c)
{
  return c->size > 1 ? 2 * ((int64_t)c->size - 1) : 1;
}

void gather_linear_sync_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  bool is_root = rank == c->root;
  int asked = (int)(round / 2) + (round / 2 >= c->root);
  if (is_root && round == 0) put_copy(out, schedule_out(rank * c->count), schedule_in(0), c->count);
  if (c->size == 1 || (!is_root && rank != asked)) return;
  if (round % 2 == 0 && is_root) {
    put_send(out, asked, schedule_out(0), 0);
  } else if (round % 2 == 0) {
    put_recv(out, c->root, schedule_in(0), 0);
  } else if (is_root) {
    put_recv(out, asked, schedule_out(asked * c->count), c->count);
    put_recv(out, asked, schedule_out(asked * c->count), 0);
  } else {
    put_send(out, c->root, schedule_in(0), c->count);
    put_send(out, c->root, schedule_in(0), 0);
  }
}

int64_t gather_linear_sync_next(const schedule_call_t *c, int rank, int64_t round)
{
  int64_t own = 2 * (int64_t)(rank - (rank > c->root)) + 1;
  return rank == c->root ? round + round % 2 : next_of(own, own + 1, round);
}
