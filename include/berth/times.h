/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of something that was repeated, as distributions: a mean hides what noise does (A. Moody,
 * Master's thesis, The Ohio State University, 2003, section 5.4.1). All are in seconds. */
#ifndef BERTH_TIMES_H
#define BERTH_TIMES_H

#include <berth/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A summary of times. */
typedef struct berth_spread {
  double mean, deviation, least, median, most;
  double band[2]; /* the narrowest interval with 97% of the times */
} berth_spread_t;

/* Sorts the times. n is at least 1. */
BERTH_API berth_spread_t berth_spread_of(double *times, size_t n);

enum { BERTH_TIME_BINS = 16 };

/* How often each time occurred: the fastest 99% in intervals, the others together. Intervals are
 * equal on a logarithmic scale, so that both a narrow peak and detours far behind it are seen. All
 * counts are 0 if nothing was measured. */
typedef struct berth_histogram {
  double least_s, most_s;
  double factor; /* the upper end of an interval by its lower end; 1: those in intervals are equal,
                    and in the first one */
  uint32_t count[BERTH_TIME_BINS];
  uint32_t above; /* the last interval */
} berth_histogram_t;

/* Of n times, at least 1, which are above 0 and rise. */
BERTH_API berth_histogram_t berth_histogram_of(const double *times, size_t n);
/* Where an interval begins, from 0; where the last one ends, as the begin of the next. */
BERTH_API double berth_histogram_from(const berth_histogram_t *h, int interval);
/* How many times a histogram has. */
BERTH_API size_t berth_histogram_times(const berth_histogram_t *h);

#ifdef __cplusplus
}
#endif

#endif
