/* SPDX-License-Identifier: BSD-3-Clause */
/* What must be cut of a graph whose vertices are divided into small parts. */
#ifndef BERTH_MAP_BOUND_BOUND_ROUTES_H
#define BERTH_MAP_BOUND_BOUND_ROUTES_H

#include <stddef.h>

#include "map/map_internal.h"

/* An undirected graph: the neighbours of v are to[first[v] … first[v + 1] - 1], increasing, each
 * edge at both ends. */
typedef struct routes_graph {
  int n;
  size_t *first;
  int *to;
  double *weight;                     /* above 0 */
  const berth_map_problem_t *problem; /* whose time ends the search for more */
} routes_graph_t;

/* The weight of the edges between parts is at least this, whatever parts of at most `most` vertices
 * there are. `share` is that of the work which may go into it: more finds more. Negative when
 * memory is out. */
double routes_bound(const routes_graph_t *g, int max, double share);

#endif
