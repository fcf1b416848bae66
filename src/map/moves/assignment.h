/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignments of greatest weight between two sets. */
#ifndef BERTH_MAP_MOVES_ASSIGNMENT_H
#define BERTH_MAP_MOVES_ASSIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct assignment_edge {
  int left, right; /* any numbers; each pair at most once */
  int weight;      /* above 0 */
  bool taken;      /* the result: part of the assignment */
} assignment_edge_t;

/* Chooses edges so that no number is used twice on its side. The total weight is maximal (Kuhn,
 * 1955; Munkres, 1957) if that is bounded work; otherwise the heaviest edges are taken first. False
 * when memory is out. */
bool assignment_find(assignment_edge_t *edge, size_t n);

#endif
