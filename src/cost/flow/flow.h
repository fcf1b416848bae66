/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow (docs/formats/cost-models.md) in four steps:
 *
 *   flow_plan.c   what each rank sends, in which order, and what it waits for; once per pattern.
 *                 flow_phase.c does it for a phase, with the orders in flow_program.c, the
 *                 receives in flow_posts.c and the turns in flow_turns.c, and flow_waits.c says
 * what ranks wait for; flow_rounds.c for a collective operation by itself. Both have its messages
 * from flow_calls.c, and use flow_chain.c flow_net.c    the flows' limits in a placement
 *   flow_share.c  the rates of the active flows: progressive filling
 *   flow_run.c    time: flows end, ranks issue their next sends
 *
 * cost_flow.c connects them with the evaluator. Only the plan and flow_net.c use the evaluator's
 * data: resources, and the ways of messages. */
#ifndef BERTH_COST_FLOW_FLOW_H
#define BERTH_COST_FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost/cost_internal.h"

/* --- the plan: sends of the pattern ----------------------------------------------------------- */

/* Messages of one size within a kind. */
typedef struct flow_part {
  int size;     /* index in flow_plan_t.size */
  double count; /* messages for one `volume` of the kind */
} flow_part_t;

/* Equal sends from a rank to another in a phase: all messages of the pair or, if the order is
 * known, one message of one size. */
typedef struct flow_kind {
  int dst, connection;
  int member;        /* the phase's index in its chain */
  size_t first_part; /* its end is that of the next kind */
  double messages;   /* of one send */
  double bytes;      /* of one send; 0 for empty messages */
  double volume;     /* what rates count: bytes, or messages if these are empty; 0: takes no time */
} flow_kind_t;

/* A step of a rank: sends that it issues together, `times` of a kind, a wait, or `times` receives
 * that it posts. */
typedef struct flow_item {
  int kind;        /* of sends; or FLOW_WAIT, FLOW_POST or FLOW_SERVE */
  int connection;  /* FLOW_ANY: for messages of any rank; FLOW_NONE: for those of another phase */
  int next;        /* the connection's next item that sends; the last one leads to the first; of
                      FLOW_SERVE: the first turn */
  int delivered;   /* the rank waits until the connection has delivered so many items, or FLOW_ALL
                      that were issued; of FLOW_SERVE: the turns, which a rank takes in the order in
                      which their messages come */
  double times;    /* of a wait with FLOW_ANY: until so many messages were delivered to the rank */
  double receives; /* sends start when the receiver has posted so many; 0: at once */
  bool blocking;
} flow_item_t;
/* FLOW_CALL_WAIT becomes FLOW_WAIT when the connections of calls are known (flow_calls.h). */
enum { FLOW_WAIT = -1, FLOW_POST = -2, FLOW_CALL_WAIT = -3, FLOW_SERVE = -4 };
enum { FLOW_NONE = -3, FLOW_ANY = -2, FLOW_ALL = -1 };

/* A pair's connection, which carries its sends one after the other. */
typedef struct flow_connection {
  int sender;
  int receiver; /* the sender that is its destination; -1: that rank does nothing */
  int next_in;  /* the next connection to the same receiver; -1: none */
  int first_item;
} flow_connection_t;

typedef struct flow_sender {
  int src;                    /* a rank, or a meeting (flow_program.h) */
  int first_item, first_kind; /* their ends are those of the next sender */
  int first_in;               /* the first connection to it; -1: none */
} flow_sender_t;

/* Items in a row: what a rank does with a message that came first. */
typedef struct flow_turn {
  int first_item, end_item;
  int service;   /* the item that is before the first turn: FLOW_SERVE */
  int source;    /* BERTH_ANY_RANK: unknown */
  int next;      /* the source's next turn in the service; -1: none */
  bool is_first; /* the source has none before it */
  int announced; /* the item whose delivery, or announcement, says that the message has come; -1: it
                    has */
} flow_turn_t;

/* A phase of a chain. */
typedef struct flow_member {
  double rounds;  /* equal rounds of a collective operation that it stands for */
  int played;     /* so many rounds are played for them */
  int n_sends;    /* items that send, over all rounds of all senders */
  int first_kind; /* index in flow_chain_t.kind_of_member; its end is that of the next member */
} flow_member_t;

/* One phase, or the rounds of a collective operation: phases in which each rank goes on to the next
 * as soon as its own messages of the last one have been delivered. Each array has one more entry
 * for the ends. */
typedef struct flow_chain {
  int n_senders, n_items, n_kinds, n_connections, n_members, n_turns;
  size_t n_parts;
  size_t first_phase; /* index in berth_pattern_phases of its first member */
  flow_member_t *member;
  flow_sender_t *sender;
  flow_item_t *item;
  flow_kind_t *kind;
  int *kind_of_member; /* kinds, member by member */
  flow_connection_t *connection;
  flow_part_t *part;
  flow_turn_t *turn;
  /* If loops are cut short and ranks wait for others, the same with half as many rounds, and how
   * much too high the cost is: see flow_program_excess. Else NULL. */
  struct flow_chain *coarser;
  double excess;
  /* If the programs of the phase play the messages of collective operations, the same without them,
   * or NULL. */
  struct flow_chain *alone;
} flow_chain_t;

typedef struct flow_plan {
  size_t n_chains, n_sizes;
  flow_chain_t *chain;
  size_t *chain_of_phase;
  size_t *played_by;      /* by phase: 1 + the chain whose programs play it, too; 0: none */
  uint64_t *size;         /* distinct sizes of messages, sorted */
  int *curve_of_resource; /* number of the topology's curve; -1: none */
  double *time;           /* [curve * n_sizes + size] */
} flow_plan_t;

/* Longer loops are played in FLOW_ROUNDS rounds, each longer; if ranks wait for others, in as many
 * as it takes, from 4 to FLOW_MOST_ROUNDS. */
enum { FLOW_ROUNDS = 16, FLOW_LEAST_ROUNDS = 4, FLOW_MOST_ROUNDS = 64, FLOW_LEVELS = 5 };

/* Makes the plan. After a failure there is nothing to free. */
int flow_plan_make(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err);
void flow_plan_clear(flow_plan_t *plan);

/* --- the flows' limits in a placement
 * ----------------------------------------------------------- */

/* How much of a limit a flow takes for each unit of its volume. */
typedef struct flow_use {
  int limit;
  double amount;
} flow_use_t;

/* An entry in the list of a limit's flows. */
typedef struct flow_entry {
  int flow, use;
} flow_entry_t;

/* A limit: the sum of amount * rate over its flows is at most `capacity`. */
typedef struct flow_limit {
  double capacity;
  int resource;
  int first, n; /* indices in flow_net_t.entry */
  int n_active; /* the first of them are those of active flows */
} flow_limit_t;

/* The kinds of a chain as flows. The net owns all arrays and reuses them for the next chain. */
typedef struct flow_net {
  int n_flows, n_limits, n_resources; /* n_resources: those that a flow crosses */
  size_t n_uses, n_path;
  int *first_use;     /* n_flows + 1 indices in use */
  size_t *first_path; /* n_flows + 1 indices in path */
  double *total;      /* by flow: its total volume */
  int *path;          /* resources of the flows' ways */
  flow_use_t *use;
  flow_limit_t *limit;
  flow_entry_t *entry;
  int *entry_of_use;
  int *resource; /* resources that a flow crosses */
  double *bytes; /* by resource of the topology */
  double max;    /* seconds that the most loaded limit needs: the chain's cost in model bound */
  size_t cap_flows, cap_total, cap_first_path, cap_path, cap_use, cap_limit, cap_entry, cap_of_use;
  struct flow_builder *builder;
} flow_net_t;

int flow_net_init(flow_net_t *net, const berth_cost_t *c, berth_error_t *err);
void flow_net_clear(flow_net_t *net);
/* Fills the net for a chain of the plan. No flow is active. */
int flow_net_build(flow_net_t *net, const berth_cost_t *c, const flow_plan_t *plan,
                   const flow_chain_t *chain, const int *pu_of_rank, berth_error_t *err);
/* A flow becomes active, or ends. */
void flow_net_activate(flow_net_t *net, int flow);
void flow_net_deactivate(flow_net_t *net, int flow);

/* --- rates
 * -------------------------------------------------------------------------------------- */

enum { FLOW_IDLE, FLOW_ACTIVE, FLOW_FROZEN };

/* A flow that must not be faster than `rate`. */
typedef struct flow_ceiling {
  double rate;
  int flow;
} flow_ceiling_t;

/* A limit in the heap. It is full at `level` or above. */
typedef struct flow_level {
  double level;
  int limit;
} flow_level_t;

typedef struct flow_shares {
  double *rate; /* by flow, in volume per second */
  int *by;      /* by flow: the use whose limit sets its rate; -1: none yet */
  char *state;  /* by flow */
  int *active, n_active;
  double *weight,
      *left; /* by limit: amount of its open flows per unit of rate; remaining capacity */
  int *open; /* by limit: number of open flows */
  flow_level_t *heap;
  int n_heap;
  int *full, n_full; /* limits that set the rate of a flow */
  size_t cap[9];
} flow_shares_t;

int flow_shares_init(flow_shares_t *s, const flow_net_t *net, berth_error_t *err);
void flow_shares_clear(flow_shares_t *s);
/* Finds max-min fair rates of the active flows under the net's limits and the ceilings. These are
 * sorted by rate. */
void flow_share(const flow_net_t *net, flow_shares_t *s, const flow_ceiling_t *ceiling,
                int n_ceilings);

/* --- time
 * --------------------------------------------------------------------------------------- */

/* Up to FLOW_EXACT active flows end one by one. With more, time may advance in steps. All sends of
 * a rank together then end at most (bound of the chain) / FLOW_STEPS late. */
enum { FLOW_EXACT = 1024, FLOW_STEPS = 1024 };

typedef struct flow_run {
  flow_shares_t shares;
  double *remaining; /* by flow: remaining volume */
  double *end;       /* by flow: when it last ended */
  double *held_by;   /* by use: seconds that its limit set the flow's rate */
  double *busy;      /* by resource: seconds that it limited a flow; see flow_continue */
  int *issued, *served, *current; /* by connection: items, and the one that is served next */
  int *rank_item, *waits; /* by sender: its next item; the connection that it waits for; -1: none */
  double *arrived;        /* by sender: messages delivered to it */
  double *posted;         /* by connection: receives that were posted for it */
  double *posted_any;     /* by sender: those that it posted for any rank */
  bool *unposted;         /* by connection: its next send waits for its receive */
  int *turn;              /* by sender: the turn that it takes, -1 */
  int *next_left;         /* by turn: lists of each source's next turn, in a service; -1: the end */
  int *first_left;        /* by a service's first turn: its list */
  double *came; /* by item, if there are turns: when its receiver saw it; INFINITY: not yet */
  int *ready;   /* senders that may have stopped waiting */
  int n_ready;
  int *serving; /* senders that look for their next turn */
  int n_serving;
  int *left;  /* by member: sends that aren't delivered */
  int passed; /* the first members, of which all sends are delivered */
  int *ended;
  size_t *counted; /* by resource: the step in which `busy` last counted it */
  flow_ceiling_t *ceiling;
  double time, step;
  size_t steps; /* how often rates were computed */
  size_t cap[23];
} flow_run_t;

/* Begins to simulate a chain. */
int flow_start(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, int n_resources,
               berth_error_t *err);
/* Goes on until the first `members` of the chain are over; run->time says when that is. run->busy
 * is of this call alone. `exact` is FLOW_EXACT, except in tests. */
void flow_continue(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, int n_resources,
                   int members, int exact);
void flow_run_clear(flow_run_t *run);

#endif
