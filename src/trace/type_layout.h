/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes: their sizes, and in how many contiguous pieces their data are. */
#ifndef BERTH_TRACE_TYPE_LAYOUT_H
#define BERTH_TRACE_TYPE_LAYOUT_H

#include "trace/tracer.h"

/* The data of a message in memory. */
typedef struct packing {
  uint64_t size;   /* bytes of data */
  uint64_t pieces; /* below 2: they are contiguous; or PIECES_UNKNOWN */
  uint64_t span;   /* bytes from the lowest to behind the highest, at least `size` */
} packing_t;
#define PIECES_UNKNOWN UINT64_MAX /* there was no room for the datatype's layout */

void type_layout_setup(void);
void type_layout_cleanup(void);

static inline unsigned handle_slot(uintptr_t handle)
{
  return (handle * 0x9e3779b9u >> 16) % HANDLE_CACHE;
}

/* Whether a datatype is one of MPI's that the thread met lately, without gaps. So its data are
 * contiguous. */
static inline bool type_is_plain(const thread_t *t, MPI_Datatype type)
{
  return LIKELY(t->types[handle_slot((uintptr_t)type)].handle == type);
}

/* Size of a datatype in bytes; 0 for the null datatype. */
uint64_t type_layout_size_slow(thread_t *t, MPI_Datatype type);
/* The packing of so many items; nothing for counts that MPI refuses. The datatype's layout is
 * worked out once, and kept as its attribute. */
packing_t type_layout_packing_slow(thread_t *t, int64_t count, MPI_Datatype type);

static inline uint64_t type_size(thread_t *t, MPI_Datatype type)
{
  unsigned slot = handle_slot((uintptr_t)type);
  if (LIKELY(t->types[slot].handle == type)) return t->types[slot].size;
  return type_layout_size_slow(t, type);
}

/* Bytes of count items; 0 for counts that MPI refuses. */
static inline uint64_t amount(thread_t *t, int64_t count, MPI_Datatype type)
{
  return count > 0 ? (uint64_t)count * type_size(t, type) : 0;
}

#endif
