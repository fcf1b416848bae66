/* SPDX-License-Identifier: BSD-3-Clause */
/* A section and ever coarser versions of it: pairs of vertices with heavy edges are joined, level
 * by level. All levels' memory is reused for the next section. */
#ifndef BERTH_MAP_PARTITION_HIERARCHY_H
#define BERTH_MAP_PARTITION_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map/partition/section.h"

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
