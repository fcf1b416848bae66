/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting collective calls, for the wrappers of all languages. */
#ifndef BERTH_TRACE_COLLECTIVE_H
#define BERTH_TRACE_COLLECTIVE_H

#include "trace/record.h"

static inline bool is_absent(neighbours_t to, uint32_t i) { return i < 64 && to.absent >> i & 1; }

/* Sums over the counts of a call, in a type that counts have, and one that datatypes of a list
 * have, of which to_type(t, handle) makes C's. */
#define DEFINE_AMOUNTS(suffix, count_t, handle_t, to_type)                                         \
  static uint64_t neighbour_amounts##suffix(thread_t *t, neighbours_t to, const count_t *counts,   \
                                            MPI_Datatype type)                                     \
  {                                                                                                \
    uint64_t sum = 0;                                                                              \
    for (uint32_t i = 0; i < to.places; i++)                                                       \
      if (counts[i] > 0 && !is_absent(to, i)) sum += (uint64_t)counts[i];                          \
    return sum ? sum * type_size(t, type) : 0;                                                     \
  }                                                                                                \
  static uint64_t neighbour_amounts_w##suffix(thread_t *t, neighbours_t to, const count_t *counts, \
                                              const handle_t *types)                               \
  {                                                                                                \
    uint64_t sum = 0;                                                                              \
    for (uint32_t i = 0; i < to.places; i++)                                                       \
      if (!is_absent(to, i)) sum += amount(t, counts[i], to_type(t, types[i]));                    \
    return sum;                                                                                    \
  }                                                                                                \
  static uint64_t amounts##suffix(thread_t *t, uint32_t n, const count_t *counts,                  \
                                  MPI_Datatype type)                                               \
  {                                                                                                \
    return neighbour_amounts##suffix(t, (neighbours_t){.places = n}, counts, type);                \
  }                                                                                                \
  static uint64_t amounts_w##suffix(thread_t *t, uint32_t n, const count_t *counts,                \
                                    const handle_t *types)                                         \
  {                                                                                                \
    return neighbour_amounts_w##suffix(t, (neighbours_t){.places = n}, counts, types);             \
  }

/* The root's place in the list of the communicator's ranks; -1 for none. */
static inline int32_t listed_root(const comm_t *c, int root)
{
  if (root == MPI_ROOT) return (int32_t)c->own_at + c->rank;
  return root == NO_ROOT ? -1 : (int32_t)c->dest_at + root;
}

/* Returns what was counted, so that it can be taken back when MPI refuses the call. Inline so that
 * the tracer's own frames of a call site are as few as for sends. */
static inline __attribute__((always_inline)) spool_coll_t *record_coll(thread_t *t, const comm_t *c,
                                                                       op_t op, uint64_t bytes,
                                                                       int root, bool varies,
                                                                       void *caller)
{
  if (c->outside) {
    add_missed(&missed()->outside_calls, 1);
    return NULL;
  }
  if (UNLIKELY(watched() & WATCH_STOPPED)) {
    add_missed(&missed()->stopped_calls, 1);
    return NULL;
  }
  const spool_coll_t key = {.comm = c->id,
                            .root = listed_root(c, root),
                            .site = tracer.depth ? site_find(t, op, caller) : 0,
                            .phase = spool_key_phase(phase_key()),
                            .bytes = bytes,
                            .op = (uint16_t)op,
                            .varies = varies};
  return coll_count(t, &key);
}

/* After the call: takes back what MPI refused; otherwise a call of all ranks ends a segment. */
static inline void end_coll(thread_t *t, const comm_t *c, spool_coll_t *counted, bool refused)
{
  if (UNLIKELY(refused)) {
    if (counted) counted->count--;
  } else if (c && c->everyone) {
    segment_end(t, counted);
  }
}

#endif
