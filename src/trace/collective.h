/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting collective calls, for the wrappers of all languages. */
#ifndef BERTH_TRACE_COLLECTIVE_H
#define BERTH_TRACE_COLLECTIVE_H

#include <string.h>

#include "trace/record.h"

/* What bytes are in calls.def, for the thread t and the communicator c of a wrapper. */
#define BYTES(count, type)          amount(t, count, type)
#define BYTES_V(n, counts, type)    amounts(t, n, counts, type)
#define BYTES_W(n, counts, types)   amounts_w(t, n, counts, types)
#define BYTES_V_c(n, counts, type)  amounts_c(t, n, counts, type)
#define BYTES_W_c(n, counts, types) amounts_w_c(t, n, counts, types)
#define N_DEST                      c->n_dest
#define N_LOCAL                     c->n_local
#define OWN_RANK                    c->rank

/* Sums over the counts of a call, in a type that counts have, and one that datatypes of a list
 * have, of which to_type(t, handle) makes C's; what is added up stays in t->row. */
#define DEFINE_AMOUNTS(suffix, count_t, handle_t, to_type)                                         \
  static uint64_t amounts##suffix(thread_t *t, uint32_t n, const count_t *counts,                  \
                                  MPI_Datatype type)                                               \
  {                                                                                                \
    uint64_t sum = 0, size = type_size(t, type);                                                   \
    bool room = tables_row_room(t, n);                                                             \
    for (uint32_t i = 0; i < n; i++) {                                                             \
      uint64_t bytes = counts[i] > 0 ? (uint64_t)counts[i] * size : 0;                             \
      if (room) t->row.bytes[i] = bytes;                                                           \
      sum += bytes;                                                                                \
    }                                                                                              \
    return sum;                                                                                    \
  }                                                                                                \
  static uint64_t amounts_w##suffix(thread_t *t, uint32_t n, const count_t *counts,                \
                                    const handle_t *types)                                         \
  {                                                                                                \
    uint64_t sum = 0;                                                                              \
    bool room = tables_row_room(t, n);                                                             \
    for (uint32_t i = 0; i < n; i++) {                                                             \
      uint64_t bytes = amount(t, counts[i], to_type(t, types[i]));                                 \
      if (room) t->row.bytes[i] = bytes;                                                           \
      sum += bytes;                                                                                \
    }                                                                                              \
    return sum;                                                                                    \
  }

/* The root's place in the list of the communicator's ranks; -1 for none. */
static inline int32_t listed_root(const comm_t *c, int root)
{
  if (root == MPI_ROOT) return (int32_t)c->own_at + c->rank;
  return root == NO_ROOT ? -1 : (int32_t)c->dest_at + root;
}

/* A collective call at this rank. */
typedef struct call {
  const comm_t *comm; /* NULL: none that is counted */
  op_t op;
  uint16_t flags; /* SPOOL_COLL_… */
  uint32_t site;
  int root;
  uint64_t bytes, given; /* as in spool_coll_t, of one call */
  const uint64_t *row;   /* bytes to each of the destinations, where these differ; else NULL */
  uint64_t outside;      /* messages to processes that are not in MPI_COMM_WORLD */
} call_t;

/* Inline so that the tracer's own frames of a call site are as few as for sends. A root that is
 * MPI_PROC_NULL is one of the root's neighbours on an intercommunicator, who do nothing. */
static inline __attribute__((always_inline)) call_t new_call(thread_t *t, op_t op, MPI_Comm handle,
                                                             int root, bool varies, void *caller)
{
  const comm_t *c = root == MPI_PROC_NULL ? NULL : comm_find(t, handle);
  uint32_t site = c && tracer.depth ? site_find(t, op, caller) : 0;
  uint16_t flags = varies ? SPOOL_COLL_VARIES | SPOOL_COLL_PARTS : 0;
  t->row.n = 0;
  return (call_t){c, op, flags, site, root, 0, 0, NULL, 0};
}

/* The bytes of a call: a list of counts that it was worked out from is, where bytes vary, what this
 * rank sends to each, else (MPI_Reduce_scatter) each rank's part of them. */
static inline void call_bytes(const thread_t *t, call_t *call, uint64_t bytes)
{
  if (!(call->flags & SPOOL_COLL_VARIES)) {
    call->bytes = bytes;
    if (!t->row.n) return;
    call->flags |= SPOOL_COLL_PARTS;
    call->given = t->row.bytes[call->comm->rank];
  } else {
    call->given = bytes;
    if (!t->row.n) return;
    call->flags |= SPOOL_COLL_ROWS;
    call->row = t->row.bytes;
  }
}

static inline void count_row(thread_t *t, spool_coll_t *coll, const call_t *call)
{
  for (uint32_t i = 0; call->row && i < call->comm->n_dest; i++) {
    spool_message_t *m = call->row[i] ? tables_row_find(t, coll, call->comm->dest_at + i) : NULL;
    if (!m) continue;
    if (UNLIKELY(!(m->excess & SPOOL_TOUCHED))) segment_touch_row(m);
    m->count++;
    m->excess += call->row[i];
  }
}

/* Returns what was counted, so that it can be taken back when MPI refuses the call. */
static inline spool_coll_t *count_call(thread_t *t, const call_t *call)
{
  if (!call->comm) return NULL;
  if (UNLIKELY(call->outside)) add_missed(&missed()->outside, call->outside);
  if (call->comm->outside) {
    add_missed(&missed()->outside_calls, 1);
    unmodelled(call->op);
    return NULL;
  }
  if (UNLIKELY(watched() & WATCH_STOPPED)) {
    add_missed(&missed()->stopped_calls, 1);
    return NULL;
  }
  const spool_coll_t key = {.comm = call->comm->id,
                            .root = listed_root(call->comm, call->root),
                            .site = call->site,
                            .phase = spool_key_phase(phase_key()),
                            .bytes = call->bytes,
                            .op = (uint16_t)call->op,
                            .flags = call->flags};
  spool_coll_t *coll = tables_coll_count(t, &key);
  if (!coll) return NULL;
  coll->given += call->given;
  count_row(t, coll, call);
  return coll;
}

static inline void uncount_call(thread_t *t, spool_coll_t *coll, const call_t *call)
{
  coll->count--;
  coll->given -= call->given;
  for (uint32_t i = 0; call->row && i < call->comm->n_dest; i++) {
    spool_message_t *m = call->row[i] ? tables_row_find(t, coll, call->comm->dest_at + i) : NULL;
    if (!m) continue;
    m->count--;
    m->excess -= call->row[i];
  }
}

/* The key in phase 0 of a neighbourhood collective's messages to one of the neighbours; false when
 * there is nothing to count but, with the call, one to a process outside. */
static inline bool edge_key(call_t *call, const neighbours_t *to, uint32_t i, uint64_t *key)
{
  if (to->dst[i] == NOBODY) return false;
  if (UNLIKELY(to->dst[i] == NOWHERE)) {
    call->outside++;
    return false;
  }
  *key = spool_key(to->dst[i], 0, call->site);
  return true;
}

static inline const neighbours_t *to_whom(thread_t *t, const call_t *call, MPI_Comm handle)
{
  static const neighbours_t nobody;
  return call->comm ? comm_neighbours(t, call->comm, handle) : &nobody;
}

/* In a wrapper: the call, with `c` in the expression of its bytes; and what is to be done about
 * each neighbour, with its key in phase 0, and `i` in the expression of what is sent to it. */
#define CALL(name, bytes_, root, varies)                                                           \
  call_t call = new_call(t, OP_##name, comm, root, varies, CALLER);                                \
  const comm_t *c = call.comm;                                                                     \
  if (c) call_bytes(t, &call, (uint64_t)(bytes_));
#define EDGES(action)                                                                              \
  {                                                                                                \
    const neighbours_t *to = to_whom(t, &call, comm);                                              \
    uint64_t key, phase = phase_key();                                                             \
    (void)phase;                                                                                   \
    for (uint32_t i = 0; i < to->n; i++)                                                           \
      if (edge_key(&call, to, i, &key)) action;                                                    \
  }

static inline void post_edge(thread_t *t, op_t op, call_t *call, uint64_t key, uint64_t size)
{
  post_in_phase(t, op, key, size);
  call->given += size;
}

/* What a persistent collective does when it is started: one call, and messages to neighbours. */
typedef struct plan {
  call_t call;
  spool_coll_t *counted; /* when it was started last */
  size_t bytes;          /* of all of this */
  uint32_t n, room;
  struct {
    uint64_t key, size;
  } edge[];
} plan_t;

/* Room for so many messages, and a copy of the row; NULL when memory is out. */
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
  if (plan) memory_free(plan, plan->bytes);
}

static inline void plan_edge(plan_t *plan, uint64_t key, uint64_t size)
{
  if (!plan || plan->n == plan->room) return;
  plan->call.given += size;
  plan->edge[plan->n].key = key;
  plan->edge[plan->n++].size = size;
}

/* The plan goes with the request, if MPI made one, else away. */
static inline void keep_plan(const MPI_Request *request, plan_t *plan, const call_t *call)
{
  if (plan) plan->call.outside = call->outside;
  if (plan && plan->call.comm && request)
    request_add(*request, (started_t){.plan = plan});
  else
    plan_free(plan);
}

/* Counts what a started request does, and takes that back when MPI refuses it. */
static inline posted_t count_start(thread_t *t, const started_t *what)
{
  if (what->partitioned) return (posted_t){0};
  if (LIKELY(!what->plan)) return post_in_phase(t, OP_START, what->key, what->size);
  plan_t *plan = what->plan;
  plan->counted = count_call(t, &plan->call);
  for (uint32_t i = 0; i < plan->n; i++)
    post_in_phase(t, OP_START, plan->edge[i].key, plan->edge[i].size);
  return (posted_t){0};
}

static inline void take_back_message(thread_t *t, uint64_t key, uint64_t size)
{
  take_back((posted_t){message_find(t, key, size), size});
}

/* Counts partitions of a partitioned send that are ready, each as a message; false when there was
 * nothing to count. */
static inline bool count_ready(thread_t *t, MPI_Request request, int n, started_t *what)
{
  if (!request_find(request, what) || !what->partitioned) return false;
  bool stopped = watched() & WATCH_STOPPED;
  for (int i = 0; i < n; i++) post_in_phase(t, OP_START, what->key, what->size);
  return !stopped;
}

static inline void take_back_start(thread_t *t, const started_t *what, uint64_t phase)
{
  if (what->partitioned) return;
  plan_t *plan = what->plan;
  if (!plan) take_back_message(t, what->key | phase, what->size);
  if (plan && plan->counted) uncount_call(t, plan->counted, &plan->call);
  for (uint32_t i = 0; plan && i < plan->n; i++)
    take_back_message(t, plan->edge[i].key | phase, plan->edge[i].size);
}

/* After the call: takes back what MPI refused; otherwise a call of all ranks ends a segment. */
static inline void end_coll(thread_t *t, const call_t *call, spool_coll_t *counted, bool refused)
{
  if (UNLIKELY(refused)) {
    if (counted) uncount_call(t, counted, call);
  } else if (call->comm && call->comm->everyone) {
    segment_end(t, counted);
  }
}

#endif
