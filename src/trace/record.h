/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts messages: the path of every message, all inline. */
#ifndef BERTH_TRACE_RECORD_H
#define BERTH_TRACE_RECORD_H

#include "trace/comm.h"
#include "trace/phase.h"
#include "trace/site.h"
#include "trace/tables.h"
#include "trace/type_layout.h"

static inline void *slot_record(uint32_t slot) { return memory_region.base + (size_t)slot * 32; }

static inline uint32_t record_place(const void *record)
{
  return (uint32_t)(((const unsigned char *)record - memory_region.base) / 32);
}

static inline uint32_t message_hash(uint64_t key, uint64_t size)
{
  uint64_t h = (key ^ size * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  return (uint32_t)(h >> 32);
}

/* The record with exactly this key and size; NULL if there is none yet. */
static inline spool_message_t *message_lookup(const index_t *x, uint64_t key, uint64_t size)
{
  if (UNLIKELY(!x->slots)) return NULL;
  for (uint32_t i = message_hash(key, size);; i++) {
    uint32_t slot = x->slots[i & (x->n_slots - 1)];
    if (UNLIKELY(!slot)) return NULL;
    spool_message_t *m = slot_record(slot);
    if (LIKELY(m->key == key && m->size == size)) return m;
  }
}

/* The record that counts messages of this key and size: an exact one, a bin, or the
 * destination's rest. NULL if there is none. */
static inline spool_message_t *message_find(thread_t *t, uint64_t key, uint64_t size)
{
  spool_message_t *m = message_lookup(&t->messages, key, size);
  if (!m) m = message_lookup(&t->messages, key | SPOOL_BIN, spool_bin(size));
  uint32_t rest = !m && t->rest ? t->rest[spool_key_dst(key)] : 0;
  return rest ? slot_record(rest) : m;
}

static inline spool_missed_t *missed(void) { return &region_header()->missed; }

static inline void add_missed(uint64_t *counter, uint64_t n)
{
  __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* Counts messages whose data aren't contiguous, or takes them back (below 0). NULL: there is
 * nothing to count. Threads share the counter of lost ones. */
static inline void packed_count(uint64_t *counter, int64_t n)
{
  if (LIKELY(!counter)) return;
  if (UNLIKELY(counter == &missed()->lost_layouts))
    __atomic_fetch_add(counter, (uint64_t)n, __ATOMIC_RELAXED);
  else
    *counter += (uint64_t)n;
}

/* A counted message, for take_back if MPI refuses it. */
typedef struct posted {
  spool_message_t *message; /* NULL: nothing was counted */
  uint64_t size;
  uint64_t *packed; /* the other counter, if its data aren't contiguous */
} posted_t;

static inline posted_t post(thread_t *t, uint64_t key, uint64_t size)
{
  spool_message_t *m = message_lookup(&t->messages, key, size);
  if (UNLIKELY(!m)) m = tables_message_find_slow(t, key, size);
  if (UNLIKELY(!m)) {
    add_missed(&missed()->lost, 1);
    add_missed(&missed()->lost_bytes, size);
    return (posted_t){0};
  }
  if (UNLIKELY(!(m->excess & SPOOL_TOUCHED))) segment_touch(m);
  m->count++;
  if (UNLIKELY(m->key & SPOOL_BIN)) m->excess += size - m->size;
  return (posted_t){m, size, NULL};
}

/* Counts a send in the current phase. `key` is its key in phase 0. */
static inline posted_t post_in_phase(thread_t *t, op_t op, uint64_t key, uint64_t size)
{
  key |= phase_key();
  if (UNLIKELY(watched()) && !phase_watch(t, op, key, size)) return (posted_t){.size = size};
  return post(t, key, size);
}

static inline void take_back(posted_t p)
{
  packed_count(p.packed, -1);
  if (!p.message) return;
  p.message->count--;
  if (p.message->key & SPOOL_BIN) p.message->excess -= p.size - p.message->size;
}

/* False for the first message of its kind, which may have to set up a connection. */
static inline bool is_short(posted_t p)
{
  return p.size <= SHORT_SEND && (!p.message || p.message->count > 1);
}

/* Counts a send of another datatype than type_is_plain's in the current phase (packed.c). `key` is
 * its key in phase 0. */
posted_t packed_post(thread_t *t, op_t op, uint64_t key, int64_t count, MPI_Datatype type);

/* *key is the key of a send to `dest` in phase 0. Returns false if there is nothing to count.
 * Inline, so that a call site begins with as many frames of the tracer as site_find expects. */
static inline __attribute__((always_inline)) bool
send_key(thread_t *t, op_t op, int dest, MPI_Comm handle, void *caller, uint64_t *key)
{
  if (dest == MPI_PROC_NULL) return false;
  uint32_t world = (uint32_t)dest;
  if (LIKELY(handle == mpi.comm_world)) {
    if (UNLIKELY(world >= tracer.ranks)) return false;
  } else {
    const comm_t *c = comm_find(t, handle);
    if (!c || world >= c->n_dest) return false;
    world = comm_world_rank(c, world);
    if (UNLIKELY(world == NOWHERE)) {
      add_missed(&missed()->outside, 1);
      unmodelled(op);
      return false;
    }
  }
  *key = spool_key(world, 0, tracer.depth ? site_find(t, op, caller) : 0);
  return true;
}

static inline __attribute__((always_inline)) posted_t record_send(thread_t *t, op_t op,
                                                                  int64_t count, MPI_Datatype type,
                                                                  int dest, MPI_Comm comm,
                                                                  void *caller)
{
  uint64_t key;
  if (!send_key(t, op, dest, comm, caller, &key)) return (posted_t){0};
  if (UNLIKELY(!type_is_plain(t, type))) return packed_post(t, op, key, count, type);
  return post_in_phase(t, op, key, amount(t, count, type));
}

#endif
