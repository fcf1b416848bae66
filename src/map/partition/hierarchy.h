/* SPDX-License-Identifier: BSD-3-Clause */
/* A section and ever coarser ones: pairs of vertices joined by heavy edges become one, level by
 * level. The memory of all levels is used again by the next section's. */
#ifndef BERTH_MAP_PARTITION_HIERARCHY_H
#define BERTH_MAP_PARTITION_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map/partition/section.h"

enum { HIERARCHY_LEVELS = 40 };

typedef struct level {
  section_t section;               /* level 0's is the caller's */
  unsigned char *part;             /* of each vertex; the same */
  int *coarse;                     /* the vertex of the next level that each of this one is in */
  size_t vertices, entries, finer; /* room */
} level_t;

typedef struct hierarchy {
  level_t level[HIERARCHY_LEVELS];
  int top; /* the coarsest level */
} hierarchy_t;

/* Makes the levels down to about `least` vertices, or to where only few find a partner. Vertices
 * of different parts (NULL: all are in one) never become one; nor do those that are too large.
 * `order` and `mate` have room for all vertices. False when memory is out. */
bool hierarchy_build(hierarchy_t *h, const section_t *s, unsigned char *part, int min,
                     uint64_t *random, int *order, int *mate);
void hierarchy_clear(hierarchy_t *h);

#endif
