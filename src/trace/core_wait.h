/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a thread was ready to run outside of MPI calls, while other processes or threads had its
 * core. Linux counts such waiting, inside of calls, too. So the count is read at both ends of a
 * long time outside, and at the end of a long call. What is waited in shorter times counts at the
 * next reading. */
#ifndef BERTH_TRACE_CORE_WAIT_H
#define BERTH_TRACE_CORE_WAIT_H

#include "trace/tracer.h"

/* Ticks from which a time is long. Asking whether the thread left its core takes 0.2 us, to read
 * the count 2 us more. */
extern uint64_t core_wait_long;

/* Without this no time is long. */
void core_wait_setup(void);

/* What this thread has waited so far doesn't count. */
void core_wait_begin(thread_t *t);

/* A long time outside ends now, with or without a call. */
void core_wait_outside(thread_t *t);

/* A long call ended. */
void core_wait_inside(thread_t *t);

/* Starts the clock of a call. */
static inline void core_wait_clock(thread_t *t)
{
  t->begin = clock_ticks();
  if (UNLIKELY(t->begin - t->times->last_tick >= core_wait_long)) core_wait_outside(t);
}

#endif
