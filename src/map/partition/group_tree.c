/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides the usable PUs into groups of equal PUs, and computes distances between groups. */
#include "map/partition/group_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"

/* The table of all distances then takes at most 8 MB. */
enum { TABLE_GROUPS_MAX = 1024 };

void group_tree_clear(group_tree_t *t)
{
  free(t->element);
  free(t->first);
  free(t->place);
  free(t->group_at);
  free(t->usable);
  free(t->parent);
  free(t->above);
  free(t->apex);
  free(t->end);
  free(t->table);
  *t = (group_tree_t){0};
}

/* Seconds for a byte of large messages in a port's direction. */
static double direction_s(const berth_topo_t *t, const berth_port_dir_t *d)
{
  if (d->curve >= 0) {
    const berth_curve_t *c = berth_topo_curve(t, d->curve);
    return 1 / c->bandwidth[c->n - 1];
  }
  return d->capacity > 0 ? 1 / d->capacity : 0;
}

/* The same for a port: a pair's bytes count half in each direction. */
static double port_s(const berth_topo_t *t, const berth_port_t *p)
{
  return (direction_s(t, &p->out) + direction_s(t, &p->in)) / 2;
}

/* Computes the seconds that a byte takes through each switch and up to the root. If nothing in the
 * topology has a cost, all links are equal. */
static void measure_links(group_tree_t *t)
{
  double longest = 0;
  for (int e = 0; e < berth_topo_n_elements(t->topo); e++) {
    const berth_element_t *element = berth_topo_element(t->topo, e);
    double link = 0;
    t->parent[e] = element->parent;
    if (element->type >= 0) {
      const berth_type_t *type = berth_topo_type(t->topo, element->type);
      t->apex[e] = type->capacity > 0 ? 1 / type->capacity : 0;
      link = port_s(t->topo, &type->up) + t->apex[e];
    }
    if (e > 0) {
      int above = berth_topo_element(t->topo, element->parent)->type;
      link += port_s(t->topo, &berth_topo_type(t->topo, above)->down);
      t->above[e] = t->above[element->parent] + link;
    }
    if (t->above[e] > longest) longest = t->above[e];
  }
  for (int e = 1; longest == 0 && e < berth_topo_n_elements(t->topo); e++)
    t->above[e] = berth_topo_element(t->topo, e)->depth;
}

static int parent_of_pu(const group_tree_t *t, int pu)
{
  return t->parent[berth_topo_pu(t->topo, pu)->element];
}

/* Makes the groups. An element's number is higher than its parent's. */
static void form_groups(group_tree_t *t, const berth_map_problem_t *problem)
{
  int elements = berth_topo_n_elements(t->topo);
  for (int i = 0; i < problem->n_pus; i++) t->usable[parent_of_pu(t, problem->pus[i])]++;
  for (int e = 0; e < elements; e++) {
    t->group_at[e] = t->usable[e] ? t->n : -1;
    if (!t->usable[e]) continue;
    t->element[t->n] = e;
    t->first[t->n + 1] = t->first[t->n] + t->usable[e];
    t->n++;
  }
  for (int e = elements - 1; e > 0; e--) t->usable[t->parent[e]] += t->usable[e];
}

/* Puts the places into their groups. first[g] moves along and is restored at the end. */
static void fill_groups(group_tree_t *t, const berth_map_problem_t *problem)
{
  for (int i = 0; i < problem->n_pus; i++) {
    int g = t->group_at[parent_of_pu(t, problem->pus[i])];
    t->end[g] = t->above[berth_topo_pu(t->topo, problem->pus[i])->element];
    t->place[t->first[g]++] = problem->pus[i];
  }
  memmove(t->first + 1, t->first, (size_t)t->n * sizeof *t->first);
  t->first[0] = 0;
}

double group_tree_walk(const group_tree_t *t, int a, int b)
{
  int x = t->element[a], y = t->element[b];
  while (x != y) { /* a parent's number is below its children's */
    if (x > y)
      x = t->parent[x];
    else
      y = t->parent[y];
  }
  return t->end[a] + t->end[b] - 2 * t->above[x] + t->apex[x];
}

static bool fill_table(group_tree_t *t)
{
  if (t->n > TABLE_GROUPS_MAX) return true;
  double *table = malloc((size_t)t->n * (size_t)t->n * sizeof *table);
  for (int a = 0; table && a < t->n; a++)
    for (int b = 0; b < t->n; b++) table[a * t->n + b] = group_tree_walk(t, a, b);
  t->table = table;
  return table;
}

int group_tree_init(group_tree_t *t, const berth_map_problem_t *problem, berth_error_t *err)
{
  size_t elements = (size_t)berth_topo_n_elements(problem->topo), places = (size_t)problem->n_pus;
  *t = (group_tree_t){.problem = problem,
                      .topo = problem->topo,
                      .element = malloc((places + 1) * sizeof *t->element),
                      .first = calloc(places + 2, sizeof *t->first),
                      .place = malloc((places + 1) * sizeof *t->place),
                      .group_at = malloc(elements * sizeof *t->group_at),
                      .usable = calloc(elements, sizeof *t->usable),
                      .parent = malloc(elements * sizeof *t->parent),
                      .above = calloc(elements, sizeof *t->above),
                      .apex = calloc(elements, sizeof *t->apex),
                      .end = malloc((places + 1) * sizeof *t->end)};
  if (!t->element || !t->first || !t->place || !t->group_at || !t->usable || !t->parent ||
      !t->above || !t->apex || !t->end)
    return no_memory(err);
  measure_links(t);
  form_groups(t, problem);
  fill_groups(t, problem);
  return fill_table(t) ? BERTH_OK : no_memory(err);
}

double group_tree_cost(const group_tree_t *t, const graph_t *g, const int *group_of_rank)
{
  double cost = 0;
  for (int r = 0; r < g->n; r++)
    for (size_t i = g->start[r]; i < g->start[r + 1]; i++)
      cost +=
          g->weight[i] * group_tree_distance(t, group_of_rank[r], group_of_rank[g->adjacent[i]]);
  return cost;
}

int group_tree_place(const group_tree_t *t, const int *group_of_rank, int ranks, int *pu_of_rank,
                     berth_error_t *err)
{
  int *next = malloc(((size_t)t->n + 1) * sizeof *next);
  if (!next) return no_memory(err);
  memcpy(next, t->first, (size_t)t->n * sizeof *next);
  for (int r = 0; r < ranks; r++) pu_of_rank[r] = t->place[next[group_of_rank[r]]++];
  free(next);
  return BERTH_OK;
}
