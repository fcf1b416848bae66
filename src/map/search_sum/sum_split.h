/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits a graph's members into groups with limited room, by annealing. */
#ifndef BERTH_MAP_SEARCH_SUM_SUM_SPLIT_H
#define BERTH_MAP_SEARCH_SUM_SUM_SPLIT_H

#include <berth/map.h>

typedef struct split {
  const berth_map_problem_t *problem; /* for its time limit; borrowed */
  int n, k;                           /* number of members, of groups */
  int *start, *adjacent;
  float *weight; /* parallel to adjacent */
  int *room;     /* by group */
  int *fixed;    /* a member's group if it must not leave it, -1 for others */
  float mean;    /* of the weights */
  float penalty; /* price for the square of a group's members above its room */
} split_t;

/* Allocates a split of n members with so many neighbours in all. The caller fills the arrays;
 * split_solve computes mean and penalty. */
int split_init(split_t *s, int n, size_t neighbours, int k, berth_error_t *err);
void split_clear(split_t *s);

/* Finds a group for each member, so that the weight between groups is small. No group exceeds its
 * room; the total room must suffice. `tries` is the work. */
int split_solve(split_t *s, double tries, uint64_t *random, int *group, berth_error_t *err);

#endif
