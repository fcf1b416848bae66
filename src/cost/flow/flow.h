/* SPDX-License-Identifier: BSD-3-Clause */
/* Model `flow`: what docs/formats/cost-models.md says of it, in four steps.
 *
 *   flow_plan.c   what each rank sends in a phase and in which order; once for a pattern
 *   flow_net.c    the flows' limits under a placement
 *   flow_share.c  the shares of the flows under way: progressive filling
 *   flow_run.c    time: flows end, ranks issue their next sends
 *
 * cost_flow.c ties them to the evaluator. Of the evaluator, only flow_plan.c and flow_net.c know
 * anything: the resources and the way of a message. */
#ifndef BERTH_COST_FLOW_FLOW_H
#define BERTH_COST_FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost/cost_internal.h"

/* --- the plan: sends as the pattern has them ------------------------------------------------- */

/* Messages of one size, or of one pair: what is sent as one. */
typedef struct flow_part {
  int size;     /* into flow_plan_t.size */
  double count; /* for one `volume` of its kind */
} flow_part_t;

/* Sends of one kind from a rank to another: all messages of the pair, or, where the order is known,
 * one message of one size. */
typedef struct flow_kind {
  int dst, connection;
  size_t first_part; /* the next kind's is the end */
  double bytes;      /* of one; 0 for messages without bytes */
  double volume;     /* what the shares count: bytes, or messages where they have none */
} flow_kind_t;

/* Sends that a rank issues together: `times` of a kind. */
typedef struct flow_item {
  int kind;
  int next; /* the next item of the same connection, of the last one the first */
  double times;
  bool blocking;
} flow_item_t;

/* A pair's connection carries its sends one after the other. */
typedef struct flow_connection {
  int sender, first_item;
} flow_connection_t;

typedef struct flow_sender {
  int src;
  int first_item, first_kind; /* the next sender's are the ends */
  int rounds;                 /* of the items that are played */
} flow_sender_t;

/* One phase. Every array ends with one entry more, for the ends. */
typedef struct flow_phase {
  int n_senders, n_items, n_kinds, n_connections;
  size_t n_parts;
  flow_sender_t *sender;
  flow_item_t *item;
  flow_kind_t *kind;
  flow_connection_t *connection;
  flow_part_t *part;
} flow_phase_t;

typedef struct flow_plan {
  size_t n_phases, n_sizes;
  flow_phase_t *phase;
  uint64_t *size;         /* the distinct message sizes, sorted */
  int *curve_of_resource; /* number of the topology's curve, -1 for none */
  double *time;           /* [curve * n_sizes + size] */
} flow_plan_t;

enum { FLOW_ROUNDS = 16 }; /* more rounds of an order are played as so many, each longer */

/* Frees what it made when it fails. */
int flow_plan_make(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err);
void flow_plan_clear(flow_plan_t *plan);

/* --- the limits of the flows under a placement ----------------------------------------------- */

/* What a flow takes of a limit for each unit of its volume. */
typedef struct flow_use {
  int limit;
  double amount;
} flow_use_t;

/* A flow's entry in the list of a limit's flows. */
typedef struct flow_member {
  int flow, use;
} flow_member_t;

/* The sum over its flows of amount * rate is at most `capacity`. */
typedef struct flow_limit {
  double capacity;
  int resource;
  int first, n; /* into flow_net_t.member; flows that are done for good are taken out */
} flow_limit_t;

/* The kinds of a phase as flows. All arrays belong to the net and are kept for the next one. */
typedef struct flow_net {
  int n_flows, n_limits, n_resources; /* of all resources those that a flow crosses */
  size_t n_uses, n_path;
  int *first_use;     /* n_flows + 1 offsets into use */
  size_t *first_path; /* n_flows + 1 offsets into path */
  double *total;      /* of each flow: its volume in all */
  int *path;          /* the resources that the flows cross */
  flow_use_t *use;
  flow_limit_t *limit;
  flow_member_t *member;
  int *resource; /* those that are crossed */
  double *bytes; /* of each resource of the topology */
  double max;    /* seconds that the most loaded limit needs: the phase's `bound` */
  size_t cap_flows, cap_total, cap_first_path, cap_path, cap_use, cap_limit, cap_member;
  struct flow_builder *builder;
} flow_net_t;

int flow_net_init(flow_net_t *net, const berth_cost_t *c, berth_error_t *err);
void flow_net_clear(flow_net_t *net);
/* Fills the net for a phase of the plan. */
int flow_net_build(flow_net_t *net, const berth_cost_t *c, const flow_plan_t *plan,
                   const flow_phase_t *phase, const int *pu_of_rank, berth_error_t *err);

/* --- shares ---------------------------------------------------------------------------------- */

enum { FLOW_IDLE, FLOW_ACTIVE, FLOW_FROZEN, FLOW_DONE }; /* DONE: never to be active again */

/* A flow that must not be faster than `rate`. */
typedef struct flow_ceiling {
  double rate;
  int flow;
} flow_ceiling_t;

/* A limit in the heap; the level at which it is full is at least `level`. */
typedef struct flow_level {
  double level;
  int limit;
} flow_level_t;

typedef struct flow_shares {
  double *rate; /* of each flow, in volume per second */
  int *by;      /* the use whose limit holds the flow back, -1 before there was one */
  char *state;  /* of each flow */
  int *active, n_active;
  double *weight, *left; /* of each limit: what its open flows take per rate; what they may take */
  int *open;             /* of each limit: its flows without a share */
  flow_level_t *heap;
  int n_heap;
  int *full, n_full; /* the limits that hold a flow back */
  size_t cap[9];
} flow_shares_t;

int flow_shares_init(flow_shares_t *s, const flow_net_t *net, berth_error_t *err);
void flow_shares_clear(flow_shares_t *s);
/* Max-min fair rates of the active flows under the net's limits and the ceilings, which are sorted
 * by rate. */
void flow_share(flow_net_t *net, flow_shares_t *s, const flow_ceiling_t *ceiling, int n_ceilings);

/* --- time ------------------------------------------------------------------------------------ */

/* Up to FLOW_EXACT flows under way end one by one. Above, time may go on in steps, which make all
 * sends of a rank together end at most the phase's `bound` / FLOW_STEPS late. */
enum { FLOW_EXACT = 1024, FLOW_STEPS = 1024 };

typedef struct flow_run {
  flow_shares_t shares;
  double *remaining; /* volume of each flow under way */
  double *end;       /* of each flow: when it last ended */
  double *held_by;   /* of each use: seconds that its limit held the flow back */
  double *busy;      /* of each resource of the topology: seconds that it held a flow back */
  int *issued, *served, *current; /* of each connection: sends, and the item that is served next */
  int *rank_item, *rank_round,
      *waits; /* of each sender: its next send; connection waited for, -1 */
  int *ended;
  size_t *counted; /* of each resource: the step that `busy` has last counted */
  flow_ceiling_t *ceiling;
  double time, step;
  size_t steps; /* how often shares were worked out */
  size_t cap[13];
} flow_run_t;

/* Plays a phase; run->time is then its cost. `exact` is FLOW_EXACT but in tests. */
int flow_run(flow_run_t *run, flow_net_t *net, const flow_phase_t *phase, int n_resources,
             int exact, berth_error_t *err);
void flow_run_clear(flow_run_t *run);

#endif
