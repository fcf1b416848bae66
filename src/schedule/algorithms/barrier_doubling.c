/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier: ranks above the largest power of two tell one below and are told at the end; the others
 * exchange messages with ranks 1, 2, 4, … away, by exclusive or.
 * Open MPI 4.1, ompi_coll_base_barrier_intra_recursivedoubling; with two ranks also
 * ompi_coll_base_barrier_intra_two_procs. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/put_steps.h"

int64_t barrier_doubling_rounds(const schedule_call_t *c)
{
  int power = floor_power(c->size);
  return floor_log(power) + (power < c->size ? 2 : 0);
}

static void exchange(int peer, schedule_steps_t *out)
{
  put_send(out, peer, schedule_in(0), 0);
  put_recv(out, peer, schedule_out(0), 0);
}

/* Ranks without a partner above the power take part in neither end. */
static void tell(const schedule_call_t *c, int rank, bool up, schedule_steps_t *out)
{
  int power = floor_power(c->size);
  bool above = rank >= power;
  int peer = above ? rank - power : rank + power;
  if (peer >= c->size) return;
  if (up == above)
    put_send(out, peer, schedule_in(0), 0);
  else
    put_recv(out, peer, schedule_out(0), 0);
}

void barrier_doubling_steps(const schedule_call_t *c, int rank, int64_t round,
                            schedule_steps_t *out)
{
  int power = floor_power(c->size), folded = power < c->size;
  int64_t last = barrier_doubling_rounds(c) - 1;
  if (folded && (round == 0 || round == last))
    tell(c, rank, round == 0, out);
  else if (rank < power)
    exchange(rank ^ (1 << (round - folded)), out);
}
