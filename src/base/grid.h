/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks in a grid: row-major, so that the last dimension's are consecutive. */
#ifndef BERTH_BASE_GRID_H
#define BERTH_BASE_GRID_H

#include <berth/error.h>

enum { GRID_DIMS = 4 };

typedef struct grid {
  int n, dims[GRID_DIMS];
} grid_t;

/* Divides the ranks among the dimensions of the grid as evenly as possible, the largest first: of
 * all products, the one with the smallest sum. */
void grid_divide(grid_t *grid, int ranks);

/* Fails with BERTH_BAD_INPUT if a dimension has fewer than 1, or all together more than `most`
 * ranks. Otherwise *ranks is their number; 1 for a grid of no dimensions. */
int grid_check(const grid_t *grid, int most, int *ranks, berth_error_t *err);

void grid_place(const grid_t *grid, int rank, int *coordinates);
int grid_rank(const grid_t *grid, const int *coordinates);

/* The rank that is `step` away in each dimension. Opposite edges of the dimensions in `periodic`,
 * the first one being bit 0, are neighbours. -1: it would be beyond another edge. */
int grid_neighbour(const grid_t *grid, int rank, const int *step, unsigned periodic);

#endif
