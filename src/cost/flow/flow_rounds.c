/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the chain of a collective operation that is played by itself. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/flow/flow_calls.h"

/* Waits after a rank's last send delay nothing. A rank that sends nothing isn't in the chain. */
static void add_rank(flow_chain_builder_t *b, flow_calls_t *calls, int rank)
{
  flow_chain_t *chain = b->chain;
  flow_chain_add_sender(b, rank);
  flow_calls_add_kinds(b, calls, rank, true);
  flow_calls_add_visit(b, calls, 0, rank, 0, 1);
  while (chain->item[chain->n_items - 1].kind < 0) chain->n_items--;
}

/* Reserves the maximum: each round of a piece is a send, and a wait at both ends. */
static int reserve(flow_chain_builder_t *b, const berth_cost_t *c, const flow_calls_t *calls,
                   berth_error_t *err)
{
  size_t items = 0, senders = 0;
  for (size_t i = 0; i < calls->n_pieces; i++) {
    const flow_piece_t *p = &calls->piece[i];
    items += 3 * (size_t)flow_rounds_played(p->phase->rounds, FLOW_ROUNDS);
    senders += i == 0 || p->src != p[-1].src;
  }
  return flow_chain_reserve(b, (size_t)b->chain->n_members, senders, items,
                            flow_calls_messages(c->pattern, calls->call, calls->n), err);
}

static void set_rounds(flow_chain_t *chain, const berth_phase_t *phase)
{
  for (int k = 0; k < chain->n_members; k++)
    chain->member[k] = (flow_member_t){.rounds = (double)phase[k].rounds,
                                       .played = flow_rounds_played(phase[k].rounds, FLOW_ROUNDS)};
}

int flow_rounds_make(flow_chain_builder_t *b, const berth_cost_t *c, berth_error_t *err)
{
  size_t n;
  flow_calls_t calls;
  flow_chain_t *chain = b->chain;
  flow_call_t *call = malloc(sizeof *call);
  if (!call) return no_memory(err);
  *call = (flow_call_t){.first_phase = chain->first_phase, .n_members = chain->n_members};
  if (flow_calls_make(&calls, c->pattern, call, 1, err)) return BERTH_MISSING;
  int rc = reserve(b, c, &calls, err);
  if (!rc) set_rounds(chain, berth_pattern_phases(c->pattern, &n) + chain->first_phase);
  for (size_t i = 0; i < calls.n_pieces && !rc; i++)
    if (i == 0 || calls.piece[i].src != calls.piece[i - 1].src)
      add_rank(b, &calls, calls.piece[i].src);
  if (!rc) flow_calls_resolve(chain, &calls);
  if (!rc) flow_chain_finish(b);
  flow_calls_clear(&calls);
  return rc;
}
