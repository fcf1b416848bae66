/* SPDX-License-Identifier: BSD-3-Clause */
/* Median and spread of samples. */
#include "calib/calib_stats.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Linear between neighbours: quantile 0 is the minimum, 1 the maximum. */
static double quantile(const double *sorted, size_t n, double q)
{
  double at = q * (double)(n - 1);
  size_t low = (size_t)at;
  if (low + 1 >= n) return sorted[n - 1];
  return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

calib_stat_t calib_statistics(double *values, size_t n)
{
  qsort(values, n, sizeof *values, by_value);
  double median = quantile(values, n, 0.5);
  double half = (quantile(values, n, 0.95) - quantile(values, n, 0.05)) / 2;
  return (calib_stat_t){median, n > 1 ? half / median : INFINITY, (int)n};
}
