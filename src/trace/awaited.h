/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives and waits as steps of a rank's program. Requests are followed from the call that makes
 * them to the call that completes them. Wrappers come here only if tracer.steps is true. */
#ifndef BERTH_TRACE_AWAITED_H
#define BERTH_TRACE_AWAITED_H

#include "trace/record.h"
#include "trace/request.h"

/* What a program waits for with a request. Ranks are world ranks; NOBODY: none. An MPI uses handles
 * again, so those of completed requests stay as long as there is room. */
typedef struct awaited {
  uintptr_t handle; /* 0: empty */
  uint32_t posted;  /* the source, or SPOOL_ANY_RANK; of a collective call: its number */
  uint32_t source;  /* the source, or SPOOL_ANY_RANK if it was one of several to choose from; or
                       AWAITED_CALL */
  uint32_t sent;    /* destination of a send that it waits for */
  bool persistent, active, cancelled; /* active: it can complete */
} awaited_t;

#define AWAITED_CALL (NOBODY - 1) /* in place of a source */
enum { AWAITED_SLOTS = 1 << 15, AWAITED_CALLS = 256 /* different ones */ };
extern awaited_t awaited_table[AWAITED_SLOTS];

/* A request of the current call. */
typedef struct noted {
  uintptr_t handle; /* 0: nothing that is followed */
  awaited_t *entry;
} noted_t;

/* Follows a new request; a persistent one isn't active. `source` is whom it receives from, `sent`
 * to whom goes a send that a wait for it waits for: world ranks, SPOOL_ANY_RANK or NOBODY. A
 * receive is posted now, or when a persistent one is started. */
void awaited_add(thread_t *t, MPI_Request request, uint32_t source, uint32_t sent, bool persistent);
/* Follows the request of a collective call. `end` is the step that the rank takes when it is
 * complete. */
void awaited_add_call(MPI_Request request, const spool_step_t *end);
/* MPI_Start, MPI_Cancel and MPI_Request_free of a request. */
void awaited_start(thread_t *t, MPI_Request request);
void awaited_cancel(MPI_Request request);
void awaited_forget(MPI_Request request);

/* Only MPI_THREAD_MULTIPLE lets two threads in at once. */
void awaited_lock_slow(void);
void awaited_unlock_slow(void);
static inline void awaited_lock(void)
{
  if (UNLIKELY(tracer.multiple)) awaited_lock_slow();
}

static inline void awaited_unlock(void)
{
  if (UNLIKELY(tracer.multiple)) awaited_unlock_slow();
}

/* The functions below follow a call that completes requests (awaited_begin and awaited_look come
 * before it). They count `first` as the index of the first request. `statuses` are the program's;
 * NULL: unknown or ignored. */
void awaited_every(thread_t *t, bool completed, const MPI_Status *statuses);
void awaited_one(thread_t *t, bool completed, int index, int first, const MPI_Status *status);
void awaited_some(thread_t *t, int n, const int *indices, int first, const MPI_Status *statuses);

static inline uint32_t awaited_home(uintptr_t handle)
{
  return (uint32_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 32) & (AWAITED_SLOTS - 1);
}

/* The entry of a handle, or NULL. */
awaited_t *awaited_find_slow(uintptr_t handle);
static inline awaited_t *awaited_find(uintptr_t handle)
{
  awaited_t *a = &awaited_table[awaited_home(handle)];
  return LIKELY(a->handle == handle) ? a : awaited_find_slow(handle);
}

/* Before a call that completes requests: awaited_begin makes room for n in t->awaited, then
 * awaited_look notes each. */
void awaited_more_room(thread_t *t, uint32_t n);
static inline void awaited_begin(thread_t *t, int n)
{
  t->awaited.n = 0;
  if (UNLIKELY(n > 0 && (uint32_t)n > t->awaited.room)) awaited_more_room(t, (uint32_t)n);
}

static inline void awaited_look(thread_t *t, MPI_Request request)
{
  if (t->awaited.n == t->awaited.room) return;
  noted_t *to = &t->awaited.request[t->awaited.n++];
  awaited_lock();
  awaited_t *a = awaited_find((uintptr_t)request);
  to->handle = a && a->active ? a->handle : 0;
  to->entry = a;
  awaited_unlock();
}

/* After a probe. If it looked for messages of any rank, the next receive on the communicator from
 * the rank that it found, or from any, counts as one for that message. NULL: a status that isn't
 * looked at, so that the next receive from whatever rank counts. */
static inline void awaited_probed(thread_t *t, int source, MPI_Comm comm, bool found,
                                  const MPI_Status *status)
{
  if (!found) return;
  t->probed.any = source == MPI_ANY_SOURCE;
  t->probed.comm = comm;
  t->probed.source = status ? status->MPI_SOURCE : MPI_ANY_SOURCE;
}

/* The world rank of a rank of a communicator, SPOOL_ANY_RANK or NOBODY. */
static inline uint32_t awaited_rank(thread_t *t, int source, MPI_Comm handle)
{
  if (source == MPI_PROC_NULL) return NOBODY;
  if (LIKELY(handle == mpi.comm_world)) {
    if (source == MPI_ANY_SOURCE) return SPOOL_ANY_RANK;
    return (uint32_t)source < tracer.ranks ? (uint32_t)source : NOBODY;
  }
  const comm_t *c = comm_find(t, handle);
  if (!c) return NOBODY;
  if (source == MPI_ANY_SOURCE) return c->outside ? NOBODY : SPOOL_ANY_RANK;
  uint32_t world = (uint32_t)source < c->n_dest ? comm_world_rank(c, (uint32_t)source) : NOWHERE;
  return world == NOWHERE ? NOBODY : world;
}

/* Whom a receive is from: the same. */
static inline uint32_t awaited_source(thread_t *t, int source, MPI_Comm handle)
{
  t->probed.first = t->probed.any && t->probed.comm == handle &&
                    (source == t->probed.source || source == MPI_ANY_SOURCE ||
                     t->probed.source == MPI_ANY_SOURCE);
  if (UNLIKELY(t->probed.first)) t->probed.any = false;
  if (UNLIKELY(source == MPI_ANY_SOURCE)) {
    t->from.comm = handle;
    t->from.known = true;
  }
  return awaited_rank(t, source, handle);
}

/* The same of a receive for a matched message. */
static inline uint32_t awaited_matched(thread_t *t)
{
  t->from.known = false;
  t->probed.first = false;
  return SPOOL_ANY_RANK;
}

/* A step about a receive, if it is from anybody. */
static inline void receive_step(thread_t *t, spool_step_kind_t kind, uint32_t source)
{
  if (source != NOBODY) phase_step(t, kind, source);
}

/* A receive is over. If it was for any rank's message, `status` says whose it got; NULL: unknown.
 */
static inline void received(thread_t *t, uint32_t source, const MPI_Status *status)
{
  bool first = t->probed.first, any = source == SPOOL_ANY_RANK;
  t->probed.first = false;
  if (UNLIKELY(any && status && t->from.known))
    source = awaited_rank(t, status->MPI_SOURCE, t->from.comm);
  if (UNLIKELY(first && source != NOBODY))
    phase_step_of(t, phase_first(source));
  else if (UNLIKELY(any && source != SPOOL_ANY_RANK))
    phase_came(t, source);
  else
    receive_step(t, SPOOL_STEP_RECEIVE, source);
}

/* The destination of a counted send that a program waits for; NOBODY if it needn't. */
static inline uint32_t awaited_sent(op_t op, posted_t p)
{
  return p.message && phase_waits_for(op, p.size) ? spool_key_dst(p.message->key) : NOBODY;
}

/* After MPI_Send_init and so on. */
static inline void await_send_init(thread_t *t, op_t op, MPI_Request request, const started_t *what)
{
  if (!what->partitioned && phase_waits_for(op, what->size))
    awaited_add(t, request, NOBODY, spool_key_dst(what->key), true);
}

/* After MPI_Sendrecv. */
static inline void exchanged(thread_t *t, op_t op, posted_t p, uint32_t source)
{
  uint32_t sent = awaited_sent(op, p);
  received(t, source, NULL);
  if (sent != NOBODY) phase_step(t, SPOOL_STEP_SENT, sent);
}

/* For wrappers: an expression of calls.def. */
#define SOURCE(source, comm) awaited_source(t, source, comm)

#endif
