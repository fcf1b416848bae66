/* SPDX-License-Identifier: BSD-3-Clause */
/* Median and spread of samples. */
#ifndef BERTH_CALIB_STATS_H
#define BERTH_CALIB_STATS_H

#include <stddef.h>

/* The median of n values (n > 0) and their relative spread, as include/berth/topo.h defines it.
 * Sorts the values. A single value has an infinite spread, because nothing is known of it. */
typedef struct calib_stat {
  double median, spread;
  int n;
} calib_stat_t;

calib_stat_t calib_statistics(double *values, size_t n);

#endif
