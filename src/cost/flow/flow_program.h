/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks of a phase do, as steps: loops are played in few rounds, and collective calls
 * become meetings. */
#ifndef BERTH_COST_FLOW_FLOW_PROGRAM_H
#define BERTH_COST_FLOW_FLOW_PROGRAM_H

#include "cost/flow/flow_calls.h"
#include "cost/flow/flow_posts.h"

/* Equal collective calls on a communicator. If the pattern has their messages, the members play
 * these. If not, members tell the meeting that they have come, and it tells those who wait for
 * them. Both take no time. Such a meeting is a sender of the chain, whose number follows the
 * ranks'. */
typedef struct flow_meeting {
  int comm;
  berth_step_kind_t kind;
  int root;       /* 0 if the kind has none */
  const char *op; /* "": not known */
  uint64_t size;
  bool later;       /* it is non-blocking: members come, and wait, in steps of their own */
  int call;         /* index in `calls`; -1: the pattern hasn't its messages */
  double times;     /* how often each member comes */
  int n;            /* members */
  const int *ranks; /* by rank in the communicator; NULL: all ranks */
  const berth_order_t *order; /* of one member: the calls that there are */
} flow_meeting_t;

/* With more messages in one of each call, calls are played by themselves. */
enum { FLOW_MOST_CALL_MESSAGES = 1 << 18 };

/* The orders of a phase, sorted by source, the meetings in them, and whose messages wait for their
 * receives. */
typedef struct flow_program {
  int n_ranks;
  const berth_order_t *order, *end;
  bool waits;  /* ranks wait for others */
  bool serves; /* a rank takes messages in the order in which they come */
  int n_meetings;
  flow_meeting_t *meeting; /* sorted by what their calls are */
  flow_calls_t calls;      /* those whose messages are played */
  flow_posts_t posts;
} flow_program_t;

/* Collects the orders and meetings of a phase, an index in berth_pattern_phases. A call that some
 * member's order doesn't have as often as the others' holds nobody up. Messages of calls are played
 * by flow_program_find_calls alone. After a failure there is nothing to free. */
int flow_program_make(flow_program_t *p, const berth_pattern_t *pattern, size_t phase,
                      berth_error_t *err);
/* Finds the meetings whose messages the pattern has: those of collective operations of which all
 * calls in the phase are meetings. After a failure the caller clears the program, too. */
int flow_program_find_calls(flow_program_t *p, const berth_pattern_t *pattern, size_t phase,
                            berth_error_t *err);
/* Leaves messages of calls out again. */
void flow_program_drop_calls(flow_program_t *p);
void flow_program_clear(flow_program_t *p);

static inline int flow_meeting_member(const flow_meeting_t *m, int i)
{
  return m->ranks ? m->ranks[i] : i;
}
/* Whether the meeting is played, or its members wait for all or for the root. In MPI_Scan they wait
 * for lower ranks, and for which ones only messages tell. */
bool flow_meeting_counts(const flow_meeting_t *m);
/* The order of a rank; NULL if there is none. */
const berth_order_t *flow_program_order(const flow_program_t *p, int rank);
/* The index of a step's meeting; -1 if it is no call, or one that nobody plays or waits for. */
int flow_program_meeting(const flow_program_t *p, const berth_step_t *s);
/* How many items a chain needs whose longer loops are played in so many rounds. */
double flow_program_items(const flow_program_t *p, int rounds);
/* How much the cost of a chain with that many rounds is too high, as a multiple of what it rises by
 * with half as many: ranks that wait for one another wait for longer rounds. 0 if no loop is cut
 * short. */
double flow_program_excess(const flow_program_t *p, int rounds);

/* Turns the waits of a phase's chain for numbers of messages, of a source (flow_waits.c), into
 * waits for items of a connection. */
int flow_waits_resolve(const flow_chain_t *c, const flow_calls_t *calls, berth_error_t *err);

#endif
