/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignments of greatest weight between two sets. */
#ifndef BERTH_MAP_MOVES_ASSIGNMENT_H
#define BERTH_MAP_MOVES_ASSIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct assignment_edge {
  int left, right; /* any numbers; each pair at most once */
  int weight;      /* above 0 */
  bool taken;      /* the result */
} assignment_edge_t;

/* Takes edges so that no number is taken twice on its side: of the greatest weight in all (Kuhn,
 * 1955, Munkres, 1957) where that is bounded work, else the heaviest ones first. False: no memory.
 */
bool assignment_find(assignment_edge_t *edge, size_t n);

#endif
