/* SPDX-License-Identifier: BSD-3-Clause */
/* Prepares model sum for searches. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/cost_internal.h"
#include "cost/sum.h"

int cost_sum_switches(const berth_cost_t *c) { return c->n_switches; }

int cost_sum_parent(const berth_cost_t *c, int node) { return c->node[node].parent; }

int cost_sum_depth(const berth_cost_t *c, int node) { return c->node[node].depth; }

int cost_sum_depths(const berth_cost_t *c) { return c->height; }

bool cost_sum_by_depth(const berth_cost_t *c) { return c->path_price; }

static void add_slots(const berth_cost_t *c, int from, int to, double share, double *price)
{
  for (int s = from; s < to; s++) price[c->slot[s].column] += c->slot[s].weight * share;
}

/* Fills way[depth] with the price of leaving and entering a node of that depth, and turn[depth]
 * with the price of turning round at a switch of it. Both are means over the nodes. */
static void mean_prices(const berth_cost_t *c, const int *n_nodes, double *way, double *turn)
{
  size_t columns = (size_t)c->n_columns;
  int nodes = c->n_switches + berth_topo_n_pus(c->topo);
  for (int i = 0; i < nodes; i++) {
    const cost_node_t *node = &c->node[i];
    bool pu = i >= c->n_switches;
    size_t at = (size_t)(pu ? c->height + 1 : node->depth);
    double share = 1.0 / n_nodes[at];
    add_slots(c, node->first, node->in, share, way + at * columns);
    add_slots(c, node->self, node->end, share, way + at * columns);
    if (!pu) add_slots(c, node->self, node->in, share, turn + at * columns);
  }
}

int cost_sum_prices(const berth_cost_t *c, double **price, berth_error_t *err)
{
  size_t columns = (size_t)c->n_columns, depths = (size_t)c->height, rows = depths + 2;
  int *n_nodes = calloc(rows, sizeof *n_nodes);
  double *way = calloc(2 * rows * columns, sizeof *way), *turn = way + rows * columns;
  *price = calloc((depths + 1) * columns, sizeof **price);
  if (!n_nodes || !way || !*price) {
    free(n_nodes);
    free(way);
    free(*price);
    return no_memory(err);
  }
  for (int i = 0; i < c->n_switches; i++) n_nodes[c->node[i].depth]++;
  n_nodes[depths + 1] = berth_topo_n_pus(c->topo); /* PUs may be at any depth */
  mean_prices(c, n_nodes, way, turn);
  for (size_t d = depths; d-- > 0;)
    for (size_t j = 0; j < columns; j++) {
      size_t below = d + 1 == depths ? depths + 1 : d + 1; /* below the deepest switches are PUs */
      way[d * columns + j] += way[below * columns + j];
      (*price)[d * columns + j] = way[below * columns + j] + turn[d * columns + j];
    }
  free(n_nodes);
  free(way);
  return BERTH_OK;
}

size_t cost_sum_pairs(const berth_cost_t *c) { return c->phase[c->n_phases].first_pair; }

void cost_sum_pair(const berth_cost_t *c, const double *price, size_t i, size_t *phase, int *src,
                   int *dst, double *cost)
{
  while (i >= cost_first_pair(c, *phase + 1)) ++*phase;
  size_t columns = (size_t)c->n_columns;
  const int64_t *value = c->value + i * columns;
  const double *unit = c->unit + *phase * columns;
  *src = c->src[i];
  *dst = c->dst[i];
  for (int d = 0; d < c->height; d++) {
    cost[d] = 0;
    for (size_t j = 0; j < columns; j++)
      cost[d] += (double)value[j] * unit[j] * price[(size_t)d * columns + j];
    cost[d] *= c->phase[*phase].repeats;
  }
}
