/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/divide.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A place in an order, and who has it. */
typedef struct ranked {
  int64_t key;
  int rank;
} ranked_t;

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
  int *room; /* places below each element */
  int *rank; /* an element's ranks stand together */
  ranked_t *order;
  char *side;   /* of each rank in a set that is cut: 1 or 2; else 0 */
  part_t *part; /* of all elements on the way down from the root */
  size_t n_parts, cap_parts;
  int *pu_of_rank;
} dividing_t;

/* --- how many ranks each child gets --- */

static int by_room(const void *x, const void *y)
{
  const part_t *a = x, *b = y;
  if (a->n != b->n) return a->n > b->n ? -1 : 1;
  return (a->element > b->element) - (a->element < b->element);
}

static int by_element(const void *x, const void *y)
{
  const part_t *a = x, *b = y;
  return (a->element > b->element) - (a->element < b->element);
}

/* Makes ranks of the parts' places; those that get none are dropped. Returns how many stay. */
static size_t share_out(const dividing_t *d, part_t *part, size_t n_parts, int n)
{
  size_t kept = 0;
  int64_t places = 0, before = 0;
  for (size_t i = 0; i < n_parts; i++) places += part[i].n;
  if (d->fill == DIVIDE_PACKED) qsort(part, n_parts, sizeof *part, by_room);
  for (size_t i = 0; i < n_parts; i++) {
    int64_t up_to =
        before + part[i].n; /* proportional parts of the sum, so that all are handed out */
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

static void swap(ranked_t *a, ranked_t *b)
{
  ranked_t c = *a;
  *a = *b;
  *b = c;
}

/* Brings the `left` smallest keys to the front (Hoare's selection; keys differ). */
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

/* Directions to cut across: the axes, and outside grids halfway between two. */
static const int direction[][LAYOUT_AXES] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                             {1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                             {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

/* Orders ranks by a direction; in a grid by the other axes within a layer, so that what is left of
 * a layer holds together. False when all are equal. */
static bool order_along(const dividing_t *d, int way, const int *rank, int n)
{
  const layout_t *l = d->layout;
  const int *w = direction[way];
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int i = 0; i < n; i++) {
    int r = rank[i];
    int64_t along = 0, key;
    for (int k = 0; k < LAYOUT_AXES; k++) along += (int64_t)w[k] * l->at[k][r];
    key = along * (BERTH_MAX_RANKS + 1) + r;
    if (l->grid) {
      int b = (way + 1) % LAYOUT_AXES, c = (way + 2) % LAYOUT_AXES;
      key = (along * l->size[b] + l->at[b][r]) * l->size[c] + l->at[c][r];
    }
    d->order[i] = (ranked_t){key, r};
    if (along < low) low = along;
    if (along > high) high = along;
  }
  return low < high;
}

/* What the first `left` of the order exchange with the others. */
static double cut_of_order(const dividing_t *d, int n, int left)
{
  const graph_t *g = d->graph;
  double cut = 0;
  for (int i = 0; i < n; i++) d->side[d->order[i].rank] = i < left ? 1 : 2;
  for (int i = 0; i < left; i++) {
    int r = d->order[i].rank;
    for (size_t k = g->start[r]; k < g->start[r + 1]; k++)
      if (d->side[g->adjacent[k]] == 2) cut += g->weight[k];
  }
  for (int i = 0; i < n; i++) d->side[d->order[i].rank] = 0;
  return cut;
}

/* Brings `left` of the ranks to the front, so that the cut is cheap. */
static void cut_in_two(const dividing_t *d, int *rank, int n, int left)
{
  int ways = d->layout->grid ? LAYOUT_AXES : (int)(sizeof direction / sizeof *direction);
  int best = -1, last = -1;
  double best_cut = 0;
  for (int way = 0; way < ways; way++) {
    if (!order_along(d, way, rank, n)) continue;
    select_smallest(d->order, n, left);
    double cut = cut_of_order(d, n, left);
    last = way;
    if (best >= 0 && cut >= best_cut) continue;
    best = way;
    best_cut = cut;
  }
  if (best < 0) return; /* nothing tells them apart */
  if (best != last) {
    order_along(d, best, rank, n);
    select_smallest(d->order, n, left);
  }
  for (int i = 0; i < n; i++) rank[i] = d->order[i].rank;
}

/* Orders ranks so that each part's stand together: halves of the parts first. */
static void halve(const dividing_t *d, size_t first, size_t n_parts, int *rank, int n)
{
  if (n_parts < 2) return;
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
  cut_in_two(d, rank, n, left);
  halve(d, first, half, rank, left);
  halve(d, first + half, n_parts - half, rank + left, n - left);
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

/* Cuts a box among parts of equal size; false when they aren't or there is no way. */
static bool cut_box(dividing_t *d, int e, size_t first, size_t n_parts, int *rank, int n)
{
  int from[LAYOUT_AXES];
  box_t box, parts;
  if (d->how != DIVIDE_BLOCKS || !d->layout->grid) return false;
  for (size_t i = 1; i < n_parts; i++)
    if (d->part[first + i].n != d->part[first].n) return false;
  if (!find_box(d->layout, rank, n, from, &box) ||
      !splits_find(d->splits, e, (int)n_parts, box, &parts))
    return false;
  int each = n / (int)n_parts, *next = malloc(n_parts * sizeof *next);
  if (!next) return false;
  for (int i = 0; i < (int)n_parts; i++) next[i] = i * each;
  for (int i = 0; i < n; i++) {
    int number = 0;
    for (int k = LAYOUT_AXES - 1; k >= 0; k--) {
      int cell = (d->layout->at[k][rank[i]] - from[k]) / (box.size[k] / parts.size[k]);
      number = number * parts.size[k] + cell;
    }
    d->order[next[number]++].rank = rank[i];
  }
  for (int i = 0; i < n; i++) rank[i] = d->order[i].rank;
  free(next);
  return true;
}

/* --- the tree --- */

/* The children that get ranks, as the last of d->part. */
static bool list_parts(dividing_t *d, int e, int n)
{
  size_t first = d->n_parts;
  const berth_topo_t *t = d->problem->topo;
  for (int i = 0, child = e + 1; i < berth_topo_element(t, e)->n_children; i++) {
    if (d->room[child] > 0) {
      if (!ARRAY_GROW(&d->part, d->n_parts, &d->cap_parts)) return false;
      d->part[d->n_parts++] = (part_t){child, d->room[child]};
    }
    child += berth_topo_element(t, child)->size;
  }
  d->n_parts = first + share_out(d, d->part + first, d->n_parts - first, n);
  return true;
}

/* Hands n ranks to an element; false when memory is out. */
static bool hand_down(dividing_t *d, int e, int *rank, int n)
{
  const berth_element_t *element = berth_topo_element(d->problem->topo, e);
  if (element->type < 0) {
    for (int i = 0; i < n; i++) d->pu_of_rank[rank[i]] = element->first_pu;
    return true;
  }
  size_t first = d->n_parts;
  if (!list_parts(d, e, n)) return false;
  size_t n_parts = d->n_parts - first;
  if (d->how != DIVIDE_CURVE && n_parts > 1 && !cut_box(d, e, first, n_parts, rank, n))
    halve(d, first, n_parts, rank, n);
  bool well = true;
  for (size_t i = 0; well && i < n_parts; i++) {
    part_t part = d->part[first + i];
    well = hand_down(d, part.element, rank, part.n);
    rank += part.n;
  }
  d->n_parts = first;
  return well;
}

static int dividing_init(dividing_t *d, berth_error_t *err)
{
  const berth_topo_t *t = d->problem->topo;
  size_t ranks = (size_t)d->layout->n;
  d->room = calloc((size_t)berth_topo_n_elements(t), sizeof *d->room);
  d->rank = malloc(ranks * sizeof *d->rank);
  d->order = malloc(ranks * sizeof *d->order);
  d->side = calloc(ranks, 1);
  if (!d->room || !d->rank || !d->order || !d->side) return map_no_memory(err);
  for (int i = 0; i < d->problem->n_pus; i++)
    d->room[berth_topo_pu(t, d->problem->pus[i])->element]++;
  for (int e = berth_topo_n_elements(t) - 1; e > 0; e--)
    d->room[berth_topo_element(t, e)->parent] += d->room[e];
  for (size_t r = 0; r < ranks; r++) d->rank[r] = (int)r;
  d->splits = splits_new(t, d->layout, d->room);
  return d->splits ? BERTH_OK : map_no_memory(err);
}

static void dividing_clear(dividing_t *d)
{
  splits_free(d->splits);
  free(d->room);
  free(d->rank);
  free(d->order);
  free(d->side);
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
  if (!rc && !hand_down(&d, 0, d.rank, l->n)) rc = map_no_memory(err);
  dividing_clear(&d);
  return rc;
}
