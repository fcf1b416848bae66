/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that reads a clock on the way of a call. */
#ifndef BERTH_TRACE_TRACE_CLOCK_H
#define BERTH_TRACE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Nanoseconds of the monotonic clock: 24 ns a reading here. */
static inline uint64_t clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* True when the processor's counter may be read directly: the kernel keeps time by it, so it runs
 * at one rate and agrees between cores. Set before the first reading. */
extern bool clock_by_counter;

/* Ticks of unknown length: 10 ns a reading here. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
  if (__builtin_expect(clock_by_counter, 1)) return __rdtsc();
#endif
  return clock_ns();
}

/* A moment on both clocks; two of them tell how long a tick is. */
typedef struct clock_mark {
  uint64_t ticks, ns;
} clock_mark_t;

void clock_setup(void);
clock_mark_t clock_mark(void);
double clock_ticks_per_s(clock_mark_t from, clock_mark_t to);

#endif
