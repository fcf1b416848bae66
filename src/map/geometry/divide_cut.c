/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a set of ranks in two by planes.
 * Planes are across the axes of the layout. On request, also across the axes of a layout that is
 * computed from distances within the set: recursive graph bisection (Simon, "Partitioning of
 * unstructured problems for parallel processing", 1991), with several pairs of poles. */
#include <stdlib.h>

#include "map/geometry/divide.h"

/* A rank and its key in an order. */
typedef struct ranked {
  int64_t key;
  int rank;
} ranked_t;

struct cutter {
  const graph_t *graph;
  const layout_t *layout;
  bool within;     /* also layouts within sets */
  graph_t part;    /* the set's graph; memory for the whole graph */
  int *place;      /* by rank of the set: its number in it */
  ranked_t *order; /* of the set */
  int *best;
  double best_cut; /* negative: none yet */
  char *side;      /* by rank: 1 or 2 if in the set, else 0 */
};

cutter_t *cut_new(const graph_t *g, const layout_t *l, bool within)
{
  cutter_t *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  size_t n = (size_t)g->n, links = within ? g->start[g->n] + 1 : 1;
  c->graph = g;
  c->layout = l;
  c->within = within;
  c->part.start = malloc((n + 1) * sizeof *c->part.start);
  c->part.adjacent = malloc(links * sizeof *c->part.adjacent);
  c->part.weight = malloc(links * sizeof *c->part.weight);
  c->place = malloc(n * sizeof *c->place);
  c->order = malloc(n * sizeof *c->order);
  c->best = malloc(n * sizeof *c->best);
  c->side = calloc(n, 1);
  if (c->part.start && c->part.adjacent && c->part.weight && c->place && c->order && c->best &&
      c->side)
    return c;
  cut_free(c);
  return NULL;
}

void cut_free(cutter_t *c)
{
  if (!c) return;
  graph_clear(&c->part);
  free(c->place);
  free(c->order);
  free(c->best);
  free(c->side);
  free(c);
}

static void swap(ranked_t *a, ranked_t *b)
{
  ranked_t c = *a;
  *a = *b;
  *b = c;
}

/* Moves the `left` smallest keys to the front (Hoare's selection; keys differ). */
static void select_smallest(ranked_t *x, int n, int left)
{
  int low = 0, high = n - 1;
  while (low < high) {
    int64_t a = x[low].key, b = x[low + (high - low) / 2].key, c = x[high].key;
    int64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    int i = low, j = high;
    while (i <= j) {
      while (x[i].key < pivot) i++;
      while (x[j].key > pivot) j--;
      if (i <= j) swap(&x[i++], &x[j--]);
    }
    if (left <= j)
      high = j;
    else if (left >= i)
      low = i;
    else
      return;
  }
}

/* Directions to cut across: the axes and, outside grids, halfway between two of them. */
static const int direction[][LAYOUT_AXES] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                             {1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                             {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

/* Orders ranks by a direction. In a grid, the other axes order a layer, so that the rest of a layer
 * is connected. `own`: the layout is the set's. False if all keys are equal. */
static bool order_along(cutter_t *c, const layout_t *l, bool own, int way, const int *rank, int n)
{
  const int *w = direction[way];
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int i = 0; i < n; i++) {
    int r = own ? i : rank[i];
    int64_t along = 0, key;
    for (int k = 0; k < LAYOUT_AXES; k++) along += (int64_t)w[k] * l->at[k][r];
    key = along * (BERTH_MAX_RANKS + 1) + r;
    if (l->grid) {
      int b = (way + 1) % LAYOUT_AXES, d = (way + 2) % LAYOUT_AXES;
      key = (along * l->size[b] + l->at[b][r]) * l->size[d] + l->at[d][r];
    }
    c->order[i] = (ranked_t){key, rank[i]};
    if (along < low) low = along;
    if (along > high) high = along;
  }
  return low < high;
}

/* The traffic between the first `left` ranks of the order and the others. */
static double cut_of_order(cutter_t *c, int n, int left)
{
  const graph_t *g = c->graph;
  double cut = 0;
  for (int i = 0; i < n; i++) c->side[c->order[i].rank] = i < left ? 1 : 2;
  for (int i = 0; i < left; i++) {
    int r = c->order[i].rank;
    for (size_t k = g->start[r]; k < g->start[r + 1]; k++)
      if (c->side[g->adjacent[k]] == 2) cut += g->weight[k];
  }
  for (int i = 0; i < n; i++) c->side[c->order[i].rank] = 0;
  return cut;
}

static void try_layout(cutter_t *c, const layout_t *l, bool own, const int *rank, int n, int left)
{
  int ways = l->grid ? LAYOUT_AXES : (int)(sizeof direction / sizeof *direction);
  for (int way = 0; way < ways; way++) {
    if (!order_along(c, l, own, way, rank, n)) continue;
    select_smallest(c->order, n, left);
    double cut = cut_of_order(c, n, left);
    if (c->best_cut >= 0 && cut >= c->best_cut) continue;
    c->best_cut = cut;
    for (int i = 0; i < n; i++) c->best[i] = c->order[i].rank;
  }
}

/* Makes the graph of the set. */
static void make_part(cutter_t *c, const int *rank, int n)
{
  const graph_t *g = c->graph;
  size_t links = 0;
  for (int i = 0; i < n; i++) c->side[rank[i]] = 1;
  for (int i = 0; i < n; i++) c->place[rank[i]] = i;
  c->part.n = n;
  c->part.start[0] = 0;
  for (int i = 0; i < n; i++) {
    for (size_t k = g->start[rank[i]]; k < g->start[rank[i] + 1]; k++) {
      if (!c->side[g->adjacent[k]]) continue;
      c->part.adjacent[links] = c->place[g->adjacent[k]];
      c->part.weight[links++] = g->weight[k];
    }
    c->part.start[i + 1] = links;
  }
  for (int i = 0; i < n; i++) c->side[rank[i]] = 0;
}

int cut_in_two(cutter_t *c, int *rank, int n, int left, berth_error_t *err)
{
  c->best_cut = -1;
  try_layout(c, c->layout, false, rank, n, left);
  if (c->within && n > 2 && n < c->graph->n) {
    layout_t own;
    make_part(c, rank, n);
    int rc = layout_of_distances(&c->part, &own, err);
    if (rc) return rc;
    try_layout(c, &own, true, rank, n, left);
    layout_clear(&own);
  }
  if (c->best_cut >= 0) /* otherwise all orders were equal */
    for (int i = 0; i < n; i++) rank[i] = c->best[i];
  return BERTH_OK;
}
