/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path of nearly all messages: small ones to ranks of MPI_COMM_WORLD, like one sent
 * lately. It calls nothing, so that a wrapper saves few registers. */
#ifndef BERTH_TRACE_QUICK_H
#define BERTH_TRACE_QUICK_H

#include "trace/context.h"
#include "trace/record.h"

static inline uint32_t memo_place(uint64_t key, int64_t count)
{
  return (uint32_t)(key ^ key >> 44 ^ (uint64_t)count) % MEMOS;
}

/* Takes the step of a send, if the program expects it and doesn't wait for the message. */
static inline __attribute__((always_inline)) bool quick_step(const thread_t *t, op_t op, int dest,
                                                             const spool_message_t *m)
{
  bool plain = op == OP_Send || op == OP_Isend || op == OP_Rsend || op == OP_Irsend;
  if (!plain || watched() != WATCH_ORDER || m->size >= tracer.eager) return false;
  const spool_step_t s = {.phase = spool_key_phase(m->key),
                          .kind = SPOOL_STEP_SEND,
                          .peer = (uint32_t)dest,
                          .size = m->size,
                          .times = 1};
  return phase_expects(t, &s);
}

/* The message record to count up if nothing else has to be done for this send; NULL otherwise. */
static inline __attribute__((always_inline)) spool_message_t *
quick_message(const thread_t *t, op_t op, uint32_t site, int64_t count, MPI_Datatype type, int dest,
              MPI_Comm comm)
{
  /* compare with the same table that the call goes through */
  if (UNLIKELY(comm != mpi_next.comm_world || (uint32_t)dest >= tracer.ranks)) return NULL;
  uint64_t key = spool_key((uint32_t)dest, 0, site) | phase_key();
  const memo_t *memo = &t->memos[memo_place(key, count)];
  if (UNLIKELY(memo->key != key || memo->count != count || memo->type != type)) return NULL;
  spool_message_t *m = memo->message;
  if (UNLIKELY(!(m->excess & SPOOL_TOUCHED) || !m->count)) return NULL;
  return LIKELY(!watched()) || quick_step(t, op, dest, m) ? m : NULL;
}

/* The same with the call's site. `frame` and `caller` are the wrapper's. */
static inline __attribute__((always_inline)) spool_message_t *
quick_message_of_site(const thread_t *t, op_t op, int64_t count, MPI_Datatype type, int dest,
                      MPI_Comm comm, uintptr_t frame, const void *caller)
{
  if (UNLIKELY(t->site_epoch != atomic_load_explicit(&site_epoch, memory_order_acquire)))
    return NULL;
  int32_t site = context_of_path(t, op, frame, caller);
  if (UNLIKELY(site == NO_SITE_KNOWN)) return NULL;
  return quick_message(t, op, (uint32_t)site, count, type, dest, comm);
}

/* Lets the next message of this kind take the fast path, if possible. */
static inline void quick_from_now_on(thread_t *t, posted_t p, int64_t count, MPI_Datatype type,
                                     MPI_Comm comm)
{
  if (!p.message || p.message->key & SPOOL_BIN || p.size > SHORT_SEND || comm != mpi.comm_world ||
      t->types[handle_slot((uintptr_t)type)].handle != type)
    return;
  t->memos[memo_place(p.message->key, count)] = (memo_t){p.message->key, count, type, p.message};
}

#endif
