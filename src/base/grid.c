/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids of ranks. */
#include "base/grid.h"

#include <limits.h>
#include <stdint.h>

/* Divides `ranks` among dimensions i and later, each at most the one before it. */
static void divide(int *dims, int i, int n, int ranks, int most, int sum, int *best, int *best_sum)
{
  if (i == n - 1) {
    if (ranks > most || sum + ranks >= *best_sum) return;
    dims[i] = ranks;
    *best_sum = sum + ranks;
    for (int d = 0; d < n; d++) best[d] = dims[d];
    return;
  }
  for (int d = 1; d <= ranks && d <= most; d++) {
    if (ranks % d) continue;
    dims[i] = d;
    divide(dims, i + 1, n, ranks / d, d, sum + d, best, best_sum);
  }
}

void grid_divide(grid_t *grid, int ranks)
{
  int dims[GRID_DIMS], best_sum = INT_MAX;
  if (grid->n) divide(dims, 0, grid->n, ranks, ranks, 0, grid->dims, &best_sum);
}

int grid_check(const grid_t *grid, int most, int *ranks, berth_error_t *err)
{
  int64_t all = 1;
  for (int d = 0; d < grid->n; d++)
    if (grid->dims[d] < 1 || (all *= grid->dims[d]) > most)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found a grid with %d ranks in dimension %d, expected at least 1 in each"
                        " and at most %d ranks",
                        grid->dims[d], d + 1, most);
  *ranks = (int)all;
  return BERTH_OK;
}

void grid_place(const grid_t *grid, int rank, int *coordinates)
{
  for (int d = grid->n - 1; d >= 0; d--) {
    coordinates[d] = rank % grid->dims[d];
    rank /= grid->dims[d];
  }
}

int grid_rank(const grid_t *grid, const int *coordinates)
{
  int rank = 0;
  for (int d = 0; d < grid->n; d++) rank = rank * grid->dims[d] + coordinates[d];
  return rank;
}

int grid_neighbour(const grid_t *grid, int rank, const int *step, unsigned periodic)
{
  int at[GRID_DIMS];
  grid_place(grid, rank, at);
  for (int d = 0; d < grid->n; d++) {
    int n = grid->dims[d], to = at[d] + step[d];
    if (!(periodic >> d & 1) && (to < 0 || to >= n)) return -1;
    at[d] = (to % n + n) % n;
  }
  return grid_rank(grid, at);
}
