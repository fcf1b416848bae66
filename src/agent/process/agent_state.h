/* SPDX-License-Identifier: BSD-3-Clause */
/* What an agent has: the ranks of its host, the communicators that they share with others, and the
 * calls under way. */
#ifndef BERTH_AGENT_AGENT_STATE_H
#define BERTH_AGENT_AGENT_STATE_H

#include "agent/process/wire.h"
#include "kernel/kernel.h"
#include "schedule/schedule.h"

typedef struct call call_t;

typedef struct rank {
  desk_rank_t *desk;
  char *store;
  store_name_t name; /* as it was mapped */
  int bell;          /* -1: the rank has ended */
} rank_t;

/* What is known of another host of a structure. A host that has said a word about a call has begun
 * it, and all calls before. Who sends to a host in many calls without such a word waits for one, so
 * that nobody has to keep messages of many calls that it hasn't begun. */
typedef struct host_words {
  uint32_t heard;    /* the last call of which it has said a word */
  uint32_t last;     /* the last call in which this agent has sent to it */
  uint32_t unproved; /* calls after `heard`, at most, in which this agent has sent to it */
  uint32_t owed;     /* messages that came from it since it was told a word */
  uint32_t told;     /* the last call of which it has been told a word, also by a message */
} host_words_t;

/* A communicator, on this host. */
typedef struct structure {
  bool open, failed;
  bool given_up;   /* by another host */
  uint32_t number; /* its place, and how often that was used */
  int members;
  int *rank;      /* of each member: its queue */
  int *member_of; /* of each rank of the host: which member it is; -1: none */
  int hosts, me;
  int *agent;       /* of each host */
  int *first;       /* of each host: the members of the hosts before it; hosts + 1 numbers */
  uint32_t *theirs; /* the structure's number on each host */
  host_words_t *words;
  double half;
  bool equal;     /* hosts have as many members */
  uint32_t begun; /* the last call */
  int closed;     /* members that have closed it */
  call_t *calls;
} structure_t;

typedef struct agent {
  desk_t *desk;
  wire_t *wire;
  store_t store;
  rank_t *rank;
  structure_t *structure; /* DESK_STRUCTURES */
  bool *lost;             /* agents */
  bool any_lost;
  int under_way;               /* calls that aren't over */
  call_t *ready, **last_ready; /* calls that may go on */
} agent_t;

/* agent_work.c: once its `desk` is there. False: memory is out. Its wire tells `user`. */
bool agent_work_begin(agent_t *a);
void agent_work_end(agent_t *a);
wire_user_t agent_work_user(agent_t *a);
bool agent_work_has_orders(const agent_t *a);
/* Whether anything happened. */
bool agent_work_once(agent_t *a);

/* structures.c: orders about structures. They return 0 or an errno. */
int structure_open(agent_t *a, int rank, const desk_order_t *o, uint32_t *number);
int structure_peers(agent_t *a, int rank, const desk_order_t *o);
void structure_close(agent_t *a, const desk_order_t *o);
/* Frees it if all members have closed it and its calls are over. */
void structure_end_if_closed(agent_t *a, structure_t *s);
/* NULL: there is none of that number any more. */
structure_t *structure_of(agent_t *a, uint32_t number);
/* Ends all of its calls, now and later, with an error; tells the other hosts if `tells`. */
void structure_fail(agent_t *a, structure_t *s, bool tells);
/* Those that a rank or another agent belongs to. */
void structure_fail_rank(agent_t *a, int rank);
void structure_fail_agent(agent_t *a, int agent);

static inline int structure_all(const structure_t *s) { return s->first[s->hosts]; }
static inline int structure_host_members(const structure_t *s, int host)
{
  return s->first[host + 1] - s->first[host];
}
/* The host of a place in the order of hosts. */
int structure_host_of(const structure_t *s, int place);

#endif
