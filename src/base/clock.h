/* SPDX-License-Identifier: BSD-3-Clause */
/* The monotonic clock. */
#ifndef BERTH_BASE_CLOCK_H
#define BERTH_BASE_CLOCK_H

#include <time.h>

/* Seconds since an unknown moment. Changes of the system time don't affect it. */
static inline double clock_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
