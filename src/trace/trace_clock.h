/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that calls are timed with. Nothing else on the path of a call reads a clock. */
#ifndef BERTH_TRACE_TRACE_CLOCK_H
#define BERTH_TRACE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds of the monotonic clock. A reading takes 24 ns on berth's reference machine. */
static inline uint64_t clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Whether the processor's counter can be read directly. That is so if the kernel keeps time by
 * it: it then has one rate and agrees between cores. Set before the first reading. */
extern bool clock_by_counter;

/* Ticks of unknown length. A reading of the counter takes 10 ns on the same machine. The header
 * that has the builtin's usual name, x86intrin.h, takes longer to compile than all else. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
  if (__builtin_expect(clock_by_counter, 1)) return __builtin_ia32_rdtsc();
#endif
  return clock_ns();
}

/* A moment on both clocks. Two of them give the length of a tick. */
typedef struct clock_mark {
  uint64_t ticks, ns;
} clock_mark_t;

/* What a reading adds to the time between two. At least that lies between any two readings. */
extern uint64_t clock_reading_ticks;

void clock_setup(void);
clock_mark_t clock_mark(void);
double clock_ticks_per_s(clock_mark_t from, clock_mark_t to);

#endif
