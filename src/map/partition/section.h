/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of some of the ranks. */
#ifndef BERTH_MAP_PARTITION_SECTION_H
#define BERTH_MAP_PARTITION_SECTION_H

/* A graph in METIS's form. The neighbours of v are adjacent[start[v] … start[v + 1] - 1], with
 * weights of at least 0. Each edge is in both lists. */
typedef struct section {
  int n;
  int *start, *adjacent;
  double *weight;
  int *size; /* how many ranks each vertex stands for; NULL: one */
} section_t;

static inline int section_size(const section_t *s, int v) { return s->size ? s->size[v] : 1; }

#endif
