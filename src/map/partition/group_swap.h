/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a placement in groups cheaper by exchanges of two ranks and moves to free places. */
#ifndef BERTH_MAP_PARTITION_GROUP_SWAP_H
#define BERTH_MAP_PARTITION_GROUP_SWAP_H

#include "map/map_graph.h"
#include "map/partition/group_tree.h"

/* Changes group_of_rank, which must be a placement, until no exchange that starts with a rank
 * drawn to a group of a neighbour pays, or `looks` times the distance of two ranks was looked up.
 * *gained is what the sum of weight times distance fell by. */
int group_swap(const group_tree_t *t, const graph_t *g, uint64_t looks, int *group_of_rank,
               double *gained, berth_error_t *err);

#endif
