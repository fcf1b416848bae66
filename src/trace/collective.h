/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts collective calls, for the wrappers of C and Fortran. */
#ifndef BERTH_TRACE_COLLECTIVE_H
#define BERTH_TRACE_COLLECTIVE_H

#include <string.h>

#include "base/divisor.h"
#include "trace/blocks.h"

/* The byte expressions of calls.def, for the wrapper's thread t and communicator c. They also note
 * the call's nature in t. */
#define BYTES(count, type)          amount_of(t, count, type)
#define BYTES_V(n, counts, type)    amounts(t, n, counts, type)
#define BYTES_W(n, counts, types)   amounts_w(t, n, counts, types)
#define BYTES_V_c(n, counts, type)  amounts_c(t, n, counts, type)
#define BYTES_W_c(n, counts, types) amounts_w_c(t, n, counts, types)
#define N_DEST                      c->n_dest
#define N_LOCAL                     c->n_local
#define OWN_RANK                    c->rank
#define REDUCED(op, bytes)          (t->nature.flags |= flags_of_op(op), (bytes))
#define IN_PLACE(condition, bytes)                                                                 \
  (t->nature.flags |= (condition) ? SPOOL_COLL_IN_PLACE : 0, (bytes))

/* The layouts of calls.def: noted before the call, and counted after it if MPI took it. `packs`
 * is a constant, so that other calls need no instruction for that. */
#define NO_LAYOUTS enum { packs = 0 };
#define LAYOUTS(condition, ...)                                                                    \
  enum { packs = 1 };                                                                              \
  if (c && UNLIKELY(t->nature.derived || (condition)) && !c->outside) {                            \
    blocks_begin(t);                                                                               \
    __VA_ARGS__;                                                                                   \
    call.packed = blocks_noted(t);                                                                 \
  }
#define DERIVED(type)         (!type_is_plain(t, type))
#define GIVES(n, count, type) block_note(t, false, n, count, type)
#define TAKES(n, count, type) block_note(t, true, n, count, type)
#define IS_ROOT(root)         (root == MPI_ROOT || (!c->inter && root == c->rank))
#define EACH_RANK(n, statement)                                                                    \
  for (int i = 0; i < (int)(n); i++) {                                                             \
    statement;                                                                                     \
  }
#define TO_EACH(statement)   OF_NEIGHBOURS(0, to->n, statement)
#define FROM_EACH(statement) OF_NEIGHBOURS(to->n, to->n_from, statement)
#define OF_NEIGHBOURS(first, many, statement)                                                      \
  {                                                                                                \
    const neighbours_t *to = comm_neighbours(t, c, comm);                                          \
    for (uint32_t i = 0; i < (many); i++)                                                          \
      if (to->dst[(first) + i] != NOBODY) statement;                                               \
  }

/* What the program's own operations say of themselves. MPI's own are all commutative. */
static inline uint16_t flags_of_op(MPI_Op op)
{
  if (LIKELY(op == mpi.sum || op == mpi.max || op == mpi.min)) return 0;
  return comm_op_flags(op);
}

/* Notes elements of a call: it may have several sizes. */
static inline void note_element(thread_t *t, uint64_t size)
{
  if (LIKELY(!t->nature.element))
    t->nature.element = size;
  else if (t->nature.element != size)
    t->nature.element = common_divisor(t->nature.element, size);
}

/* The size of a datatype, which may be a derived one. */
static inline uint64_t size_noted(thread_t *t, MPI_Datatype type)
{
  if (UNLIKELY(!type_is_plain(t, type))) t->nature.derived = 1;
  return type_size(t, type);
}

static inline uint64_t amount_of(thread_t *t, int64_t count, MPI_Datatype type)
{
  if (count <= 0) return 0;
  uint64_t size = size_noted(t, type);
  note_element(t, size);
  return (uint64_t)count * size;
}

/* Functions that sum the bytes of a list of counts of type count_t. The _w form has a datatype
 * for each count, of type handle_t; to_type(t, handle) converts it to C's. Both keep the parts
 * in t->row. */
#define DEFINE_AMOUNTS(suffix, count_t, handle_t, to_type)                                         \
  static uint64_t amounts##suffix(thread_t *t, uint32_t n, const count_t *counts,                  \
                                  MPI_Datatype type)                                               \
  {                                                                                                \
    uint64_t sum = 0, size = size_noted(t, type);                                                  \
    bool room = tables_row_room(t, n);                                                             \
    note_element(t, size);                                                                         \
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
      uint64_t bytes = amount_of(t, counts[i], to_type(t, types[i]));                              \
      if (room) t->row.bytes[i] = bytes;                                                           \
      sum += bytes;                                                                                \
    }                                                                                              \
    return sum;                                                                                    \
  }

/* The root's index in the communicator's list of ranks; -1 if there is no root. */
static inline int32_t listed_root(const comm_t *c, int root)
{
  if (root == MPI_ROOT) return (int32_t)c->own_at + c->rank;
  return root == NO_ROOT ? -1 : (int32_t)c->dest_at + root;
}

/* A collective call at this rank. */
typedef struct call {
  const comm_t *comm; /* NULL: not counted */
  op_t op;
  uint16_t flags; /* SPOOL_COLL_… */
  bool packed;    /* t->blocks has some of its blocks */
  uint32_t site;
  int root;
  uint64_t bytes, given; /* as in spool_coll_t, for one call */
  uint64_t element;
  const uint64_t *row; /* bytes to each destination if these differ, else NULL */
  uint64_t outside;    /* messages to processes outside MPI_COMM_WORLD */
} call_t;

/* Inline, so that a call site has as few frames of the tracer as a send's. MPI_PROC_NULL as the
 * root means that this rank doesn't take part (intercommunicators). */
static inline __attribute__((always_inline)) call_t new_call(thread_t *t, op_t op, MPI_Comm handle,
                                                             int root, bool varies, void *caller)
{
  const comm_t *c = root == MPI_PROC_NULL ? NULL : comm_find(t, handle);
  uint32_t site = c && tracer.depth ? site_find(t, op, caller) : 0;
  uint16_t flags = varies ? SPOOL_COLL_VARIES | SPOOL_COLL_PARTS : 0;
  t->row.n = 0;
  t->nature.element = t->nature.flags = t->nature.derived = 0;
  return (call_t){.comm = c, .op = op, .flags = flags, .site = site, .root = root};
}

/* Sets the bytes of a call. If they come from a list of counts, the list is what this rank sends
 * to each destination (SPOOL_COLL_VARIES) or each rank's part (MPI_Reduce_scatter). */
static inline void call_bytes(const thread_t *t, call_t *call, uint64_t bytes)
{
  call->element = t->nature.element;
  call->flags |= t->nature.flags;
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

/* Returns the record that was counted, for the two below. NULL if nothing was counted. */
spool_coll_t *collective_count(thread_t *t, const call_t *call);
/* MPI refused the call. */
void collective_uncount(thread_t *t, spool_coll_t *coll, const call_t *call);
/* After the call: undoes the count if MPI refused the call. Otherwise the call is a step of the
 * rank's program, and a call of all ranks ends a segment. */
void collective_end(thread_t *t, const call_t *call, spool_coll_t *counted, bool refused);

/* *key is the key in phase 0 of a neighbourhood collective's messages to one neighbour. Returns
 * false if there is nothing to count. Messages to processes outside are counted with the call. */
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

/* For wrappers. ITS_COMM is a call's communicator in its time. CALL makes the call; `c` is the
 * communicator in the expression of its bytes. EDGES does the action for each neighbour; `key` is
 * its key in phase 0, and `i` its index. */
#define ITS_COMM (call.comm ? call.comm->id : SPOOL_NO_COMM)
#define CALL(name, bytes_, root, varies)                                                           \
  call_t call = new_call(t, OP_##name, comm, root, varies, CALLER);                                \
  const comm_t *c = call.comm;                                                                     \
  if (c) call_bytes(t, &call, (uint64_t)(bytes_));
#define COUNT_LAYOUTS(accepted)                                                                    \
  if (packs && UNLIKELY(call.packed) && (accepted)) blocks_count(t, call.site, &t->blocks, 1)
#define EDGES(action)                                                                              \
  {                                                                                                \
    const neighbours_t *to = to_whom(t, &call, comm);                                              \
    uint64_t key;                                                                                  \
    uint64_t phase = phase_key(); /* no comma here: EDGES may be an argument of a macro */         \
    (void)phase;                                                                                   \
    for (uint32_t i = 0; i < to->n; i++)                                                           \
      if (edge_key(&call, to, i, &key)) action;                                                    \
  }

static inline void post_edge(thread_t *t, op_t op, call_t *call, uint64_t key, uint64_t size)
{
  post_in_phase(t, op, key, size);
  call->given += size;
}

/* Records a call that was counted in the rank's program, if its ranks wait for each other
 * (meet.c). */
void meet(thread_t *t, const call_t *call);
/* The same for a non-blocking one, which ends with its request. */
void meet_later(thread_t *t, const call_t *call, MPI_Request request);

#endif
