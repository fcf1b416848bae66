/* SPDX-License-Identifier: BSD-3-Clause */
/* The usable PUs as groups of equal PUs: those directly below one switch. A rank costs the same on
 * any PU of a group. So a placement is a choice of groups, and distances are between groups. */
#ifndef BERTH_MAP_PARTITION_GROUP_TREE_H
#define BERTH_MAP_PARTITION_GROUP_TREE_H

#include "map/map_graph.h"
#include "map/map_internal.h"

typedef struct group_tree {
  const berth_map_problem_t *problem;
  const berth_topo_t *topo;
  int n;         /* groups, in the order of their switches */
  int *element;  /* each group's switch */
  int *first;    /* the PUs of g are place[first[g] … first[g + 1] - 1] */
  int *place;    /* the problem's places */
  int *group_at; /* the group directly below each element, -1: none */
  int *usable;   /* places below each element */
  int *parent;   /* by element */
  double *above; /* seconds that a byte takes from each element to the root */
  double *apex;  /* for crossing the element */
  double *end;   /* from a PU of each group to the root */
  double *table; /* all distances; NULL if there are many groups */
} group_tree_t;

int group_tree_init(group_tree_t *t, const berth_map_problem_t *problem, berth_error_t *err);
void group_tree_clear(group_tree_t *t);

/* group_tree_distance without a table. */
double group_tree_walk(const group_tree_t *t, int a, int b);

/* Seconds for a byte between ranks in two groups, which may be the same one. */
static inline double group_tree_distance(const group_tree_t *t, int a, int b)
{
  return t->table ? t->table[(size_t)a * (size_t)t->n + (size_t)b] : group_tree_walk(t, a, b);
}

/* The sum of weight * distance over the pairs of ranks in g, in both directions. */
double group_tree_cost(const group_tree_t *t, const graph_t *g, const int *group_of_rank);

/* Gives each rank a PU of its group, in increasing order. */
int group_tree_place(const group_tree_t *t, const int *group_of_rank, int ranks, int *pu_of_rank,
                     berth_error_t *err);

/* Changes group_of_rank, which must be a placement. It ends when no exchange pays that starts with
 * a rank drawn to a neighbour's group, or after `looks` distance look-ups. *gained is the decrease
 * of the sum of weight * distance. */
int group_swap(const group_tree_t *t, const graph_t *g, uint64_t looks, int *group_of_rank,
               double *gained, berth_error_t *err);

#endif
