/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts of a graph in two parts of exact sizes: METIS finds a cut, moves repair its imbalance, and a
 * search with exact weights improves it. */
#ifndef BERTH_MAP_PARTITION_BISECT_H
#define BERTH_MAP_PARTITION_BISECT_H

#include <berth/error.h>
#include <stdbool.h>
#include <stdint.h>

#include "map/map_gain_heap.h"
#include "map/map_internal.h"
#include "map/partition/hierarchy.h"

/* Memory for sections up to a number of vertices and of list entries, used again and again. */
typedef struct bisector {
  const berth_map_problem_t *problem; /* its time limit ends tries */
  gain_heap_t heap[2];
  int passes,
      patience; /* maximum of passes of a search; moves without gain that end a pass, roughly */
  double *gain; /* of moving each vertex to the other part */
  int *across;  /* number of each vertex's neighbours in the other part */
  bool *locked;
  int *moved;           /* vertices moved in a pass, in order */
  unsigned char *trial; /* each vertex's part */
  int *part, *adjwgt;   /* METIS's result, and the weights for it */
  hierarchy_t hierarchy;
  int size;   /* vertices of part 0 in trial */
  double cut; /* of trial */
} bisector_t;

bool bisect_init(bisector_t *b, int vertices, int entries);
void bisect_clear(bisector_t *b);

/* Fills part[v] with 0 or 1 for a small cut in which part 0 has `low` to `high` vertices: the best
 * of `tries` results of METIS, with seeds from *random. */
int bisect(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
           unsigned char *part, berth_error_t *err);

/* The same if part[] is such a cut already: it is improved by moves, or replaced by a better cut of
 * METIS. *gained is the decrease of the cut. */
int bisect_again(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err);

/* Fills b->trial: part 0 grows from a vertex to about `target` ranks, each time by the vertex that
 * gives the smallest cut (Karypis and Kumar, 1998). */
void bisect_grow_part(bisector_t *b, const section_t *s, int target, int first);

/* Improves b->trial by passes, and copies it to part[] if it is better than *best, which is
 * negative at first. */
void bisect_search(bisector_t *b, const section_t *s, int low, int high, unsigned char *part,
                   double *best);

/* Like bisect_again: part[] is a valid cut, and *gained is its decrease. Clusters are new each
 * time, with random numbers from *random. */
int bisect_cycle(bisector_t *b, const section_t *s, int low, int high, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err);

/* Fills part[v] with 0 or 1 for a small cut in which part 0 has `low` to `high` vertices: the best
 * of `tries`. Each try makes new levels, grows part 0 on the coarsest one, and improves the cut on
 * all of them. */
int bisect_grow(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                unsigned char *part, berth_error_t *err);

#endif
