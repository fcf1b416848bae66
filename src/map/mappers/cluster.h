/* SPDX-License-Identifier: BSD-3-Clause */
/* The greedy mapper's upward pass: clusters of ranks, level by level of the tree. */
#ifndef BERTH_MAP_MAPPERS_CLUSTER_H
#define BERTH_MAP_MAPPERS_CLUSTER_H

#include "map/map_graph.h"
#include "map/map_internal.h"

/* A cluster or a single rank. Nodes 0 … ranks - 1 are the ranks. */
typedef struct cluster {
  int size;      /* its number of ranks */
  double weight; /* traffic with all others when it was formed */
  int lowest;    /* its lowest rank */
  int first;     /* its parts are the forest's part[first … first + n_parts - 1] */
  int n_parts;   /* 0 for a rank */
} cluster_t;

typedef struct forest {
  cluster_t *node;
  size_t n_nodes, nodes_cap;
  int *part;
  size_t n_part, part_cap;
  int *top; /* the clusters of the highest level */
  int n_top;
} forest_t;

/* Clusters the ranks. usable[e] is the number of places below element e. `g` is the graph of
 * ranks. */
int cluster_ranks(const berth_map_problem_t *problem, const graph_t *g, const int *usable,
                  forest_t *out, berth_error_t *err);

void cluster_forest_clear(forest_t *f);

#endif
