/* SPDX-License-Identifier: BSD-3-Clause */
/* The level between hosts: who speaks for each, and what they send each other. */
#ifndef BERTH_COLL_COLL_LEVELS_H
#define BERTH_COLL_COLL_LEVELS_H

#include "coll/coll.h"

enum { LEVELS_NO_ROOT = -1 };

/* What speakers do together. */
typedef struct levels {
  schedule_op_t op;
  int root; /* or LEVELS_NO_ROOT */
  const void *in;
  void *out;
  int64_t n;      /* elements of a block */
  size_t element; /* bytes */
  const reduction_t *reduce;
  const schedule_blocks_t *blocks; /* by host, if they differ; borrowed until the run is over */
} levels_t;

/* The root speaks for its host, the leader for each other one. */
void levels_choose_speakers(coll_comm_t *c, int root);

/* Whether this rank speaks for its host, and the place of who does among the host's members. */
static inline bool levels_speaks(const coll_comm_t *c) { return c->peer[c->my_host] == c->rank; }
static inline int levels_speaker(const coll_comm_t *c) { return c->within[c->peer[c->my_host]]; }

/* The blocks of hosts: those of all members together, of n[rank] elements or `each`. Free them.
 * NULL: out of memory. */
schedule_blocks_t *levels_blocks(const coll_comm_t *c, schedule_op_t op, const size_t *n,
                                 size_t each);

/* Chooses a schedule. False: none serves the call; all ranks find the same. */
bool levels_plan(const coll_comm_t *c, const levels_t *l, run_call_t *out);
/* Carries it out if this rank speaks. Returns the MPI's code. */
int levels_run(coll_comm_t *c, const run_call_t *run);

#endif
