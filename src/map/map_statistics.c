/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of the costs of random placements. */
#include <berth/map.h>
#include <math.h>
#include <stdlib.h>

#include "base/order.h"

ORDER_VALUES(by_value, double)

void berth_costs_sort(double *cost_s, size_t n) { qsort(cost_s, n, sizeof *cost_s, by_value); }

double berth_costs_quantile(const double *cost_s, size_t n, double share)
{
  double at = ceil(share * (double)n);
  return cost_s[at < 1 ? 0 : (size_t)at - 1];
}

/* How many costs are below a value, or not above it. */
static size_t count_below(const double *cost_s, size_t n, double value, int or_equal)
{
  LOWER_BOUND(low, 0, n, cost_s[middle] < value || (or_equal && cost_s[middle] == value));
  return low;
}

size_t berth_costs_above(const double *cost_s, size_t n, double cost, size_t *equal)
{
  size_t not_above = count_below(cost_s, n, cost, 1);
  if (equal) *equal = not_above - count_below(cost_s, n, cost, 0);
  return n - not_above;
}

double berth_costs_unseen_share(size_t n) { return -expm1(log(0.05) / (double)n); }
