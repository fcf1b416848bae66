/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids that the traced program made itself (MPI_Cart_create). A family that has them in all traces
 * is the program's own. */
#include <string.h>

#include "base/no_memory.h"
#include "scale/scale_internal.h"

static unsigned periodic_of(const berth_grid_t *grid)
{
  unsigned periodic = 0;
  for (int d = 0; d < grid->n_dims; d++)
    if (grid->periodic[d]) periodic |= 1u << d;
  return periodic;
}

/* The trace's grid of as many dimensions, with the same ones periodic; NULL: it has none. */
static const berth_grid_t *alike(const berth_pattern_t *trace, const berth_grid_t *grid)
{
  size_t n;
  const berth_grid_t *all = berth_pattern_grids(trace, &n);
  for (size_t i = 0; i < n; i++)
    if (all[i].n_dims == grid->n_dims && periodic_of(&all[i]) == periodic_of(grid)) return &all[i];
  return NULL;
}

/* Whether a dimension has one rank in all traces, which then is none. */
static bool is_empty(const berth_grid_t *const *grid, size_t n, int dim)
{
  for (size_t t = 0; t < n; t++)
    if (grid[t]->dims[dim] > 1) return false;
  return true;
}

/* The traces' grids without their empty dimensions; false: too many are left, or none. */
static bool take(const berth_grid_t *const *grid, size_t n, scale_recorded_t *out)
{
  int left = 0;
  for (int d = 0; d < grid[0]->n_dims; d++) {
    if (is_empty(grid, n, d)) continue;
    if (left == GRID_DIMS) return false;
    for (size_t t = 0; t < n; t++) out->traced[t].dims[left] = grid[t]->dims[d];
    out->periodic |= (grid[0]->periodic[d] ? 1u : 0) << left++;
  }
  for (size_t t = 0; t < n; t++) out->traced[t].n = left;
  return left > 0;
}

int scale_recorded(scale_job_t *job, berth_error_t *err)
{
  size_t n;
  const berth_grid_t *last = berth_pattern_grids(job->trace[job->n - 1], &n);
  job->recorded = arena_alloc(&job->arena, (n + 1) * sizeof *job->recorded);
  if (!job->recorded) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const berth_grid_t *grid[BERTH_SCALE_TRACES];
    scale_recorded_t made = {0};
    size_t t = 0;
    while (t < job->n && (grid[t] = t + 1 == job->n ? &last[i] : alike(job->trace[t], &last[i])))
      t++;
    if (t == job->n && take(grid, job->n, &made)) job->recorded[job->n_recorded++] = made;
  }
  return BERTH_OK;
}

const scale_recorded_t *scale_recorded_as(const scale_job_t *job, const grid_t *traced)
{
  for (size_t i = 0; i < job->n_recorded; i++) {
    bool same = true;
    for (size_t t = 0; t < job->n; t++)
      same &= scale_same_grid(&job->recorded[i].traced[t], &traced[t]);
    if (same) return &job->recorded[i];
  }
  return NULL;
}
