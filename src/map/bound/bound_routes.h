/* SPDX-License-Identifier: BSD-3-Clause */
/* A lower bound of what parts of a graph exchange. */
#ifndef BERTH_MAP_BOUND_BOUND_ROUTES_H
#define BERTH_MAP_BOUND_BOUND_ROUTES_H

#include <stddef.h>

#include "map/map_internal.h"

/* An undirected graph. The neighbours of v are to[first[v] … first[v + 1] - 1], increasing. Each
 * edge is listed at both ends. */
typedef struct routes_graph {
  int n;
  size_t *first;
  int *to;
  double *weight;                     /* above 0 */
  const berth_map_problem_t *problem; /* its time limit ends the search */
} routes_graph_t;

/* A lower bound of the weight of edges between parts, for any parts of at most `max` vertices.
 * `share` is the share of the work to do; more work gives better bounds. Negative when memory is
 * out. */
double routes_bound(const routes_graph_t *g, int max, double share);

#endif
