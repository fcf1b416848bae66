/* SPDX-License-Identifier: BSD-3-Clause */
/* Model sum as searches need it that try millions of changes a second: the tree, and what each pair
 * of ranks costs by the depth at which it meets. */
#ifndef BERTH_COST_SUM_H
#define BERTH_COST_SUM_H

#include <berth/cost.h>
#include <stdbool.h>
#include <stddef.h>

/* The tree of those switches that cost anything, numbered parents first from the root, 0. PU p is
 * node cost_sum_switches(c) + p. */
int cost_sum_switches(const berth_cost_t *c);
int cost_sum_parent(const berth_cost_t *c, int node); /* -1 of the root */
int cost_sum_depth(const berth_cost_t *c, int node);

/* How many depths switches have. */
int cost_sum_depths(const berth_cost_t *c);

/* Whether the depth of two ranks' lowest common switch says what a message between them costs. */
bool cost_sum_by_depth(const berth_cost_t *c);

/* Fills price[depth][column] with what a unit of each column costs between ranks that meet at that
 * depth; where cost_sum_by_depth is false, what it costs on average over the switches.
 * BERTH_MISSING when memory is out. *price is the caller's to free. */
int cost_sum_prices(const berth_cost_t *c, double **price, berth_error_t *err);

/* Pairs of all phases, and what the i-th costs at each depth, in seconds of all occurrences of its
 * phase; `price` is that of cost_sum_prices, *phase 0 at the first call and then left as it is
 * while i grows. */
size_t cost_sum_pairs(const berth_cost_t *c);
void cost_sum_pair(const berth_cost_t *c, const double *price, size_t i, size_t *phase, int *src,
                   int *dst, double *cost);

#endif
