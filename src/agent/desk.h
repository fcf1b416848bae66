/* SPDX-License-Identifier: BSD-3-Clause */
/* What an agent and the ranks of its host share: queues of orders, and channels, by which ranks
 * hear of the ends of calls. After A. Moody's thesis (2003), section 3.3.1: an order is a
 * descriptor of 64 bytes, it names a channel and a cached communication structure by number, and
 * nothing else is written to start a call.
 *
 * Each rank has a queue and channels of its own; the agent reads the queue, and writes channels.
 * Data lie in stores (store.h): a rank's input in its own, results in the agent's. */
#ifndef BERTH_AGENT_DESK_H
#define BERTH_AGENT_DESK_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/store.h"
#include "base/wait_word.h"

enum {
  DESK_ORDERS = 256,    /* in a rank's queue */
  DESK_CHANNELS = 1024, /* of a rank: so many calls may be under way */
  DESK_STRUCTURES = 4096,
  DESK_SMALL = 40,    /* bytes that fit into a channel */
  DESK_ADDRESS = 128, /* bytes of an agent's address in the network, at most */
  DESK_SECRET = 16,   /* bytes by which the job's agents know one another */
  DESK_WHY = 160,
  DESK_PATIENCE = 60 /* seconds without a sign of life, if nothing else is said */
};

/* How far the agent is. */
typedef enum desk_state {
  DESK_STARTS,
  DESK_MET,    /* it has mapped all ranks' stores, and has an address */
  DESK_RUNS,   /* it knows the other agents, and takes orders */
  DESK_ENDED,  /* it has taken its leave */
  DESK_FAILED, /* `why` says why */
} desk_state_t;

typedef enum desk_kind {
  DESK_OPEN = 1, /* a communication structure; `in` is a desk_structure_t */
  DESK_PEERS,    /* `in` has its numbers on all hosts, uint32_t */
  DESK_CALL,
  DESK_TAKEN, /* the rank has its result of this call */
  DESK_CLOSE
} desk_kind_t;

typedef enum desk_flag { DESK_IN_LINE = 1 /* the input is in the channel */ } desk_flag_t;

typedef struct desk_order {
  uint8_t kind, op;        /* desk_kind_t, schedule_op_t */
  uint8_t type, operation; /* kernel_type_t, kernel_op_t of reductions */
  uint16_t channel, flags;
  uint32_t structure;
  uint32_t stream; /* 0: calls that all ranks make in the same order; otherwise a persistent
                      request, whose calls don't wait for others */
  uint32_t call;   /* counted from 1 in each stream */
  int32_t root;    /* its place in the order of hosts; 0 if there is none */
  int32_t element; /* bytes */
  uint16_t degree; /* of trees of reductions and broadcasts; 0: as the agent chooses */
  uint16_t unused[5];
  int64_t count;         /* of elements of a block, or of the vector */
  uint64_t in, in_bytes; /* in the rank's store */
} desk_order_t;
_Static_assert(sizeof(desk_order_t) == 64, "a descriptor has 64 bytes");

/* A communicator, as the agent of one of its hosts has to know it. Lists follow: for each member
 * the number of its queue; for each host its agent, and the number of its members; int32_t. */
typedef struct desk_structure {
  int32_t members, hosts, own_host;
  int32_t unused;
  double half; /* of the network (schedule/two_levels/choose.h) */
  int32_t lists[];
} desk_structure_t;

typedef struct desk_channel {
  _Alignas(64) wait_word_t done; /* rises by one when a call ends */
  int32_t code;                  /* 0, or the errno of what went wrong */
  int32_t small;                 /* the result is in `data` */
  union {
    char data[DESK_SMALL];
    uint64_t out; /* the result, in the agent's store; 0: none */
  } with;
} desk_channel_t;
_Static_assert(sizeof(desk_channel_t) == 64, "a channel is a line");

/* Tells the rank that what it has ordered is over. */
static inline void desk_channel_end(desk_channel_t *c)
{
  wait_word_set(&c->done, atomic_load(&c->done.value) + 1);
}

typedef struct desk_rank {
  /* What the rank tells before it is `ready`: its store, and the pipe by which it wakes the agent.
   * The pipe has no other reader and no other writer, so that each sees when the other ends. */
  store_name_t store;
  int process, bell;
  _Alignas(64) wait_word_t ready;
  _Alignas(64) _Atomic uint32_t tail; /* orders that were written */
  _Alignas(64) _Atomic uint32_t head; /* orders that the agent has read */
  desk_order_t order[DESK_ORDERS];
  desk_channel_t channel[DESK_CHANNELS];
} desk_rank_t;

typedef struct desk {
  uint64_t mark; /* of the shared file */
  int32_t ranks; /* of this host */
  int32_t agents, own_agent;
  int32_t shares_cores; /* the agent's, with ranks: then it doesn't wait awake */
  /* A pipe that the rank who made it and all others have open, and nobody writes. When the last of
   * them closes it, or ends, the system ends the agent, even if it is stopped. */
  int32_t starter, life;
  double patience; /* seconds without a sign of life */
  cpu_set_t cores; /* that ranks of this machine may use */
  cpu_set_t free;  /* of these: beside the ranks, as their placement says */
  _Alignas(64) wait_word_t state;
  _Alignas(64) wait_word_t told; /* 1: addresses and the secret are there; 2: end */
  _Atomic int32_t lost;          /* the agent that was last given up, from 1; 0: none */
  _Alignas(64) _Atomic uint32_t sleeps;
  _Alignas(64) _Atomic uint32_t beat; /* rises while the agent lives */
  char why[DESK_WHY];
  int process;        /* the agent's */
  store_name_t store; /* the agent's */
  unsigned char secret[DESK_SECRET];
} desk_t;

/* Bytes of a desk. */
size_t desk_bytes(int ranks, int agents);
/* The addresses of all agents, DESK_ADDRESS bytes each. */
static inline char *desk_address(desk_t *d, int agent)
{
  return (char *)(d + 1) + (size_t)agent * DESK_ADDRESS;
}
static inline desk_rank_t *desk_rank(desk_t *d, int rank)
{
  return (desk_rank_t *)(void *)desk_address(d, d->agents) + rank;
}

#endif
