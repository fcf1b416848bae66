/* SPDX-License-Identifier: BSD-3-Clause */
/* Model sum for searches that try millions of changes a second: the tree, and the cost of each pair
 * by the depth at which its ways meet. */
#ifndef BERTH_COST_SUM_H
#define BERTH_COST_SUM_H

#include <berth/cost.h>
#include <stdbool.h>
#include <stddef.h>

/* The tree of switches that have a cost. Parents are numbered before children; the root is 0. PU p
 * is node cost_sum_switches(c) + p. */
int cost_sum_switches(const berth_cost_t *c);
int cost_sum_parent(const berth_cost_t *c, int node); /* -1 for the root */
int cost_sum_depth(const berth_cost_t *c, int node);

/* The number of depths that switches have. */
int cost_sum_depths(const berth_cost_t *c);

/* Whether the depth of two ranks' lowest common switch determines the price between them. */
bool cost_sum_by_depth(const berth_cost_t *c);

/* Fills price[depth][column] with the price of one unit between ranks that meet at that depth. If
 * cost_sum_by_depth is false, it is the mean over the switches. BERTH_MISSING when memory is out.
 * The caller frees *price. */
int cost_sum_prices(const berth_cost_t *c, double **price, berth_error_t *err);

/* The number of pairs of all phases; and the cost of the i-th at each depth, in seconds over all
 * occurrences of its phase. `price` is from cost_sum_prices. *phase is 0 at the first call; leave
 * it alone while i grows. */
size_t cost_sum_pairs(const berth_cost_t *c);
void cost_sum_pair(const berth_cost_t *c, const double *price, size_t i, size_t *phase, int *src,
                   int *dst, double *cost);

#endif
