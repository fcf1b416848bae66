/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a graph in two parts whose sizes are kept exactly: METIS finds a cut, moves repair its
 * imbalance, and a search with exact weights goes on from there. */
#ifndef BERTH_MAP_PARTITION_BISECT_H
#define BERTH_MAP_PARTITION_BISECT_H

#include <berth/error.h>
#include <stdbool.h>
#include <stdint.h>

#include "map/map_gain_heap.h"
#include "map/map_internal.h"
#include "map/partition/hierarchy.h"

/* Room for sections of a number of vertices and of entries in lists, used again and again. */
typedef struct bisector {
  const berth_map_problem_t *problem; /* whose time ends tries */
  gain_heap_t heap[2];
  int passes, patience; /* of a search at most; moves without gain that end a pass, about */
  double *gain;         /* of moving each vertex to the other part */
  int *across;          /* neighbours of each vertex in the other part */
  bool *locked;
  int *moved;           /* the vertices moved in a pass, in order */
  unsigned char *trial; /* part of each vertex */
  int *part, *adjwgt;   /* METIS's result and its weights */
  hierarchy_t hierarchy;
  int size;   /* vertices of part 0 in trial */
  double cut; /* of trial */
} bisector_t;

bool bisect_init(bisector_t *b, int vertices, int entries);
void bisect_clear(bisector_t *b);

/* Fills part[v] with 0 or 1 for a small cut in which part 0 has at least `low` and at most `high`
 * vertices; the best of `tries` times METIS, with seeds drawn from *random. */
int bisect(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
           unsigned char *part, berth_error_t *err);

/* The same where part[] is such a cut already: it gets better by moves, and by what METIS finds
 * where that is better still. *gained is what the cut fell by. */
int bisect_again(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err);

/* Fills b->trial with part 0 grown from a vertex, always by the one that makes the cut least
 * (Karypis and Kumar, 1998), to about `target` ranks. */
void bisect_grow_part(bisector_t *b, const section_t *s, int target, int first);

/* The search of both: makes b->trial better as long as passes do, and keeps it in part[] if it is
 * better than *best, which is negative when there is nothing there yet. */
void bisect_search(bisector_t *b, const section_t *s, int low, int high, unsigned char *part,
                   double *best);

#endif
