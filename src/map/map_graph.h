/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern as an undirected graph: what pairs of ranks exchange in both directions. */
#ifndef BERTH_MAP_MAP_GRAPH_H
#define BERTH_MAP_MAP_GRAPH_H

#include <berth/pattern.h>
#include <berth/topo.h>

typedef struct edge {
  int a, b; /* a < b */
  double weight;
} edge_t;

/* A graph of n vertices. The neighbours of v are adjacent[start[v] … start[v + 1] - 1]. */
typedef struct graph {
  int n;
  size_t n_edges;
  edge_t *edge; /* by a, then b; each pair once; NULL in reordered graphs */
  size_t *start;
  int *adjacent;
  double *weight; /* parallel to adjacent */
} graph_t;

/* A vertex for each rank. The weight of a pair is its bytes over all occurrences of all phases,
 * plus its number of messages, so that empty messages count, too. */
int graph_of_pattern(const berth_pattern_t *p, graph_t *out, berth_error_t *err);

/* The same, weighted by time: for each message, the bytes that take as long at the bandwidth of
 * large messages, averaged over the topology's curves. Without curves it is its bytes. Each message
 * adds 1/1024 byte. */
int graph_of_times(const berth_pattern_t *p, const berth_topo_t *t, graph_t *out,
                   berth_error_t *err);

/* The graph of groups: part[v] is v's new vertex. Edges inside a group are dropped. */
int graph_contract(const graph_t *g, const int *part, int n_parts, graph_t *out,
                   berth_error_t *err);

/* The same graph with vertices numbered breadth first, so that neighbours are near in memory. It
 * has neighbour lists only, no edges. order[v] is v's old number. */
int graph_reorder(const graph_t *g, int *order, graph_t *out, berth_error_t *err);

void graph_clear(graph_t *g);

#endif
