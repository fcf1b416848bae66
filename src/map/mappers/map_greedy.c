/* SPDX-License-Identifier: BSD-3-Clause */
/* `greedy`: the paper's mapper (section 4, figure 3).
 * Clusters are formed upwards by what ranks exchange (cluster.c), then distributed from the root
 * down (here). A cluster goes to a child that has room for all of it: the one that it exchanges
 * most with, else the one with the most room, so that heavy clusters get different subtrees. A
 * cluster that fits nowhere is divided, and its parts are placed one by one, close to each other if
 * possible. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "map/map_heap.h"
#include "map/mappers/cluster.h"

typedef struct node_list {
  int *item;
  size_t n, cap;
} node_list_t;

typedef struct placing {
  const berth_topo_t *topo;
  const graph_t *graph;
  forest_t forest;
  int *usable;        /* places below each element */
  int *room;          /* free places for the nodes that the element gets */
  int *where;         /* the deepest element that each rank has got to */
  double *affinity;   /* of the current node, by child */
  node_list_t *given; /* nodes for each element */
  node_list_t touched, ranks, stack;
  heap_t queue, roomiest;
  int *pu_of_rank;
} placing_t;

static bool list_add(node_list_t *list, int value)
{
  if (!ARRAY_ADD(&list->item, &list->n, &list->cap, value)) return false;
  return true;
}

/* Lists a node's ranks in p->ranks. */
static bool list_ranks(placing_t *p, int node)
{
  const forest_t *f = &p->forest;
  p->ranks.n = p->stack.n = 0;
  if (!list_add(&p->stack, node)) return false;
  while (p->stack.n) {
    const cluster_t *c = &f->node[p->stack.item[--p->stack.n]];
    if (c->n_parts == 0 && !list_add(&p->ranks, c->lowest)) return false;
    for (int i = c->n_parts; i-- > 0;)
      if (!list_add(&p->stack, f->part[c->first + i])) return false;
  }
  return true;
}

/* The child of e with room that exchanges most with the ranks in p->ranks; -1 if they exchange
 * nothing with ranks below e so far. */
static int closest_child(placing_t *p, int e, int size)
{
  int best = -1;
  p->touched.n = 0;
  for (size_t i = 0; i < p->ranks.n; i++) {
    const graph_t *g = p->graph;
    int r = p->ranks.item[i];
    for (size_t k = g->start[r]; k < g->start[r + 1]; k++) {
      int child = p->where[g->adjacent[k]];
      if (child <= 0 || berth_topo_element(p->topo, child)->parent != e) continue;
      if (p->affinity[child] == 0 && !list_add(&p->touched, child)) return -1;
      p->affinity[child] += g->weight[k];
    }
  }
  for (size_t i = 0; i < p->touched.n; i++) {
    int child = p->touched.item[i];
    bool better = best < 0 || p->affinity[child] > p->affinity[best] ||
                  (p->affinity[child] == p->affinity[best] && child < best);
    if (p->room[child] >= size && better) best = child;
  }
  for (size_t i = 0; i < p->touched.n; i++) p->affinity[p->touched.item[i]] = 0;
  return best;
}

/* The child with the most room. Amounts in the heap may be outdated; the top is updated first. */
static int roomiest_child(placing_t *p)
{
  heap_item_t top = heap_pop(&p->roomiest);
  while ((int)top.key != p->room[top.value]) {
    heap_push(&p->roomiest, p->room[top.value], 0, top.order,
              top.value); /* the item was just removed, so there is memory for it */
    top = heap_pop(&p->roomiest);
  }
  heap_push(&p->roomiest, top.key, 0, top.order, top.value);
  return top.value;
}

static bool hand_to(placing_t *p, int child, int node)
{
  for (size_t i = 0; i < p->ranks.n; i++) p->where[p->ranks.item[i]] = child;
  p->room[child] -= p->forest.node[node].size;
  return list_add(&p->given[child], node);
}

/* Sorts nodes: the largest first, then those that exchange most, then by lowest rank. */
static bool enqueue(placing_t *p, const int *nodes, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const cluster_t *c = &p->forest.node[nodes[i]];
    if (!heap_push(&p->queue, c->size, c->weight, c->lowest, nodes[i])) return false;
  }
  return true;
}

static bool place_node(placing_t *p, int e, int node)
{
  const cluster_t c = p->forest.node[node];
  if (p->room[roomiest_child(p)] < c.size)
    return enqueue(p, p->forest.part + c.first, (size_t)c.n_parts);
  if (!list_ranks(p, node)) return false;
  int child = closest_child(p, e, c.size);
  return hand_to(p, child >= 0 ? child : roomiest_child(p), node);
}

/* Distributes a switch's nodes among its children. */
static bool distribute(placing_t *p, int e)
{
  const berth_element_t *element = berth_topo_element(p->topo, e);
  p->roomiest.n = 0;
  for (int i = 0, child = e + 1; i < element->n_children; i++) {
    if (p->usable[child] && !heap_push(&p->roomiest, p->usable[child], 0, child, child))
      return false;
    child += berth_topo_element(p->topo, child)->size;
  }
  if (!enqueue(p, p->given[e].item, p->given[e].n)) return false;
  while (p->queue.n)
    if (!place_node(p, e, heap_pop(&p->queue).value)) return false;
  return true;
}

/* Places the ranks of a PU's nodes on it. */
static bool settle(placing_t *p, int e)
{
  for (size_t i = 0; i < p->given[e].n; i++) {
    if (!list_ranks(p, p->given[e].item[i])) return false;
    for (size_t k = 0; k < p->ranks.n; k++)
      p->pu_of_rank[p->ranks.item[k]] = berth_topo_element(p->topo, e)->first_pu;
  }
  return true;
}

/* Handles elements in the order of their numbers, so that a parent precedes its children. */
static int place_all(placing_t *p, const berth_map_problem_t *problem, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int e = 0; e < berth_topo_n_elements(p->topo); e++) {
    if (p->given[e].n == 0) continue;
    bool is_pu = berth_topo_element(p->topo, e)->type < 0;
    if (!is_pu && (rc = map_cut_short(problem))) return rc;
    if (!(is_pu ? settle(p, e) : distribute(p, e))) return no_memory(err);
    free(p->given[e].item);
    p->given[e] = (node_list_t){0};
  }
  return BERTH_OK;
}

static bool prepare(placing_t *p, const berth_map_problem_t *problem)
{
  size_t elements = (size_t)berth_topo_n_elements(p->topo);
  p->usable = calloc(elements, sizeof *p->usable);
  p->room = calloc(elements, sizeof *p->room);
  p->affinity = calloc(elements, sizeof *p->affinity);
  p->given = calloc(elements, sizeof *p->given);
  p->where = calloc((size_t)p->graph->n, sizeof *p->where);
  if (!p->usable || !p->room || !p->affinity || !p->given || !p->where) return false;
  map_count_places(problem, p->usable);
  for (size_t e = 0; e < elements; e++) p->room[e] = p->usable[e];
  return true;
}

static void placing_clear(placing_t *p)
{
  for (int e = 0; p->given && e < berth_topo_n_elements(p->topo); e++) free(p->given[e].item);
  free(p->given);
  free(p->usable);
  free(p->room);
  free(p->affinity);
  free(p->where);
  free(p->touched.item);
  free(p->ranks.item);
  free(p->stack.item);
  heap_clear(&p->queue);
  heap_clear(&p->roomiest);
  cluster_forest_clear(&p->forest);
}

int map_greedy(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err)
{
  graph_t graph;
  int rc = graph_of_pattern(problem->pattern, &graph, err);
  if (rc) return rc;
  placing_t p = {.topo = problem->topo, .graph = &graph, .pu_of_rank = pu_of_rank};
  if (!prepare(&p, problem)) rc = no_memory(err);
  if (!rc) rc = cluster_ranks(problem, &graph, p.usable, &p.forest, err);
  for (int i = 0; !rc && i < p.forest.n_top; i++)
    if (!list_add(&p.given[0], p.forest.top[i])) rc = no_memory(err);
  if (!rc) rc = place_all(&p, problem, err);
  if (!rc) rc = map_keep_pins(problem, pu_of_rank, err);
  placing_clear(&p);
  graph_clear(&graph);
  *chosen = "greedy";
  return rc;
}
