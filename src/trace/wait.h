/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of calls: which calls are timed, and the way out of a call. */
#ifndef BERTH_TRACE_WAIT_H
#define BERTH_TRACE_WAIT_H

#include "trace/core_wait.h"
#include "trace/op.h"

static inline void tracer_clock(thread_t *t)
{
  t->weight = 1;
  t->waits.timed = false;
  core_wait_clock(t);
}

static inline void tracer_no_clock(thread_t *t) { t->begin = 0; }

/* Number of calls to skip: TIMED_ONE_IN - 1 on average. It is random, so that no rhythm of the
 * program affects it. */
static inline uint32_t tracer_pause(thread_t *t)
{
  t->random = t->random * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)t->random * (2 * TIMED_ONE_IN - 1) >> 32);
}

/* For calls that take about as long as two readings of the clock. Times one in TIMED_ONE_IN on
 * average, which stands for them. */
static inline void tracer_clock_sometimes(thread_t *t)
{
  t->begin = 0;
  if (LIKELY(t->pause > 0)) {
    t->pause--;
    return;
  }
  t->pause = tracer_pause(t);
  t->weight = TIMED_ONE_IN;
  t->waits.timed = false;
  core_wait_clock(t);
}

/* For calls that wait for a message. Times all of them, unless thousands in a row return at
 * once. */
static inline void tracer_clock_wait(thread_t *t)
{
  t->begin = 0;
  if (LIKELY(t->waits.pause > 0)) {
    t->waits.pause--;
    return;
  }
  t->waits.timed = true;
  core_wait_clock(t);
}

/* How much of a time without a core since the last timed call was outside of calls. The rest counts
 * with the next timed one. */
uint64_t wait_outside(thread_t *t, uint64_t ticks);

/* Adds the time of a call that was timed. */
void wait_ended(thread_t *t, op_t op, uint32_t comm);

/* The communicator is that of a collective call, as in spool_spent_t. */
static inline void tracer_leave(thread_t *t, op_t op, uint32_t comm)
{
  if (UNLIKELY(t->begin != 0)) wait_ended(t, op, comm);
  t->inside = 0;
}

#endif
