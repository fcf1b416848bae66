/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts one-sided operations and tracks the epochs of their windows. */
#ifndef BERTH_TRACE_WINDOW_H
#define BERTH_TRACE_WINDOW_H

#include "trace/record.h"

/* Epochs have numbers, from 1 in the order in which they were opened; 0 is none. */
typedef struct window {
  uint32_t id; /* of its spool_window; 0: calls alone are counted, because members are outside
                  MPI_COMM_WORLD or there was no room */
  const comm_t *comm;
  _Atomic uint64_t opened;            /* number of epochs */
  _Atomic uint64_t open[SPOOL_SYNCS]; /* the open ones by kind, but those of locks */
  _Atomic(_Atomic uint64_t *) locks;  /* and these by target; NULL before the first lock */
} window_t;

void window_setup(void);
void window_cleanup(void);

/* NULL if the handle isn't valid, or the window was made while nothing was recorded. */
window_t *window_find_slow(thread_t *t, MPI_Win handle);

/* Call these after MPI's function. A fence ends an epoch and opens the next. */
void window_made(thread_t *t, MPI_Comm comm, MPI_Win win);
void window_open(thread_t *t, MPI_Win win, spool_sync_t how);
void window_close(thread_t *t, MPI_Win win, spool_sync_t how);
void window_lock(thread_t *t, MPI_Win win, int target);
void window_unlock(thread_t *t, MPI_Win win, int target);
/* The window expressions of calls.def, for the wrapper's thread t. */
#define WIN_MADE(comm, win) window_made(t, comm, win)
#define WIN_FENCED(win, assertion)                                                                 \
  ((assertion)&MPI_MODE_NOSUCCEED ? window_close : window_open)(t, win, SPOOL_SYNC_FENCE)
#define WIN_STARTED(win)          window_open(t, win, SPOOL_SYNC_PSCW)
#define WIN_COMPLETED(win)        window_close(t, win, SPOOL_SYNC_PSCW)
#define WIN_LOCKED(win, target)   window_lock(t, win, target)
#define WIN_UNLOCKED(win, target) window_unlock(t, win, target)
#define WIN_ALL_LOCKED(win)       window_open(t, win, SPOOL_SYNC_LOCK_ALL)
#define WIN_ALL_UNLOCKED(win)     window_close(t, win, SPOOL_SYNC_LOCK_ALL)

/* A counted operation, to undo the count if MPI refuses the operation. */
typedef struct operation {
  posted_t posted;
  spool_rma_t *line; /* NULL unless it was the first of its line in an epoch */
} operation_t;

static inline window_t *window_find(thread_t *t, MPI_Win handle)
{
  unsigned epoch = atomic_load_explicit(&tracer.window_epoch, memory_order_acquire);
  unsigned slot = handle_slot((uintptr_t)handle);
  if (LIKELY(t->window_epoch == epoch && t->windows[slot].handle == handle &&
             t->windows[slot].window))
    return t->windows[slot].window;
  return window_find_slow(t, handle);
}

/* The epoch of an operation. If several are open, it is the innermost one, such as a lock within
 * an open fence. */
static inline uint64_t epoch_of(const window_t *w, uint32_t target, spool_sync_t *sync)
{
  _Atomic uint64_t *locks = atomic_load_explicit(&w->locks, memory_order_acquire);
  uint64_t epoch = locks ? atomic_load_explicit(&locks[target], memory_order_relaxed) : 0;
  *sync = SPOOL_SYNC_LOCK;
  if (epoch) return epoch;
  static const spool_sync_t outer[] = {SPOOL_SYNC_LOCK_ALL, SPOOL_SYNC_PSCW, SPOOL_SYNC_FENCE};
  for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
    *sync = outer[i];
    epoch = atomic_load_explicit(&w->open[outer[i]], memory_order_relaxed);
    if (epoch) return epoch;
  }
  *sync = SPOOL_SYNC_NONE;
  return 0;
}

/* Whether it is the first operation of a line in an epoch, of any thread. */
static inline bool begins_epoch(spool_rma_t *line, uint64_t epoch)
{
  if (__atomic_load_n(&line->last, __ATOMIC_RELAXED) == epoch) return false;
  if (__atomic_exchange_n(&line->last, epoch, __ATOMIC_RELAXED) == epoch) return false;
  __atomic_fetch_add(&line->epochs, 1, __ATOMIC_RELAXED);
  return true;
}

static inline operation_t count_operation(thread_t *t, spool_rma_t *line, uint32_t target,
                                          uint64_t epoch, uint64_t size)
{
  uint64_t key = spool_key(target, 0, line->id);
  spool_message_t *m = message_lookup(&t->operations, key, size);
  if (UNLIKELY(!m)) m = tables_operation_find_slow(t, key, size);
  if (UNLIKELY(!m)) {
    add_missed(&missed()->lost, 1);
    add_missed(&missed()->lost_bytes, size);
    return (operation_t){0};
  }
  m->count++;
  if (UNLIKELY(m->key & SPOOL_BIN)) m->excess += size - m->size;
  return (operation_t){{m, size}, begins_epoch(line, epoch) ? line : NULL};
}

/* Inline for the same reason as send_key. */
static inline __attribute__((always_inline)) operation_t
record_operation(thread_t *t, op_t op, int64_t count, MPI_Datatype type, int target, MPI_Win win,
                 void *caller)
{
  const window_t *w = target == MPI_PROC_NULL ? NULL : window_find(t, win);
  if (!w || (uint32_t)target >= w->comm->n_dest) return (operation_t){0};
  if (UNLIKELY(!w->id)) {
    unmodelled(op);
    return (operation_t){0};
  }
  if (UNLIKELY(watched() & WATCH_STOPPED)) {
    add_missed(&missed()->stopped, 1);
    return (operation_t){0};
  }
  spool_sync_t sync;
  uint64_t epoch = epoch_of(w, (uint32_t)target, &sync), size = amount(t, count, type);
  uint32_t world = comm_world_rank(w->comm, (uint32_t)target);
  const spool_rma_t key = {.window = w->id,
                           .site = tracer.depth ? site_find(t, op, caller) : 0,
                           .phase = spool_key_phase(phase_key()),
                           .target = sync == SPOOL_SYNC_LOCK ? (int32_t)world : -1,
                           .op = (uint16_t)op,
                           .sync = (uint16_t)sync};
  spool_rma_t *line = tables_rma_find(&t->lines, &key);
  if (UNLIKELY(!line)) line = tables_rma_find_slow(t, &key);
  if (UNLIKELY(!line)) {
    add_missed(&missed()->lost, 1);
    add_missed(&missed()->lost_bytes, size);
    return (operation_t){0};
  }
  return count_operation(t, line, world, epoch, size);
}

static inline void take_back_operation(operation_t o)
{
  take_back(o.posted);
  if (!o.line) return;
  __atomic_fetch_sub(&o.line->epochs, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&o.line->last, 0, __ATOMIC_RELAXED);
}

#endif
