/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/graph.h"

#include <stdlib.h>

#include "map/map_internal.h"

void graph_clear(graph_t *g)
{
  free(g->edge);
  free(g->start);
  free(g->adjacent);
  free(g->weight);
  *g = (graph_t){0};
}

static int by_pair(const void *x, const void *y)
{
  const edge_t *e = x, *f = y;
  if (e->a != f->a) return e->a < f->a ? -1 : 1;
  return (e->b > f->b) - (e->b < f->b);
}

/* Sorts edges and adds up those of one pair. */
static void merge_edges(graph_t *g)
{
  size_t kept = 0;
  if (g->n_edges) qsort(g->edge, g->n_edges, sizeof *g->edge, by_pair);
  for (size_t i = 0; i < g->n_edges; i++) {
    if (kept && by_pair(&g->edge[kept - 1], &g->edge[i]) == 0)
      g->edge[kept - 1].weight += g->edge[i].weight;
    else
      g->edge[kept++] = g->edge[i];
  }
  g->n_edges = kept;
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

/* Makes the lists of neighbours from the merged edges. */
static int link_neighbours(graph_t *g, berth_error_t *err)
{
  size_t n = (size_t)g->n;
  g->start = calloc(n + 1, sizeof *g->start);
  g->adjacent = malloc((2 * g->n_edges + 1) * sizeof *g->adjacent);
  g->weight = malloc((2 * g->n_edges + 1) * sizeof *g->weight);
  size_t *next = malloc((n + 1) * sizeof *next);
  if (!g->start || !g->adjacent || !g->weight || !next) {
    free(next);
    return map_no_memory(err);
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
  merge_edges(g);
  int rc = link_neighbours(g, err);
  if (rc) graph_clear(g);
  return rc;
}

int graph_of_pattern(const berth_pattern_t *p, graph_t *out, berth_error_t *err)
{
  size_t n_phases, total = 0, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    berth_pattern_messages(p, k, &n);
    total += n;
  }
  *out = (graph_t){.n = berth_pattern_ranks(p), .edge = malloc((total + 1) * sizeof *out->edge)};
  if (!out->edge) return map_no_memory(err);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    double repeats = (double)phases[k].repeats;
    for (size_t i = 0; i < n; i++)
      add_edge(out, m[i].src, m[i].dst, repeats * ((double)m[i].bytes + (double)m[i].count));
  }
  return finish(out, err);
}

int graph_contract(const graph_t *g, const int *part, int n_parts, graph_t *out, berth_error_t *err)
{
  *out = (graph_t){.n = n_parts, .edge = malloc((g->n_edges + 1) * sizeof *out->edge)};
  if (!out->edge) return map_no_memory(err);
  for (size_t i = 0; i < g->n_edges; i++)
    add_edge(out, part[g->edge[i].a], part[g->edge[i].b], g->edge[i].weight);
  return finish(out, err);
}
