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

/* n vertices; the neighbours of v are adjacent[start[v] … start[v + 1] - 1]. */
typedef struct graph {
  int n;
  size_t n_edges;
  edge_t *edge; /* sorted by a, b; no pair twice; NULL in a graph that was reordered */
  size_t *start;
  int *adjacent;
  double *weight; /* beside adjacent */
} graph_t;

/* Messages of all phases. */
size_t graph_count_messages(const berth_pattern_t *p);

/* The ranks of a pattern; a pair weighs the bytes of all occurrences of all phases, and one more
 * for each message, so that empty messages draw ranks together, too. */
int graph_of_pattern(const berth_pattern_t *p, graph_t *out, berth_error_t *err);

/* The same, weighed by time: of each message the bytes that would take as long at the bandwidth of
 * large messages, on average over the topology's curves; without curves its bytes. A message counts
 * for 1/1024 of a byte besides. */
int graph_of_times(const berth_pattern_t *p, const berth_topo_t *t, graph_t *out,
                   berth_error_t *err);

/* The graph of groups: part[v] is the new vertex of v. Edges inside a group are gone. */
int graph_contract(const graph_t *g, const int *part, int n_parts, graph_t *out,
                   berth_error_t *err);

/* The same graph with vertices numbered breadth first, so that what is near stands near in memory;
 * it has no edges of its own, only neighbours. order[v] is v's old number. */
int graph_reorder(const graph_t *g, int *order, graph_t *out, berth_error_t *err);

void graph_clear(graph_t *g);

#endif
