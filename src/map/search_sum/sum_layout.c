/* SPDX-License-Identifier: BSD-3-Clause */
/* Prepares a problem for searches under model sum. */
#include "map/search_sum/sum_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/sum.h"
#include "map/map_internal.h"

bool sum_accepts_higher(float more, float temperature, uint64_t *random)
{
  return (double)(map_random_next(random) >> 11) * 0x1p-53 < exp(-(double)(more / temperature));
}

void sum_layout_clear(sum_layout_t *l)
{
  free(l->start);
  free(l->adjacent);
  free(l->price);
  free(l->step);
  free(l->pu_of_place);
  free(l->code);
  free(l->shift);
  free(l->depth_of_bit);
  free(l->pinned);
  *l = (sum_layout_t){0};
}

/* --- places --- */

/* The tree while places are numbered. */
typedef struct tree {
  const berth_cost_t *cost;
  int n_switches, n_nodes;
  int *ordinal;  /* by node: its number among its siblings */
  int *children; /* by switch */
} tree_t;

typedef struct place {
  uint64_t code;
  int pu;
} place_t;

ORDER_BY(by_code, place_t, RISING(code) RISING(pu))

static bool tree_init(tree_t *t, const berth_cost_t *cost, int n_pus)
{
  *t = (tree_t){cost, cost_sum_switches(cost), cost_sum_switches(cost) + n_pus, NULL, NULL};
  t->ordinal = calloc((size_t)t->n_nodes, sizeof *t->ordinal);
  t->children = calloc((size_t)t->n_switches, sizeof *t->children);
  if (!t->ordinal || !t->children) return false;
  for (int i = 1; i < t->n_nodes; i++) t->ordinal[i] = t->children[cost_sum_parent(cost, i)]++;
  return true;
}

/* Gives each depth of switches a field of bits that holds the number of a child. PUs below the
 * deepest switches are equal and need no field. Returns whether the fields fit a code. */
static bool lay_out_fields(sum_layout_t *l, const tree_t *t)
{
  int widest[BERTH_MAX_DEPTH + 1] = {0}, bit = 0;
  for (int i = 0; i < t->n_switches; i++) {
    int d = cost_sum_depth(t->cost, i), width = 0;
    while (width < 31 && t->children[i] > 1 << width) width++;
    if (width > widest[d]) widest[d] = width;
  }
  memset(l->depth_of_bit, l->depths - 1, SUM_BITS + 1);
  for (int d = l->depths - 1; d >= 0; d--) {
    l->shift[d] = bit;
    if (d == l->depths - 1) continue;
    if (bit + widest[d] >= SUM_BITS) return false;
    memset(l->depth_of_bit + bit + 1, d, (size_t)widest[d]);
    bit += widest[d];
  }
  return true;
}

static uint64_t code_of(const sum_layout_t *l, const tree_t *t, int pu)
{
  uint64_t code = 0;
  for (int node = t->n_switches + pu, up; (up = cost_sum_parent(t->cost, node)) >= 0; node = up) {
    int d = cost_sum_depth(t->cost, up);
    if (d < l->depths - 1) code |= (uint64_t)t->ordinal[node] << l->shift[d];
  }
  return code;
}

static int put_places(sum_layout_t *l, const berth_map_problem_t *problem, const tree_t *t,
                      berth_error_t *err)
{
  size_t n = (size_t)problem->n_pus;
  place_t *place = malloc((n + 1) * sizeof *place);
  l->pu_of_place = malloc((n + 1) * sizeof *l->pu_of_place);
  l->code = malloc((n + 1) * sizeof *l->code);
  if (!place || !l->pu_of_place || !l->code) {
    free(place);
    return no_memory(err);
  }
  for (size_t i = 0; i < n; i++)
    place[i] = (place_t){code_of(l, t, problem->pus[i]), problem->pus[i]};
  qsort(place, n, sizeof *place, by_code);
  for (size_t i = 0; i < n; i++) {
    l->pu_of_place[i] = place[i].pu;
    l->code[i] = place[i].code;
  }
  l->n_places = (int)n;
  free(place);
  return BERTH_OK;
}

static int lay_out_places(sum_layout_t *l, const berth_map_problem_t *problem,
                          const berth_cost_t *cost, berth_error_t *err)
{
  tree_t t;
  int rc = BERTH_OK;
  l->shift = malloc((size_t)l->depths * sizeof *l->shift);
  l->depth_of_bit = malloc((SUM_BITS + 1) * sizeof *l->depth_of_bit);
  if (!tree_init(&t, cost, berth_topo_n_pus(problem->topo)) || !l->shift || !l->depth_of_bit)
    rc = no_memory(err);
  else if (lay_out_fields(l, &t))
    rc = put_places(l, problem, &t, err);
  free(t.ordinal);
  free(t.children);
  return rc;
}

int sum_layout_place(const sum_layout_t *l, const int *pu_of_rank, int *place_of_rank, int *rank_at,
                     berth_error_t *err)
{
  int highest = 0;
  for (int i = 0; i < l->n_places; i++)
    if (l->pu_of_place[i] > highest) highest = l->pu_of_place[i];
  int *next = malloc(((size_t)highest + 1) * sizeof *next); /* by PU: its next free place */
  if (!next) return no_memory(err);
  for (int i = l->n_places - 1; i >= 0; i--) {
    next[l->pu_of_place[i]] = i;
    rank_at[i] = -1;
  }
  for (int r = 0; r < l->n_ranks; r++) {
    place_of_rank[r] = next[pu_of_rank[r]]++;
    rank_at[place_of_rank[r]] = r;
  }
  free(next);
  return BERTH_OK;
}

/* --- neighbours --- */

/* Adds a pair to the lists of both ends, at next[end]. */
static void add_pair(sum_layout_t *l, size_t *next, int a, int b, const double *cost)
{
  const int end[] = {a, b};
  for (int i = 0; i < 2; i++) {
    size_t at = next[end[i]]++;
    l->adjacent[at] = end[1 - i];
    for (int d = 0; d < l->depths; d++)
      l->price[at * (size_t)l->depths + (size_t)d] = (float)cost[d];
  }
}

/* Merges the two entries of pairs in which both ranks send. seen[v] is v's index in the lists, plus
 * 1. */
static void merge_neighbours(sum_layout_t *l, size_t *seen)
{
  size_t kept = 0, depths = (size_t)l->depths;
  for (size_t r = 0, from = 0; r < (size_t)l->n_ranks; r++) {
    size_t first = kept, end = l->start[r + 1];
    for (; from < end; from++) {
      size_t *at = &seen[l->adjacent[from]];
      if (*at > first) {
        for (size_t d = 0; d < depths; d++)
          l->price[(*at - 1) * depths + d] += l->price[from * depths + d];
        continue;
      }
      l->adjacent[kept] = l->adjacent[from];
      memmove(l->price + kept * depths, l->price + from * depths, depths * sizeof *l->price);
      *at = ++kept;
    }
    l->start[r + 1] = kept;
  }
}

static int link_ranks(sum_layout_t *l, const berth_cost_t *c, const double *price,
                      berth_error_t *err)
{
  size_t pairs = cost_sum_pairs(c), n = (size_t)l->n_ranks, phase = 0;
  double *cost = malloc(((size_t)l->depths + 1) * sizeof *cost);
  size_t *next = calloc(n + 2, sizeof *next);
  l->start = calloc(n + 2, sizeof *l->start);
  l->adjacent = malloc((2 * pairs + 1) * sizeof *l->adjacent);
  l->price = malloc((2 * pairs + 1) * (size_t)l->depths * sizeof *l->price);
  int rc = cost && next && l->start && l->adjacent && l->price ? BERTH_OK : no_memory(err);
  int a, b;
  for (size_t i = 0; i < pairs && !rc; i++) {
    cost_sum_pair(c, price, i, &phase, &a, &b, cost);
    l->start[a + 1]++;
    l->start[b + 1]++;
  }
  for (size_t r = 0; r < n && !rc; r++) next[r + 1] = l->start[r + 1] += l->start[r];
  phase = 0;
  for (size_t i = 0; i < pairs && !rc; i++) {
    cost_sum_pair(c, price, i, &phase, &a, &b, cost);
    add_pair(l, next, a, b, cost);
  }
  if (!rc) {
    memset(next, 0, n * sizeof *next);
    merge_neighbours(l, next);
  }
  free(cost);
  free(next);
  return rc;
}

static int measure_steps(sum_layout_t *l, berth_error_t *err)
{
  size_t depths = (size_t)l->depths, edges = l->start[l->n_ranks];
  l->step = calloc(depths + 1, sizeof *l->step);
  if (!l->step) return no_memory(err);
  for (size_t i = 0; i < edges; i++)
    for (size_t d = 0; d + 1 < depths; d++)
      l->step[d] +=
          ((double)l->price[i * depths + d] - (double)l->price[i * depths + d + 1]) / (double)edges;
  return BERTH_OK;
}

int sum_layout_init(sum_layout_t *out, const berth_map_problem_t *problem, const berth_cost_t *cost,
                    berth_error_t *err)
{
  *out = (sum_layout_t){.problem = problem,
                        .n_ranks = berth_pattern_ranks(problem->pattern),
                        .depths = cost_sum_depths(cost),
                        .exact = cost_sum_by_depth(cost)};
  double *price;
  int rc = cost_sum_prices(cost, &price, err);
  if (rc) return rc;
  out->pinned = calloc((size_t)out->n_ranks + 1, sizeof *out->pinned);
  if (!out->pinned) rc = no_memory(err);
  for (int r = 0; !rc && problem->options.pinned && r < out->n_ranks; r++)
    out->pinned[r] = problem->options.pinned[r] >= 0;
  if (!rc) rc = link_ranks(out, cost, price, err);
  if (!rc) rc = measure_steps(out, err);
  if (!rc) rc = lay_out_places(out, problem, cost, err);
  free(price);
  return rc;
}
