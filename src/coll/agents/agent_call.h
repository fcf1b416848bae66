/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective call that agents carry out. It is prepared once, from what the program says; then it
 * is begun, and its result taken, once or, if it is persistent, again and again. */
#ifndef BERTH_COLL_AGENT_CALL_H
#define BERTH_COLL_AGENT_CALL_H

#include "coll/agents/agents.h"
#include "coll/coll_sides.h"
#include "schedule/schedule.h"

typedef struct agent_call {
  coll_comm_t *c;
  schedule_op_t op;
  int root;        /* or LEVELS_NO_ROOT */
  bool nothing;    /* there are no data: it is over at once */
  bool folds;      /* agents exchange the vectors, and ranks reduce them: `op` is the exchange */
  bool of_kept;    /* then: the type is a copy of the program's */
  bool lists_kept; /* counts and displacements are copies of the program's */
  schedule_op_t folded; /* then: the program's operation */
  side_t in, out;       /* what this rank gives and gets */
  reduction_t of;       /* of reductions */
  amounts_t counts;     /* of reduce-scatter */
  size_t n, bytes;      /* elements and bytes: of a block, or of the vector */
  /* While it is under way. */
  desk_order_t order; /* its `stream` and `call` stay: a persistent one is begun again */
  uint32_t end;       /* the value of the channel's word when it is over */
  int given; /* the code of copying the input: others wait for the call even if that failed */
} agent_call_t;

/* These return PASS_ON (calls.h) or MPI_SUCCESS: the call is prepared. All ranks return that alike,
 * but for arguments that the MPI refuses. */
int agent_barrier(agent_call_t *a, coll_comm_t *c);
int agent_bcast(agent_call_t *a, coll_comm_t *c, block_data_t data, int root);
/* Reduce, allreduce, scan and exscan: `data` is the output, with the count. */
int agent_reduction(agent_call_t *a, coll_comm_t *c, schedule_op_t op, const void *in,
                    block_data_t data, MPI_Op of, int root);
/* Reduce-scatter; `data` has one count, or counts. */
int agent_reduce_scatter(agent_call_t *a, coll_comm_t *c, const void *in, block_data_t data,
                         MPI_Op of);
/* All others. Counts say that blocks have different sizes. */
int agent_blocks(agent_call_t *a, coll_comm_t *c, schedule_op_t op, block_data_t in,
                 block_data_t out, int root);

/* The program may free its types and lists while a call is under way: keeps them; gives them up. Of
 * lists MPI says that it may not, but MPIs don't need them any more, and mpi4py 3.1 frees them. */
int agent_call_keep(agent_call_t *a);
void agent_call_drop(agent_call_t *a);

/* Begins a call: the input may be used again. Returns the MPI's code. */
int agent_call_begin(agent_call_t *a);
/* Whether it is over. */
static inline bool agent_call_over(const agent_call_t *a)
{
  return a->nothing || wait_word_over(&agents_channel_of(a->order.channel)->done, a->end);
}
/* Waits for it. False: it will never be. */
bool agent_call_wait(const agent_call_t *a);
/* Takes the result of a call that is over, or gives it up. Returns the MPI's code. */
int agent_call_end(agent_call_t *a);

#endif
