/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids of ranks. */
#include "standard/standard_internal.h"

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

void standard_grid_divide(standard_grid_t *grid, int ranks)
{
  int dims[BERTH_STANDARD_DIMS], best_sum = BERTH_MAX_RANKS + BERTH_STANDARD_DIMS + 1;
  if (grid->n) divide(dims, 0, grid->n, ranks, ranks, 0, grid->dims, &best_sum);
}

void standard_grid_place(const standard_grid_t *grid, int rank, int *coordinates)
{
  for (int d = grid->n - 1; d >= 0; d--) {
    coordinates[d] = rank % grid->dims[d];
    rank /= grid->dims[d];
  }
}

int standard_grid_neighbour(const standard_grid_t *grid, int rank, const int *step)
{
  int at[BERTH_STANDARD_DIMS], found = 0;
  standard_grid_place(grid, rank, at);
  for (int d = 0; d < grid->n; d++) {
    int to = at[d] + step[d];
    if (!grid->periodic && (to < 0 || to >= grid->dims[d])) return -1;
    found = found * grid->dims[d] + (to + grid->dims[d]) % grid->dims[d];
  }
  return found;
}
