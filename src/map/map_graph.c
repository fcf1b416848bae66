/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes graphs of patterns: weights between pairs of ranks. */
#include "map/map_graph.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "map/map_internal.h"
#include "pattern/phase_find.h"

void graph_clear(graph_t *g)
{
  free(g->edge);
  free(g->start);
  free(g->adjacent);
  free(g->weight);
  *g = (graph_t){0};
}

/* Sorts edges by `a` or `b`; those of one vertex keep their order. */
static void sort_by_end(const edge_t *from, size_t n_edges, bool by_b, size_t *next, edge_t *to)
{
  for (size_t i = 0; i < n_edges; i++) next[(by_b ? from[i].b : from[i].a) + 1]++;
  size_t at = 0;
  for (size_t v = 0; at < n_edges; v++) {
    at += next[v + 1];
    next[v + 1] = at;
  }
  for (size_t i = 0; i < n_edges; i++) to[next[by_b ? from[i].b : from[i].a]++] = from[i];
}

/* Sorts edges and merges those of the same pair. */
static int merge_edges(graph_t *g, berth_error_t *err)
{
  size_t kept = 0, n = (size_t)g->n + 1;
  edge_t *spare = malloc((g->n_edges + 1) * sizeof *spare);
  size_t *next[2] = {calloc(n, sizeof **next), calloc(n, sizeof **next)};
  bool room = spare && next[0] && next[1];
  if (room) {
    sort_by_end(g->edge, g->n_edges, true, next[0], spare);
    sort_by_end(spare, g->n_edges, false, next[1], g->edge);
  }
  for (size_t i = 0; room && i < g->n_edges; i++) {
    edge_t *last = &g->edge[kept ? kept - 1 : 0];
    if (kept && last->a == g->edge[i].a && last->b == g->edge[i].b)
      last->weight += g->edge[i].weight;
    else
      g->edge[kept++] = g->edge[i];
  }
  g->n_edges = kept;
  free(spare);
  free(next[0]);
  free(next[1]);
  return room ? BERTH_OK : no_memory(err);
}

static void add_edge(graph_t *g, int a, int b, double weight)
{
  if (a == b) return;
  g->edge[g->n_edges++] = a < b ? (edge_t){a, b, weight} : (edge_t){b, a, weight};
}

static void add_neighbour(graph_t *g, size_t *next, int v, int w, double weight)
{
  g->adjacent[next[v]] = w;
  g->weight[next[v]++] = weight;
}

/* Makes the neighbour lists from the merged edges. */
static int link_neighbours(graph_t *g, berth_error_t *err)
{
  size_t n = (size_t)g->n;
  g->start = calloc(n + 1, sizeof *g->start);
  g->adjacent = malloc((2 * g->n_edges + 1) * sizeof *g->adjacent);
  g->weight = malloc((2 * g->n_edges + 1) * sizeof *g->weight);
  size_t *next = malloc((n + 1) * sizeof *next);
  if (!g->start || !g->adjacent || !g->weight || !next) {
    free(next);
    return no_memory(err);
  }
  for (size_t i = 0; i < g->n_edges; i++) {
    g->start[g->edge[i].a + 1]++;
    g->start[g->edge[i].b + 1]++;
  }
  for (size_t v = 0; v < n; v++) g->start[v + 1] += g->start[v];
  for (size_t v = 0; v < n; v++) next[v] = g->start[v];
  for (size_t i = 0; i < g->n_edges; i++) {
    const edge_t *e = &g->edge[i];
    add_neighbour(g, next, e->a, e->b, e->weight);
    add_neighbour(g, next, e->b, e->a, e->weight);
  }
  free(next);
  return BERTH_OK;
}

static int finish(graph_t *g, berth_error_t *err)
{
  int rc = merge_edges(g, err);
  if (!rc) rc = link_neighbours(g, err);
  if (rc) graph_clear(g);
  return rc;
}

/* The weight of `count` messages with so many bytes in all. */
typedef double weigh_t(const berth_topo_t *t, double bytes, double count);

static int graph_of_messages(const berth_pattern_t *p, weigh_t *weigh, const berth_topo_t *t,
                             graph_t *out, berth_error_t *err)
{
  size_t n_phases, total = pattern_n_messages(p), n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  *out = (graph_t){.n = berth_pattern_ranks(p), .edge = malloc((total + 1) * sizeof *out->edge)};
  if (!out->edge) return no_memory(err);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    double repeats = (double)phases[k].repeats;
    for (size_t i = 0; i < n; i++)
      add_edge(out, m[i].src, m[i].dst, repeats * weigh(t, (double)m[i].bytes, (double)m[i].count));
  }
  return finish(out, err);
}

static double weigh_bytes(const berth_topo_t *t, double bytes, double count)
{
  (void)t;
  return bytes + count;
}

int graph_of_pattern(const berth_pattern_t *p, graph_t *out, berth_error_t *err)
{
  return graph_of_messages(p, weigh_bytes, NULL, out, err);
}

static double weigh_time(const berth_topo_t *t, double bytes, double count)
{
  int n = berth_topo_n_curves(t);
  double as_long = n ? 0 : bytes;
  for (int i = 0; i < n && count > 0; i++) {
    const berth_curve_t *c = berth_topo_curve(t, i);
    as_long += count * berth_curve_time(c, bytes / count) * c->bandwidth[c->n - 1] / n;
  }
  return as_long + count / 1024;
}

int graph_of_times(const berth_pattern_t *p, const berth_topo_t *t, graph_t *out,
                   berth_error_t *err)
{
  return graph_of_messages(p, weigh_time, t, out, err);
}

int graph_contract(const graph_t *g, const int *part, int n_parts, graph_t *out, berth_error_t *err)
{
  *out = (graph_t){.n = n_parts, .edge = malloc((g->n_edges + 1) * sizeof *out->edge)};
  if (!out->edge) return no_memory(err);
  for (size_t i = 0; i < g->n_edges; i++)
    add_edge(out, part[g->edge[i].a], part[g->edge[i].b], g->edge[i].weight);
  return finish(out, err);
}

/* Lists vertices breadth first, each component from its lowest vertex. number[] has their indices
 * in the list. */
static void list_breadth_first(const graph_t *g, int *order, int *number)
{
  int n = 0;
  for (int v = 0; v < g->n; v++) number[v] = -1;
  for (int root = 0, head = 0; root < g->n; root++) {
    if (number[root] >= 0) continue;
    number[root] = n;
    order[n++] = root;
    for (; head < n; head++)
      for (size_t i = g->start[order[head]]; i < g->start[order[head] + 1]; i++) {
        int u = g->adjacent[i];
        if (number[u] >= 0) continue;
        number[u] = n;
        order[n++] = u;
      }
  }
}

int graph_reorder(const graph_t *g, int *order, graph_t *out, berth_error_t *err)
{
  size_t entries = 2 * g->n_edges;
  int *number = malloc(((size_t)g->n + 1) * sizeof *number);
  *out = (graph_t){.n = g->n,
                   .n_edges = g->n_edges,
                   .start = malloc(((size_t)g->n + 1) * sizeof *out->start),
                   .adjacent = malloc((entries + 1) * sizeof *out->adjacent),
                   .weight = malloc((entries + 1) * sizeof *out->weight)};
  if (!number || !out->start || !out->adjacent || !out->weight) {
    free(number);
    graph_clear(out);
    return no_memory(err);
  }
  list_breadth_first(g, order, number);
  size_t at = out->start[0] = 0;
  for (int v = 0; v < g->n; v++) {
    for (size_t i = g->start[order[v]]; i < g->start[order[v] + 1]; i++, at++) {
      out->adjacent[at] = number[g->adjacent[i]];
      out->weight[at] = g->weight[i];
    }
    out->start[v + 1] = at;
  }
  free(number);
  return BERTH_OK;
}
