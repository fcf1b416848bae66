/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks with coordinates, divided among the elements of the tree from the root downwards. */
#ifndef BERTH_MAP_GEOMETRY_DIVIDE_H
#define BERTH_MAP_GEOMETRY_DIVIDE_H

#include "map/geometry/layout.h"
#include "map/map_internal.h"

/* How a switch's ranks are divided among its children. */
typedef enum divide_how {
  DIVIDE_BLOCKS, /* a box into equal boxes, in the cheapest way down to the hosts; else as below */
  DIVIDE_HALVES, /* in two and again in two, each time along the axis where that cuts least */
  DIVIDE_CURVE,  /* along Hilbert's curve */
  DIVIDE_N_WAYS
} divide_how_t;

/* Where there are more places than ranks. */
typedef enum divide_fill {
  DIVIDE_PACKED, /* as few children as can be, the largest first */
  DIVIDE_EVEN,   /* all in proportion to their places */
  DIVIDE_N_FILLS
} divide_fill_t;

/* Fills pu_of_rank; each usable PU gets at most as many ranks as it stands in problem->pus. */
int divide_ranks(const berth_map_problem_t *problem, const graph_t *g, const layout_t *l,
                 divide_how_t how, divide_fill_t fill, int *pu_of_rank, berth_error_t *err);

/* The ranks along Hilbert's curve. */
int divide_order_by_curve(const layout_t *l, int *ranks, berth_error_t *err);

/* Cuts sets of ranks in two, by the layout; `within` asks for a layout of each set, too. */
typedef struct cutter cutter_t;
cutter_t *cut_new(const graph_t *g, const layout_t *l, bool within);
void cut_free(cutter_t *c);
/* Brings `left` of the n ranks to the front, so that they exchange little with the others. */
int cut_in_two(cutter_t *c, int *rank, int n, int left, berth_error_t *err);

/* A box that is cut into equal ones. */
typedef struct box {
  int size[LAYOUT_AXES];
} box_t;

/* A way to cut a box: into how many parts each axis, how far apart the parts are, what the cuts
 * below cost, and what all cost by the mean traffic of neighbours. */
typedef struct split_way {
  box_t parts;
  double distance, below, cost;
} split_way_t;

enum { SPLIT_WAYS = 8 };

/* The cheapest ways to cut boxes into equal parts for the levels of the tree, remembered. */
typedef struct splits splits_t;
splits_t *splits_new(const berth_topo_t *t, const layout_t *l, const int *room);
void splits_free(splits_t *s);
/* Fills ways[0 … SPLIT_WAYS - 1] with those that are about as cheap as the cheapest for an element
 * with so many equal children, and returns how many; 0 when there is none. */
int splits_find(splits_t *s, int element, int children, box_t box, split_way_t *ways);

#endif
