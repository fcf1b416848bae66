/* SPDX-License-Identifier: BSD-3-Clause */
/* Improves a placement in groups by exchanges of two ranks and moves to free places. */
#ifndef BERTH_MAP_PARTITION_GROUP_SWAP_H
#define BERTH_MAP_PARTITION_GROUP_SWAP_H

#include "map/map_graph.h"
#include "map/partition/group_tree.h"

/* Changes group_of_rank, which must be a placement. It ends when no exchange pays that starts with
 * a rank drawn to a neighbour's group, or after `looks` distance look-ups. *gained is the decrease
 * of the sum of weight * distance. */
int group_swap(const group_tree_t *t, const graph_t *g, uint64_t looks, int *group_of_rank,
               double *gained, berth_error_t *err);

#endif
