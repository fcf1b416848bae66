/* SPDX-License-Identifier: BSD-3-Clause */
#include <berth/times.h>
#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* Shares of the times, as in the thesis' section 5.4.1. */
#define BAND  0.97
#define SHOWN 0.99

ORDER_VALUES(by_value, double)

berth_spread_t berth_spread_of(double *times, size_t n)
{
  double sum = 0, squares = 0;
  qsort(times, n, sizeof *times, by_value);
  for (size_t i = 0; i < n; i++) sum += times[i];
  berth_spread_t s = {.mean = sum / (double)n,
                      .least = times[0],
                      .median = (times[(n - 1) / 2] + times[n / 2]) / 2,
                      .most = times[n - 1]};
  for (size_t i = 0; i < n; i++) squares += (times[i] - s.mean) * (times[i] - s.mean);
  s.deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
  size_t inside = (size_t)ceil(BAND * (double)n), best = 0;
  for (size_t i = 0; i + inside <= n; i++)
    if (times[i + inside - 1] - times[i] < times[best + inside - 1] - times[best]) best = i;
  s.band[0] = times[best];
  s.band[1] = times[best + inside - 1];
  return s;
}

berth_histogram_t berth_histogram_of(const double *times, size_t n)
{
  size_t shown = (size_t)ceil(SHOWN * (double)n);
  double least = times[0], range = log(times[shown - 1] / least);
  berth_histogram_t h = {.least_s = least,
                         .most_s = times[n - 1],
                         .factor = exp(range / BERTH_TIME_BINS),
                         .above = (uint32_t)(n - shown)};
  for (size_t i = 0; i < shown; i++) {
    double at = range > 0 ? log(times[i] / least) / range * BERTH_TIME_BINS : 0;
    h.count[at < BERTH_TIME_BINS ? (int)at : BERTH_TIME_BINS - 1]++;
  }
  return h;
}

double berth_histogram_from(const berth_histogram_t *h, int interval)
{
  return h->least_s * pow(h->factor, interval);
}

size_t berth_histogram_times(const berth_histogram_t *h)
{
  size_t n = h->above;
  for (int b = 0; b < BERTH_TIME_BINS; b++) n += h->count[b];
  return n;
}
