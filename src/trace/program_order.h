/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs that a thread records, in the mapped file: that of phase 0, and that of one other
 * phase at a time. */
#ifndef BERTH_TRACE_PROGRAM_ORDER_H
#define BERTH_TRACE_PROGRAM_ORDER_H

#include "trace/program.h"
#include "trace/tracer.h"

typedef struct order {
  const spool_phase_t *phase; /* whose program it is */
  spool_block_t *block;
  uint32_t first; /* record of the block */
  program_t program;
} order_t;

/* Begins the program of a phase. Another one of this thread ends, unless it is that of phase 0.
 * Returns false if there is no room. */
bool order_begin(thread_t *t, spool_phase_t *phase);
/* Adds a step that isn't the expected one. Returns SPOOL_ORDER_KEPT, or why that isn't possible;
 * the program's records are gone then. */
spool_order_t order_add_slow(order_t *o, const spool_step_t *s);

/* The program of a phase, if this thread records it; else NULL. */
static inline order_t *order_of(const thread_t *t, const spool_phase_t *phase)
{
  order_t *o = t->orders[phase->id != 0];
  return LIKELY(o && o->phase == phase) ? o : NULL;
}

static inline spool_order_t order_add(order_t *o, const spool_step_t *s)
{
  return LIKELY(program_expects(&o->program, s)) ? SPOOL_ORDER_KEPT : order_add_slow(o, s);
}

/* Folds the end of a phase's program. */
void order_end(const thread_t *t, const spool_phase_t *phase);

#endif
