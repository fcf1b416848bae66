/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of ranks for the geometric mapper, found from the pattern alone. */
#ifndef BERTH_MAP_GEOMETRY_LAYOUT_H
#define BERTH_MAP_GEOMETRY_LAYOUT_H

#include <stdbool.h>

#include "map/map_graph.h"

enum { LAYOUT_AXES = 3, LAYOUT_BITS = 20 };

typedef struct layout {
  int n;     /* number of ranks */
  bool grid; /* each cell of the grid has one rank; otherwise coordinates are any integers */
  int size[LAYOUT_AXES];      /* coordinates are below this; outside grids at most 2^LAYOUT_BITS */
  bool periodic[LAYOUT_AXES]; /* the ends of the axis exchange messages, too */
  double link[LAYOUT_AXES];   /* grid: mean traffic of two neighbours along the axis */
  int *at[LAYOUT_AXES];       /* coordinates by rank */
} layout_t;

/* Finds a grid of one to three axes whose neighbours (diagonal ones included) have nearly all of
 * the traffic. Ranks may be numbered along the grid, with the axes in any order; or in any order if
 * neighbours along the axes have most traffic. *found says whether there is such a grid; only then
 * *out must be cleared. */
int layout_of_grid(const graph_t *g, layout_t *out, bool *found, berth_error_t *err);

/* Coordinates for any pattern: differences of distances in the graph to pairs of remote ranks,
 * smoothed. */
int layout_of_distances(const graph_t *g, layout_t *out, berth_error_t *err);

void layout_clear(layout_t *l);

/* Allocates three axes of n ranks. False when memory is out. */
bool layout_begin(layout_t *l, int n);

#endif
