/* SPDX-License-Identifier: BSD-3-Clause */
/* A section, the graph of some of the ranks, and ever coarser versions of it: pairs of vertices
 * with heavy edges are joined, level by level. All levels' memory is reused for the next section.
 */
#ifndef BERTH_MAP_PARTITION_HIERARCHY_H
#define BERTH_MAP_PARTITION_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A graph in METIS's form. The neighbours of v are adjacent[start[v] … start[v + 1] - 1], with
 * weights of at least 0. Each edge is in both lists. */
typedef struct section {
  int n;
  int *start, *adjacent;
  double *weight;
  int *size; /* how many ranks each vertex stands for; NULL: one */
} section_t;

static inline int section_size(const section_t *s, int v) { return s->size ? s->size[v] : 1; }

enum { HIERARCHY_LEVELS = 40 };

typedef struct level {
  section_t section;               /* level 0's belongs to the caller */
  unsigned char *part;             /* each vertex's part; level 0's belongs to the caller */
  int *coarse;                     /* the vertex of the next level that contains each vertex */
  size_t vertices, entries, finer; /* allocated sizes */
} level_t;

typedef struct hierarchy {
  level_t level[HIERARCHY_LEVELS];
  int top; /* the coarsest level */
} hierarchy_t;

/* Makes levels down to about `min` vertices, or until few vertices find a partner. Vertices of
 * different parts (NULL: all are in one) aren't joined, nor are vertices that are too large.
 * `order` and `mate` have room for all vertices. False when memory is out. */
bool hierarchy_build(hierarchy_t *h, const section_t *s, unsigned char *part, int min,
                     uint64_t *random, int *order, int *mate);
void hierarchy_clear(hierarchy_t *h);

#endif
