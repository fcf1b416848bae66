/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides ranks with coordinates among the elements of the tree, from the root down. */
#ifndef BERTH_MAP_GEOMETRY_DIVIDE_H
#define BERTH_MAP_GEOMETRY_DIVIDE_H

#include "map/geometry/layout.h"
#include "map/map_internal.h"

/* How to divide a switch's ranks among its children. */
typedef enum divide_how {
  DIVIDE_BLOCKS, /* a box into equal boxes, in the way that is cheapest down to the hosts; otherwise
                    halves */
  DIVIDE_HALVES, /* in two, and again in two, each time across the axis with the smallest cut */
  DIVIDE_CURVE,  /* along Hilbert's curve */
  DIVIDE_N_WAYS
} divide_how_t;

/* What to do if there are more places than ranks. */
typedef enum divide_fill {
  DIVIDE_PACKED, /* use few children, the largest first */
  DIVIDE_EVEN,   /* use all in proportion to their places */
  DIVIDE_N_FILLS
} divide_fill_t;

/* Fills pu_of_rank. Each PU gets at most as many ranks as it has entries in problem->pus. */
int divide_ranks(const berth_map_problem_t *problem, const graph_t *g, const layout_t *l,
                 divide_how_t how, divide_fill_t fill, int *pu_of_rank, berth_error_t *err);

/* Lists the ranks along Hilbert's curve. */
int divide_order_by_curve(const layout_t *l, int *ranks, berth_error_t *err);

/* Cuts sets of ranks in two, by the layout. With `within`, also by a layout of each set. */
typedef struct cutter cutter_t;
cutter_t *cut_new(const graph_t *g, const layout_t *l, bool within);
void cut_free(cutter_t *c);
/* Moves `left` of the n ranks to the front, so that they exchange little with the rest. */
int cut_in_two(cutter_t *c, int *rank, int n, int left, berth_error_t *err);

/* A box to cut into equal boxes. */
typedef struct box {
  int size[LAYOUT_AXES];
} box_t;

/* A way to cut a box: the number of parts along each axis, the distance between parts, the cost of
 * lower cuts, and the total cost by the mean traffic of neighbours. */
typedef struct split_way {
  box_t parts;
  double distance, below, cost;
} split_way_t;

enum { SPLIT_WAYS = 8 };

/* The cheapest ways to cut boxes for the levels of the tree, cached. */
typedef struct splits splits_t;
splits_t *splits_new(const berth_topo_t *t, const layout_t *l, const int *room);
void splits_free(splits_t *s);
/* Fills ways[0 … SPLIT_WAYS - 1] with the cheapest ways, and those of about the same cost, for an
 * element with so many equal children. Returns how many; 0 if there is none. */
int splits_find(splits_t *s, int element, int children, box_t box, split_way_t *ways);

#endif
