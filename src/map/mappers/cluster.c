/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes clusters of ranks, level by level of the tree: the first loop of the paper's figure 3.
 *
 * It works for trees of any shape. At each level, the units (ranks, then clusters of the level
 * below) that exchange most become one cluster, as large as an element of that level. The figure
 * sorts all combinations of as many units as an element has children. A cluster here starts with
 * the heaviest remaining pair, and grows by the unit that exchanges most with it. Of equal units,
 * it takes the one that exchanges least with unclustered units, which leaves fewer holes. Every
 * pair is visited a constant number of times. So the sort of the pairs, O(R log R), dominates, as
 * in the paper. */
#include "map/mappers/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "map/map_heap.h"

/* The work at one level. */
typedef struct level {
  forest_t *forest;
  const graph_t *graph; /* of the units */
  const int *unit;      /* each unit's node in the forest */
  edge_t *pairs;        /* heaviest first */
  size_t next_pair;
  int *group;         /* each unit's cluster, -1: none yet */
  double *attraction; /* by unit: traffic with the current cluster */
  double *outward;    /* by unit: traffic with unclustered units */
  long *seen;         /* when the unit first had traffic with the current cluster, 0: not yet */
  int *touched;       /* units with traffic with it */
  int n_touched;
  long clock;
  heap_t frontier;
  int *members; /* of the current cluster */
  int n_members;
  int *above; /* nodes of the new level */
  int n_above;
} level_t;

ORDER_BY(by_weight, edge_t, FALLING(weight) RISING(a) RISING(b))

static int unit_size(const level_t *l, int u) { return l->forest->node[l->unit[u]].size; }

/* Adds a unit to the current cluster, and updates its neighbours' traffic. */
static bool take(level_t *l, int u)
{
  const graph_t *g = l->graph;
  l->group[u] = l->n_above;
  l->members[l->n_members++] = u;
  for (size_t i = g->start[u]; i < g->start[u + 1]; i++) {
    int v = g->adjacent[i];
    if (l->group[v] >= 0) continue;
    if (!l->seen[v]) {
      l->seen[v] = ++l->clock;
      l->touched[l->n_touched++] = v;
    }
    l->attraction[v] += g->weight[i];
    l->outward[v] -= g->weight[i];
    if (!heap_push(&l->frontier, l->attraction[v], -l->outward[v], l->seen[v], v)) return false;
  }
  return true;
}

/* The next heaviest pair of free units that fit. False if there is none. Skipped pairs never fit
 * later, because capacities only shrink. */
static bool next_seed(level_t *l, int capacity, edge_t *seed)
{
  for (; l->next_pair < l->graph->n_edges; l->next_pair++) {
    const edge_t *e = &l->pairs[l->next_pair];
    if (l->group[e->a] >= 0 || l->group[e->b] >= 0) continue;
    if (unit_size(l, e->a) + unit_size(l, e->b) > capacity) continue;
    *seed = *e;
    return true;
  }
  return false;
}

/* Adds a node to the forest, with the current cluster's members as parts. */
static bool close_cluster(level_t *l)
{
  forest_t *f = l->forest;
  size_t more = (size_t)l->n_members;
  if (!ARRAY_GROW(&f->node, f->n_nodes, &f->nodes_cap) ||
      !array_reserve(&f->part, &f->part_cap, f->n_part + more, sizeof *f->part))
    return false;
  cluster_t node = {.first = (int)f->n_part, .n_parts = l->n_members, .lowest = INT32_MAX};
  for (int i = 0; i < l->n_members; i++) {
    int part = l->unit[l->members[i]];
    f->part[f->n_part++] = part;
    node.size += f->node[part].size;
    if (f->node[part].lowest < node.lowest) node.lowest = f->node[part].lowest;
  }
  l->above[l->n_above++] = (int)f->n_nodes;
  f->node[f->n_nodes++] = node;
  return true;
}

/* Clears what the last cluster left in the frontier. */
static void reset_frontier(level_t *l)
{
  for (int i = 0; i < l->n_touched; i++) l->attraction[l->touched[i]] = l->seen[l->touched[i]] = 0;
  l->n_touched = l->n_members = 0;
  l->frontier.n = 0;
}

/* Grows a cluster from a pair. *size is its final size. */
static bool grow(level_t *l, const edge_t *seed, int capacity, int *size)
{
  *size = unit_size(l, seed->a) + unit_size(l, seed->b);
  if (!take(l, seed->a) || !take(l, seed->b)) return false;
  while (*size < capacity && l->frontier.n) {
    heap_item_t top = heap_pop(&l->frontier);
    int u = top.value;
    bool stale = l->group[u] >= 0 || top.key != l->attraction[u];
    if (stale || *size + unit_size(l, u) > capacity) continue;
    *size += unit_size(l, u);
    if (!take(l, u)) return false;
  }
  bool done = close_cluster(l);
  reset_frontier(l);
  return done;
}

/* Forms a level's clusters: the largest remaining element takes the heaviest remaining pair. The
 * room that a finished cluster leaves becomes an element for a later one. */
static bool form_clusters(level_t *l, heap_t *room)
{
  edge_t seed;
  while (room->n) {
    int capacity = (int)heap_pop(room).key, size = 0;
    if (capacity < 2 || !next_seed(l, capacity, &seed)) break;
    if (!grow(l, &seed, capacity, &size)) return false;
    if (capacity > size && !heap_push(room, capacity - size, 0, 0, 0)) return false;
  }
  for (int u = 0; u < l->graph->n; u++) { /* single units become nodes of the new level unchanged */
    if (l->group[u] >= 0) continue;
    l->group[u] = l->n_above;
    l->above[l->n_above++] = l->unit[u];
  }
  return true;
}

/* Computes what each cluster of a level exchanges with the others. */
static void weigh(forest_t *f, const graph_t *g, const int *unit)
{
  for (int u = 0; u < g->n; u++) {
    double weight = 0;
    for (size_t i = g->start[u]; i < g->start[u + 1]; i++) weight += g->weight[i];
    f->node[unit[u]].weight = weight;
  }
}

static void level_clear(level_t *l)
{
  free(l->pairs);
  free(l->group);
  free(l->attraction);
  free(l->outward);
  free(l->seen);
  free(l->touched);
  free(l->members);
  heap_clear(&l->frontier);
}

/* Clusters the units of f->top, whose graph is *g, for elements with the sizes in `room`. Then
 * f->top and *g are those of the new level. */
static int cluster_level(forest_t *f, graph_t *g, heap_t *room, berth_error_t *err)
{
  size_t n = (size_t)g->n + 1;
  level_t l = {.forest = f, .graph = g, .unit = f->top};
  l.pairs = malloc((g->n_edges + 1) * sizeof *l.pairs);
  l.group = malloc(n * sizeof *l.group);
  l.attraction = calloc(n, sizeof *l.attraction);
  l.outward = malloc(n * sizeof *l.outward);
  l.seen = calloc(n, sizeof *l.seen);
  l.touched = malloc(n * sizeof *l.touched);
  l.members = malloc(n * sizeof *l.members);
  l.above = malloc(n * sizeof *l.above);
  graph_t next = {0};
  int rc =
      l.pairs && l.group && l.attraction && l.outward && l.seen && l.touched && l.members && l.above
          ? BERTH_OK
          : no_memory(err);
  if (!rc) {
    for (int u = 0; u < g->n; u++) {
      l.group[u] = -1;
      l.outward[u] = f->node[f->top[u]].weight;
    }
    if (g->n_edges) memcpy(l.pairs, g->edge, g->n_edges * sizeof *l.pairs);
    if (g->n_edges) qsort(l.pairs, g->n_edges, sizeof *l.pairs, by_weight);
    rc = form_clusters(&l, room) ? graph_contract(g, l.group, l.n_above, &next, err)
                                 : no_memory(err);
  }
  if (!rc) {
    weigh(f, &next, l.above);
    graph_clear(g);
    *g = next;
    free(f->top);
    f->top = l.above;
    f->n_top = l.n_above;
  } else {
    free(l.above);
  }
  level_clear(&l);
  return rc;
}

/* Makes a heap of the places of the elements at a height. Returns the number of elements. */
static int room_at(const berth_topo_t *t, int height, const int *usable, int *elements,
                   heap_t *room, berth_error_t *err)
{
  int n = berth_topo_cut(t, height, elements);
  room->n = 0;
  for (int i = 0; i < n; i++)
    if (usable[elements[i]] > 0 && !heap_push(room, usable[elements[i]], 0, i, 0))
      return no_memory(err), -1;
  return (int)room->n;
}

/* Adds a node for each rank. */
static int plant(forest_t *f, const graph_t *g, berth_error_t *err)
{
  f->top = malloc((size_t)g->n * sizeof *f->top);
  if (!f->top || !array_reserve(&f->node, &f->nodes_cap, (size_t)g->n, sizeof *f->node))
    return no_memory(err);
  for (int r = 0; r < g->n; r++) {
    f->node[r] = (cluster_t){.size = 1, .lowest = r};
    f->top[r] = r;
  }
  f->n_nodes = (size_t)g->n;
  f->n_top = g->n;
  weigh(f, g, f->top);
  return BERTH_OK;
}

int cluster_ranks(const berth_map_problem_t *problem, const graph_t *g, const int *usable,
                  forest_t *out, berth_error_t *err)
{
  *out = (forest_t){0};
  const berth_topo_t *t = problem->topo;
  int height = berth_topo_element(t, 0)->height, elements_before = problem->n_pus;
  int *elements = malloc((size_t)berth_topo_n_pus(t) * sizeof *elements);
  heap_t room = {0};
  graph_t units = {0};
  int rc = elements ? plant(out, g, err) : no_memory(err);
  if (!rc)
    rc = graph_contract(g, out->top, g->n, &units, err); /* a copy, with a unit for each rank */
  for (int h = 0; !rc && h < height; h++) {
    int n = room_at(t, h, usable, elements, &room, err);
    if (n < 0) rc = BERTH_MISSING;
    if (!rc) rc = map_cut_short(problem);
    if (rc || n == elements_before) continue; /* the elements are the same as a level below */
    elements_before = n;
    rc = cluster_level(out, &units, &room, err);
  }
  graph_clear(&units);
  heap_clear(&room);
  free(elements);
  if (rc) cluster_forest_clear(out);
  return rc;
}

void cluster_forest_clear(forest_t *f)
{
  free(f->node);
  free(f->part);
  free(f->top);
  *f = (forest_t){0};
}
