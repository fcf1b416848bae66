/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits ranks from the root down: at each switch, among its children.
 * What ranks exchange with ranks outside of their switch crosses the same links wherever they are
 * below it. So each switch can be handled alone (siblings.c). */
#include "map/partition/multisection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "map/partition/group_tree.h"
#include "map/partition/siblings.h"

/* Maximum of look-ups of distances for each rank; about a hundred are used. */
enum { LOOKS_A_RANK = 100000 };
/* Fewer ranks get more work. */
enum { SMALL = 100 };

/* Pushes the children of an element that have places. */
static bool push_children(splitter_t *s, int e)
{
  const group_tree_t *t = s->tree;
  int n = berth_topo_element(t->topo, e)->n_children, group = t->group_at[e];
  if (!array_reserve(&s->child, &s->children_cap, s->n_children + (size_t)n + 1, sizeof *s->child))
    return false;
  if (group >= 0)
    s->child[s->n_children++] =
        (child_t){.element = e, .group = group, .places = t->first[group + 1] - t->first[group]};
  for (int i = 0, c = e + 1; i < n; i++, c += berth_topo_element(t->topo, c)->size)
    if (berth_topo_element(t->topo, c)->type >= 0 && t->usable[c])
      s->child[s->n_children++] = (child_t){.element = c, .group = -1, .places = t->usable[c]};
  return true;
}

/* Splits n ranks among what is below a switch; `whole` while these are all ranks. */
static int hand_down(splitter_t *s, int element, bool whole, int *rank, int n, berth_error_t *err)
{
  size_t from = s->n_children;
  if (n == 0) return BERTH_OK;
  if (!push_children(s, element)) return no_memory(err);
  size_t to = s->n_children;
  s->is_top = whole;
  whole = whole && to - from == 1;
  int rc = siblings_split(s, s->child + from, (int)(to - from), rank, n, err);
  for (size_t i = from; i < to && !rc; i++) {
    child_t child = s->child[i]; /* the stack may move */
    if (child.group < 0) rc = hand_down(s, child.element, whole, rank, child.n, err);
    for (int v = 0; child.group >= 0 && v < child.n; v++) s->group_of_rank[rank[v]] = child.group;
    rank += child.n;
  }
  s->n_children = from;
  return rc;
}

int multisection(const group_tree_t *t, const graph_t *g, multisection_work_t work, uint64_t seed,
                 int *group_of_rank, berth_error_t *err)
{
  splitter_t s = {
      .tree = t, .graph = g, .work = work, .random = seed, .group_of_rank = group_of_rank};
  int *best = group_of_rank, rc = siblings_init(&s, err);
  double cost, min = 0, gained;
  s.group_of_rank = malloc(((size_t)g->n + 1) * sizeof *s.group_of_rank);
  if (!rc && !s.group_of_rank) rc = no_memory(err);
  for (int i = 0; i < work.starts && !rc; i++) {
    rc = hand_down(&s, 0, true, s.rank, g->n, err);
    if (!rc)
      rc = group_swap(t, g, (uint64_t)LOOKS_A_RANK * (uint64_t)g->n, s.group_of_rank, &gained, err);
    cost = rc ? 0 : group_tree_cost(t, g, s.group_of_rank);
    if (rc || (i > 0 && cost >= min)) continue;
    min = cost;
    memcpy(best, s.group_of_rank, (size_t)g->n * sizeof *best);
  }
  free(s.group_of_rank);
  siblings_clear(&s);
  return rc;
}

/* How often all ranks are split again in teams: a budget of ranks, within limits. */
static int teams_of(int budget, int ranks, int max)
{
  int teams = budget / (ranks > 0 ? ranks : 1);
  return teams < max ? teams : max;
}

multisection_work_t multisection_work(berth_quality_t quality, int ranks)
{
  bool small = ranks <= SMALL, large = ranks > MULTISECTION_LARGE;
  switch (quality) {
  case BERTH_QUALITY_FAST:
    return (multisection_work_t){.starts = small ? 4 : 1,
                                 .tries = large ? 1 : 3,
                                 .rounds = large ? 2 : 10,
                                 .pair_tries = 1,
                                 .tries_from = 20,
                                 .pairs_from = 40};
  case BERTH_QUALITY_ECO:
    return (multisection_work_t){.starts = small ? 4 : 1,
                                 .tries = large ? 1 : 3,
                                 .rounds = large ? 5 : 10,
                                 .pair_tries = 1,
                                 .pairs_from = 16,
                                 .teams = teams_of(30000, ranks, 10)};
  default:
    return (multisection_work_t){.starts = small ? 8 : 1,
                                 .tries = large ? 2 : 5,
                                 .rounds = 20,
                                 .pair_tries = large ? 1 : 2,
                                 .teams = teams_of(100000, ranks, 50)};
  }
}

/* The same for a graph whose vertex v is rank order[v]. group[] is scratch space. */
static int map_ordered(const berth_map_problem_t *problem, const graph_t *g, const int *order,
                       multisection_work_t work, uint64_t seed, int *group, int *pu_of_rank,
                       berth_error_t *err)
{
  group_tree_t tree;
  int *group_of_rank = group + g->n, rc = group_tree_init(&tree, problem, err);
  if (!rc) rc = multisection(&tree, g, work, seed, group, err);
  for (int v = 0; !rc && v < g->n; v++) group_of_rank[order[v]] = group[v];
  if (!rc) rc = group_tree_place(&tree, group_of_rank, g->n, pu_of_rank, err);
  group_tree_clear(&tree);
  return rc;
}

int multisection_map(const berth_map_problem_t *problem, const graph_t *g, multisection_work_t work,
                     uint64_t seed, int *pu_of_rank, berth_error_t *err)
{
  size_t n = (size_t)g->n + 1;
  int *order = malloc(n * sizeof *order), *group = malloc(2 * n * sizeof *group);
  graph_t ordered = {0};
  int rc = order && group ? graph_reorder(g, order, &ordered, err) : no_memory(err);
  if (!rc) rc = map_ordered(problem, &ordered, order, work, seed, group, pu_of_rank, err);
  graph_clear(&ordered);
  free(order);
  free(group);
  return rc;
}
