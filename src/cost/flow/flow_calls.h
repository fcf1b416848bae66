/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations in a chain: each rank goes on to its next round as soon as all messages
 * that it sends and receives in the last one have been delivered. A chain is the rounds of one
 * call, or those of all calls that the programs of a phase make.
 *
 * A phase that stands for many equal rounds is played in at most FLOW_ROUNDS rounds. */
#ifndef BERTH_COST_FLOW_FLOW_CALLS_H
#define BERTH_COST_FLOW_FLOW_CALLS_H

#include "cost/flow/flow_chain.h"

/* What a rank sends to another one in a round of a call, or in several equal rounds. */
typedef struct flow_piece {
  int call, src, dst;
  const berth_phase_t *phase; /* of the round */
  const berth_message_t *m;
  size_t n;
  int member; /* its index in the call */
  int kind, connection;
  int before, each; /* items of the connection before this one in a call; in each call */
} flow_piece_t;

/* Phases that are the rounds of equal calls. */
typedef struct flow_call {
  size_t first_phase; /* index in berth_pattern_phases */
  int n_members;
  int n_phases; /* with those of calls that not all communicators make, which programs play alike */
} flow_call_t;

typedef struct flow_calls {
  int n;
  flow_call_t *call;
  size_t n_pieces;
  flow_piece_t *piece; /* by source, call, destination and round */
  /* by source, call, round and destination; by destination, call, round and source */
  flow_piece_t **by_src, **by_dst;
} flow_calls_t;

/* Takes over `call`, n calls, and lists their pieces. After a failure there is nothing to free. */
int flow_calls_make(flow_calls_t *calls, const berth_pattern_t *pattern, flow_call_t *call, int n,
                    berth_error_t *err);
void flow_calls_clear(flow_calls_t *calls);

/* How many messages the rounds of these phases have. */
size_t flow_calls_messages(const berth_pattern_t *pattern, const flow_call_t *call, int n);

/* The number of items of a rank in one call. */
double flow_calls_items(const flow_calls_t *calls, int call, int rank);
/* The bytes that a rank sends in one call; an empty message counts as one. */
double flow_calls_bytes(const flow_calls_t *calls, int call, int rank);

/* Adds the connections and kinds of the current sender, a rank. `of_round`: each round is a member
 * of the chain, as in flow_rounds_make. Otherwise its messages aren't those that a program counts.
 */
void flow_calls_add_kinds(flow_chain_builder_t *b, flow_calls_t *calls, int rank, bool of_round);
/* Adds what the rank, which is the current sender, does in its call number `before`, counted from
 * 0. It stands for `times` calls. */
void flow_calls_add_visit(flow_chain_builder_t *b, const flow_calls_t *calls, int call, int rank,
                          int before, double times);
/* Finds the connections of waits, when all ranks have been added. */
void flow_calls_resolve(flow_chain_t *chain, const flow_calls_t *calls);

#endif
