/* SPDX-License-Identifier: BSD-3-Clause */
/* Where ranks lie in space, found from the pattern alone: coordinates for the geometric mapper. */
#ifndef BERTH_MAP_GEOMETRY_LAYOUT_H
#define BERTH_MAP_GEOMETRY_LAYOUT_H

#include <stdbool.h>

#include "map/map_graph.h"

enum { LAYOUT_AXES = 3, LAYOUT_BITS = 20 };

typedef struct layout {
  int n;                      /* ranks */
  bool grid;                  /* each cell of the grid has one rank; else any integers */
  int size[LAYOUT_AXES];      /* coordinates are below this, at most 2^LAYOUT_BITS outside grids */
  bool periodic[LAYOUT_AXES]; /* the grid's ends exchange, too */
  double link[LAYOUT_AXES];   /* grid: mean traffic of two neighbours along the axis */
  int *at[LAYOUT_AXES];       /* each rank's coordinates */
} layout_t;

/* Looks for a grid of one to three axes whose neighbours (diagonal ones, too) have nearly all of
 * the traffic: first with ranks numbered along it in any order of the axes, then with ranks in any
 * order where neighbours along the axes have the most traffic. *found says whether there is one;
 * only then is *out to be cleared. */
int layout_of_grid(const graph_t *g, layout_t *out, bool *found, berth_error_t *err);

/* Coordinates for any pattern: differences of distances in the graph to pairs of ranks that are far
 * from each other, smoothed. */
int layout_of_distances(const graph_t *g, layout_t *out, berth_error_t *err);

void layout_clear(layout_t *l);

/* Memory for three axes of n ranks; false when it is out. */
bool layout_begin(layout_t *l, int n);

#endif
