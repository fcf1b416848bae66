/* SPDX-License-Identifier: BSD-3-Clause */
/* The agents of the job (agent/desk.h), as its ranks know them: one beside the ranks of each host.
 */
#ifndef BERTH_COLL_AGENTS_H
#define BERTH_COLL_AGENTS_H

#include "agent/desk.h"
#include "coll/coll.h"

typedef struct coll_agents {
  bool active;         /* all hosts have one */
  _Atomic bool broken; /* that of this host has ended, or hangs */
  desk_t *desk;
  size_t desk_size;
  desk_rank_t *own;
  store_t store; /* of this rank */
  char *results; /* the agent's store */
  store_name_t results_name;
  int bell;
  int life;     /* what keeps the agent alive (desk.h) */
  bool started; /* by this rank */
  int n;        /* agents */
  int *place;   /* of each rank of the job: which one it is of its host */
  int *agent;   /* of each rank of the job */
} coll_agents_t;

extern coll_agents_t coll_agents;
/* How many agents carry out calls of this job: for programs that measure them. */
EXPORT int berth_coll_agents(void);
/* Likewise: as BERTH_AGENTS_DEGREE, between two calls of all ranks. */
EXPORT void berth_coll_set_degree(int degree);

/* Starts agents, if BERTH_AGENTS says so; all ranks call these. One line says so if that fails. */
void agents_begin(const coll_job_t *j);
/* No calls are under way any more. */
void agents_end(void);

/* A channel that is free, and the value that its word will have at the next end. -1: all are in
 * use. */
int agents_channel(uint32_t *end);
void agents_channel_free(int channel);
bool agents_have_channel(void);
static inline desk_channel_t *agents_channel_of(int channel)
{
  return &coll_agents.own->channel[channel];
}
/* Pieces of this rank's store: 0 if there is no memory. */
uint64_t agents_take(size_t bytes);
void agents_give(uint64_t at, size_t bytes);
/* Writes an order. The channel and, with room in the store, the input are there. */
void agents_order(const desk_order_t *o);
/* Whether a call has ended; waits for it. False: the agent can't end it any more. */
bool agents_wait(int channel, uint32_t end);
/* Looks whether the agent is there; says so once if it isn't. */
bool agents_live(void);

/* A communicator's structure on this host's agent; false: there is none. The leader's part, when
 * the others wait for its number; then all hosts' numbers are known. */
bool agents_open(const coll_comm_t *c, uint32_t *number);
bool agents_peers(const coll_comm_t *c, const uint32_t *numbers);
/* Each member says that it makes no more calls. */
void agents_close(const coll_comm_t *c);

#endif
