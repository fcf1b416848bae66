/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides ranks with coordinates among the elements of the tree. */
#include "map/geometry/divide.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"

/* A child that gets ranks. */
typedef struct part {
  int element, n;
} part_t;

typedef struct dividing {
  const berth_map_problem_t *problem;
  const graph_t *graph;
  const layout_t *layout;
  divide_how_t how;
  divide_fill_t fill;
  splits_t *splits;
  int *room; /* by element: places below it */
  int *rank; /* ranks; those of an element are consecutive */
  cutter_t *cutter;
  int *order;   /* scratch for a set of ranks */
  int *part_of; /* -1 except while a box is cut */
  part_t *part; /* parts of all elements on the way down from the root */
  size_t n_parts, cap_parts;
  int *pu_of_rank;
} dividing_t;

/* --- how many ranks each child gets --- */

ORDER_BY(by_room, part_t, FALLING(n) RISING(element))

ORDER_BY(by_element, part_t, RISING(element))

/* Sets the parts' numbers of ranks from their places. Drops parts without ranks. Returns how many
 * parts stay. */
static size_t share_out(const dividing_t *d, part_t *part, size_t n_parts, int n)
{
  size_t kept = 0;
  int64_t places = 0, before = 0;
  for (size_t i = 0; i < n_parts; i++) places += part[i].n;
  if (d->fill == DIVIDE_PACKED) qsort(part, n_parts, sizeof *part, by_room);
  for (size_t i = 0; i < n_parts; i++) {
    int64_t up_to = before + part[i].n; /* proportional, so that the sum is n */
    int get = (int)(up_to * n / places - before * n / places);
    if (d->fill == DIVIDE_PACKED) get = before + part[i].n <= n ? part[i].n : n - (int)before;
    before = up_to;
    if (get > 0) part[kept++] = (part_t){part[i].element, get};
    if (d->fill == DIVIDE_PACKED && before >= n) break;
  }
  qsort(part, kept, sizeof *part, by_element);
  return kept;
}

/* --- in two --- */

/* Orders ranks so that each part's are consecutive: halves of the parts first. */
static int halve(const dividing_t *d, size_t first, size_t n_parts, int *rank, int n,
                 berth_error_t *err)
{
  if (n_parts < 2) return BERTH_OK;
  const part_t *part = &d->part[first];
  int left = 0, nearest = INT_MAX, sum = 0;
  size_t half = 1;
  for (size_t i = 1; i < n_parts; i++) {
    sum += part[i - 1].n;
    if (abs(2 * sum - n) >= nearest) continue;
    nearest = abs(2 * sum - n);
    left = sum;
    half = i;
  }
  int rc = cut_in_two(d->cutter, rank, n, left, err);
  if (!rc) rc = halve(d, first, half, rank, left, err);
  if (!rc) rc = halve(d, first + half, n_parts - half, rank + left, n - left, err);
  return rc;
}

/* --- into equal boxes --- */

/* Whether the ranks fill a box of the grid. */
static bool find_box(const layout_t *l, const int *rank, int n, int *from, box_t *box)
{
  int64_t volume = 1;
  for (int k = 0; k < LAYOUT_AXES; k++) {
    int low = INT_MAX, high = 0;
    for (int i = 0; i < n; i++) {
      int x = l->at[k][rank[i]];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    from[k] = low;
    box->size[k] = high - low + 1;
    volume *= box->size[k];
  }
  return volume == n;
}

/* Writes each rank's part of the box to d->part_of. */
static void number_parts(const dividing_t *d, const int *from, const box_t *box, const box_t *parts,
                         const int *rank, int n)
{
  for (int i = 0; i < n; i++) {
    int number = 0;
    for (int k = LAYOUT_AXES - 1; k >= 0; k--) {
      int cell = (d->layout->at[k][rank[i]] - from[k]) / (box->size[k] / parts->size[k]);
      number = number * parts->size[k] + cell;
    }
    d->part_of[rank[i]] = number;
  }
}

/* The traffic between ranks of different parts. */
static double traffic_between_parts(const dividing_t *d, const int *rank, int n)
{
  const graph_t *g = d->graph;
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (size_t k = g->start[rank[i]]; k < g->start[rank[i] + 1]; k++) {
      int other = d->part_of[g->adjacent[k]];
      if (other >= 0 && other != d->part_of[rank[i]]) sum += g->weight[k];
    }
  return sum / 2;
}

/* Of several ways with about the same mean cost, the one that cuts least traffic. */
static const split_way_t *cheapest_way(const dividing_t *d, const int *from, const box_t *box,
                                       const split_way_t *ways, int n_ways, const int *rank, int n)
{
  const split_way_t *best = ways;
  double best_cost = 0;
  for (int i = 0; n_ways > 1 && i < n_ways; i++) {
    number_parts(d, from, box, &ways[i].parts, rank, n);
    double cost = ways[i].distance * traffic_between_parts(d, rank, n) + ways[i].below;
    if (i > 0 && cost >= best_cost) continue;
    best = &ways[i];
    best_cost = cost;
  }
  return best;
}

/* Cuts a box among parts of equal size. *done is false if sizes differ or there is no way. */
static int cut_box(dividing_t *d, int e, const part_t *part, size_t n_parts, int *rank, int n,
                   bool *done, berth_error_t *err)
{
  int from[LAYOUT_AXES];
  box_t box;
  split_way_t ways[SPLIT_WAYS];
  *done = false;
  if (d->how != DIVIDE_BLOCKS || !d->layout->grid) return BERTH_OK;
  for (size_t i = 1; i < n_parts; i++)
    if (part[i].n != part[0].n) return BERTH_OK;
  if (!find_box(d->layout, rank, n, from, &box)) return BERTH_OK;
  int n_ways = splits_find(d->splits, e, (int)n_parts, box, ways);
  if (n_ways == 0) return BERTH_OK;
  int each = n / (int)n_parts, *next = malloc(n_parts * sizeof *next);
  if (!next) return no_memory(err);
  const split_way_t *way = cheapest_way(d, from, &box, ways, n_ways, rank, n);
  number_parts(d, from, &box, &way->parts, rank, n);
  for (int i = 0; i < (int)n_parts; i++) next[i] = i * each;
  for (int i = 0; i < n; i++) d->order[next[d->part_of[rank[i]]]++] = rank[i];
  for (int i = 0; i < n; i++) d->part_of[rank[i]] = -1;
  memcpy(rank, d->order, (size_t)n * sizeof *rank);
  free(next);
  *done = true;
  return BERTH_OK;
}

/* --- the tree --- */

/* Appends the children that get ranks to d->part. */
static bool list_parts(dividing_t *d, int e, int n)
{
  size_t first = d->n_parts;
  const berth_topo_t *t = d->problem->topo;
  for (int i = 0, child = e + 1; i < berth_topo_element(t, e)->n_children; i++) {
    if (d->room[child] > 0) {
      if (!ARRAY_ADD(&d->part, &d->n_parts, &d->cap_parts, (part_t){child, d->room[child]}))
        return false;
    }
    child += berth_topo_element(t, child)->size;
  }
  d->n_parts = first + share_out(d, d->part + first, d->n_parts - first, n);
  return true;
}

/* Orders ranks so that each part's are consecutive. */
static int divide_set(dividing_t *d, int e, size_t first, size_t n_parts, int *rank, int n,
                      berth_error_t *err)
{
  bool done;
  int rc = cut_box(d, e, &d->part[first], n_parts, rank, n, &done, err);
  return rc || done ? rc : halve(d, first, n_parts, rank, n, err);
}

static int hand_down(dividing_t *d, int e, int *rank, int n, berth_error_t *err)
{
  const berth_element_t *element = berth_topo_element(d->problem->topo, e);
  if (element->type < 0) {
    for (int i = 0; i < n; i++) d->pu_of_rank[rank[i]] = element->first_pu;
    return BERTH_OK;
  }
  int rc = map_cut_short(d->problem);
  size_t first = d->n_parts;
  if (rc) return rc;
  if (!list_parts(d, e, n)) return no_memory(err);
  size_t n_parts = d->n_parts - first;
  if (d->how != DIVIDE_CURVE && n_parts > 1) rc = divide_set(d, e, first, n_parts, rank, n, err);
  for (size_t i = 0; !rc && i < n_parts; i++) {
    part_t part = d->part[first + i];
    rc = hand_down(d, part.element, rank, part.n, err);
    rank += part.n;
  }
  d->n_parts = first;
  return rc;
}

static int dividing_init(dividing_t *d, berth_error_t *err)
{
  const berth_topo_t *t = d->problem->topo;
  size_t ranks = (size_t)d->layout->n;
  d->room = calloc((size_t)berth_topo_n_elements(t), sizeof *d->room);
  d->rank = malloc(ranks * sizeof *d->rank);
  d->order = malloc(ranks * sizeof *d->order);
  d->part_of = malloc(ranks * sizeof *d->part_of);
  if (!d->room || !d->rank || !d->order || !d->part_of) return no_memory(err);
  map_count_places(d->problem, d->room);
  for (size_t r = 0; r < ranks; r++) {
    d->rank[r] = (int)r;
    d->part_of[r] = -1;
  }
  bool within = d->how == DIVIDE_HALVES && d->problem->options.quality != BERTH_QUALITY_FAST;
  d->splits = splits_new(t, d->layout, d->room);
  d->cutter = cut_new(d->graph, d->layout, within);
  return d->splits && d->cutter ? BERTH_OK : no_memory(err);
}

static void dividing_clear(dividing_t *d)
{
  splits_free(d->splits);
  cut_free(d->cutter);
  free(d->room);
  free(d->rank);
  free(d->order);
  free(d->part_of);
  free(d->part);
}

int divide_ranks(const berth_map_problem_t *problem, const graph_t *g, const layout_t *l,
                 divide_how_t how, divide_fill_t fill, int *pu_of_rank, berth_error_t *err)
{
  dividing_t d = {.problem = problem,
                  .graph = g,
                  .layout = l,
                  .how = how,
                  .fill = fill,
                  .pu_of_rank = pu_of_rank};
  int rc = dividing_init(&d, err);
  if (!rc && how == DIVIDE_CURVE) rc = divide_order_by_curve(l, d.rank, err);
  if (!rc) rc = hand_down(&d, 0, d.rank, l->n, err);
  dividing_clear(&d);
  return rc;
}
