/* SPDX-License-Identifier: BSD-3-Clause */
/* Building blocks of a chain: what its ranks send, and in which order. */
#ifndef BERTH_COST_FLOW_FLOW_CHAIN_H
#define BERTH_COST_FLOW_FLOW_CHAIN_H

#include "cost/flow/flow.h"

struct flow_program;

typedef struct flow_chain_builder {
  const flow_plan_t *plan; /* its sizes are known */
  flow_chain_t *chain;
  int *last_item; /* by connection: its last item that sends */
} flow_chain_builder_t;

/* Makes room for that many. After a failure the caller clears both, too. */
int flow_chain_reserve(flow_chain_builder_t *b, size_t members, size_t senders, size_t items,
                       size_t messages, berth_error_t *err);
void flow_chain_builder_clear(flow_chain_builder_t *b);
void flow_chain_clear(flow_chain_t *chain);

/* How many rounds stand for so many, where longer loops are played in `most` rounds. Loops of up to
 * FLOW_ROUNDS are played in full, unless `most` is very small because programs are too long. */
static inline int flow_rounds_played(uint64_t rounds, int most)
{
  bool in_full = rounds <= (uint64_t)most || (rounds <= FLOW_ROUNDS && most >= FLOW_LEAST_ROUNDS);
  return in_full ? (int)rounds : most;
}

/* Index in plan->size. */
int flow_size_find(const flow_plan_t *plan, uint64_t size);

/* The next sender; its connections follow, then its items. */
void flow_chain_add_sender(flow_chain_builder_t *b, int src);
/* The next connection of the last sender. */
void flow_chain_add_connection(flow_chain_builder_t *b);
/* A kind of the last connection: all n messages of a pair in a phase. */
void flow_chain_add_kind(flow_chain_builder_t *b, const berth_message_t *m, size_t n, int member);
/* The same, one kind for each size. */
void flow_chain_add_kinds_by_size(flow_chain_builder_t *b, const berth_message_t *m, size_t n);
/* The kind of the last connection for what a meeting and its members tell each other. */
void flow_chain_add_token(flow_chain_builder_t *b, int dst);
/* Two kinds of the same connection for the first `head` bytes of a kind's message, which isn't a
 * message to those who count, and for the rest. Returns the first one. */
int flow_chain_split_kind(flow_chain_builder_t *b, int kind, double head);
void flow_chain_add_send(flow_chain_builder_t *b, int kind, double times, bool blocking);
/* A step that sends nothing. */
void flow_chain_add_item(flow_chain_builder_t *b, flow_item_t item);
/* Marks the ends of all arrays, and each connection's receiver. */
void flow_chain_finish(flow_chain_builder_t *b);

/* Makes the chain of rounds of a collective operation. Its first phase and the number of members
 * are set. */
int flow_rounds_make(flow_chain_builder_t *b, const berth_cost_t *c, berth_error_t *err);
/* Makes the chain of another phase, whose longer loops are played in so many rounds. */
int flow_phase_make(flow_chain_builder_t *b, const berth_cost_t *c, struct flow_program *program,
                    int rounds, berth_error_t *err);

#endif
