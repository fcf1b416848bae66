/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: what they send, and counting their starts. */
#ifndef BERTH_TRACE_REQUEST_H
#define BERTH_TRACE_REQUEST_H

#include "trace/collective.h"

/* What a persistent collective sends when it is started. */
typedef struct plan {
  call_t call;
  spool_coll_t *counted; /* by the latest start */
  blocks_t blocks;       /* those that aren't contiguous */
  size_t bytes;          /* of the whole allocation */
  uint32_t n, room;
  struct {
    uint64_t key, size;
  } edge[];
} plan_t;

/* What a started persistent request sends, or that it receives data that aren't contiguous. */
typedef struct started {
  uint64_t key, size; /* of a receive, the key has the site alone */
  plan_t *plan;       /* of a collective; else NULL */
  bool partitioned;   /* its partitions are counted, not its start */
  bool receives;
  uint64_t pieces, span; /* as in packing_t */
} started_t;
void request_add(MPI_Request request, started_t what);
bool request_find(MPI_Request request, started_t *what);
void request_remove(MPI_Request request);

/* A plan with room for that many messages and a copy of the row; NULL if memory is out. */
static inline plan_t *plan_new(call_t call, uint32_t room)
{
  size_t row = call.row ? call.comm->n_dest * sizeof *call.row : 0;
  size_t bytes = sizeof(plan_t) + room * sizeof *((plan_t *)NULL)->edge;
  plan_t *plan = memory_alloc(bytes + row);
  if (!plan) return NULL;
  *plan = (plan_t){.call = call, .bytes = bytes + row, .room = room};
  if (row) plan->call.row = memcpy((unsigned char *)plan + bytes, call.row, row);
  return plan;
}

static inline void plan_free(plan_t *plan)
{
  if (!plan) return;
  blocks_clear(&plan->blocks);
  memory_free(plan, plan->bytes);
}

static inline void plan_edge(plan_t *plan, uint64_t key, uint64_t size)
{
  if (!plan || plan->n == plan->room) return;
  plan->call.given += size;
  plan->edge[plan->n].key = key;
  plan->edge[plan->n++].size = size;
}

/* For wrappers: keeps what LAYOUTS has noted. */
#define PLAN_LAYOUTS                                                                               \
  if (packs && plan && call.packed) plan->blocks = blocks_copy(&t->blocks)

/* Registers the plan for the request, which owns it. Frees the plan if MPI made no request. */
static inline void keep_plan(const MPI_Request *request, plan_t *plan, const call_t *call)
{
  if (plan) plan->call.outside = call->outside;
  if (plan && plan->call.comm && request)
    request_add(*request, (started_t){.plan = plan});
  else
    plan_free(plan);
}

/* What counts the messages of a request whose data aren't contiguous (packed.c), or NULL. */
uint64_t *packed_of_request(thread_t *t, const started_t *what);

/* Counts what a started request sends. take_back_start undoes it if MPI refuses the start. */
static inline posted_t count_start(thread_t *t, const started_t *what)
{
  if (what->partitioned) return (posted_t){0};
  if (UNLIKELY(what->pieces > 1)) {
    packed_count(packed_of_request(t, what), 1);
    if (what->receives) return (posted_t){0};
  }
  if (LIKELY(!what->plan)) return post_in_phase(t, OP_Start, what->key, what->size);
  plan_t *plan = what->plan;
  plan->counted = collective_count(t, &plan->call);
  blocks_count(t, plan->call.site, &plan->blocks, 1);
  for (uint32_t i = 0; i < plan->n; i++)
    post_in_phase(t, plan->call.op, plan->edge[i].key, plan->edge[i].size);
  return (posted_t){0};
}

static inline void take_back_message(thread_t *t, uint64_t key, uint64_t size)
{
  take_back((posted_t){message_find(t, key, size), size, NULL});
}

/* Counts the ready partitions of a partitioned send, each as a message. Returns false if nothing
 * was counted. */
static inline bool count_ready(thread_t *t, MPI_Request request, int n, started_t *what)
{
  if (!request_find(request, what) || !what->partitioned) return false;
  bool stopped = watched() & WATCH_STOPPED;
  for (int i = 0; i < n; i++) post_in_phase(t, OP_PARTITION, what->key, what->size);
  return !stopped;
}

static inline void take_back_start(thread_t *t, const started_t *what, uint64_t phase)
{
  if (what->partitioned) return;
  if (UNLIKELY(what->pieces > 1)) packed_count(packed_of_request(t, what), -1);
  plan_t *plan = what->plan;
  if (!plan && !what->receives) take_back_message(t, what->key | phase, what->size);
  if (plan) blocks_count(t, plan->call.site, &plan->blocks, -1);
  if (plan && plan->counted) collective_uncount(t, plan->counted, &plan->call);
  for (uint32_t i = 0; plan && i < plan->n; i++)
    take_back_message(t, plan->edge[i].key | phase, plan->edge[i].size);
}

#endif
