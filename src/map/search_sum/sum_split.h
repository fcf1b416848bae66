/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a graph split among groups that have room for so many each, by annealing. */
#ifndef BERTH_MAP_SEARCH_SUM_SUM_SPLIT_H
#define BERTH_MAP_SEARCH_SUM_SUM_SPLIT_H

#include <berth/map.h>

typedef struct split {
  const berth_map_problem_t *problem; /* for its time limit; borrowed */
  int n, k;                           /* members, groups */
  int *start, *adjacent;
  float *weight; /* beside adjacent */
  int *room;     /* of each group */
  int *fixed;    /* the group that a member may not leave, -1 for others */
  float mean;    /* of the weights */
  float penalty; /* for the square of what a group has above its room */
} split_t;

/* A split of n members with so many neighbours in all, whose arrays are the caller's to fill, but
 * for mean and penalty. */
int split_init(split_t *s, int n, size_t neighbours, int k, berth_error_t *err);
void split_clear(split_t *s);

/* Finds the group of each member: the weight between groups is small, no group has more than its
 * room, which is enough in all. `tries` is the work. */
int split_solve(split_t *s, double tries, uint64_t *random, int *group, berth_error_t *err);

#endif
