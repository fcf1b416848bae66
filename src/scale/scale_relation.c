/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations: to whom a rank sends, whatever the number of ranks. */
#include "scale/scale_internal.h"

scale_place_t scale_relation_place(const scale_relation_t *r, const grid_t *grid, int ranks)
{
  return (scale_place_t){.grid = *grid,
                         .ranks = ranks,
                         .line = scale_line(grid, r->dims),
                         .dims = r->kind == SCALE_STEP ? r->dims : 0};
}

unsigned scale_flat_dims(const grid_t *grid)
{
  unsigned flat = 0;
  for (int d = 0; d < grid->n; d++)
    if (grid->dims[d] == 2) flat |= 1u << d;
  return flat;
}

int scale_line(const grid_t *grid, unsigned dims)
{
  int n = 1;
  for (int d = 0; d < grid->n; d++)
    if (dims >> d & 1) n *= grid->dims[d];
  return n;
}

int scale_line_place(const grid_t *grid, unsigned dims, int rank)
{
  int at[GRID_DIMS], place = 0;
  grid_place(grid, rank, at);
  for (int d = 0; d < grid->n; d++)
    if (dims >> d & 1) place = place * grid->dims[d] + at[d];
  return place;
}

int scale_line_rank(const grid_t *grid, unsigned dims, int rank, int place)
{
  int at[GRID_DIMS];
  grid_place(grid, rank, at);
  for (int d = grid->n - 1; d >= 0; d--) {
    if (!(dims >> d & 1)) continue;
    at[d] = place % grid->dims[d];
    place /= grid->dims[d];
  }
  return grid_rank(grid, at);
}

static int bits(int n)
{
  int count = 0;
  while (count < 30 && 1 << count < n) count++;
  return count;
}

int scale_relation_most(const scale_relation_t *r, const grid_t *grid, int src)
{
  int line = scale_line(grid, r->dims);
  switch (r->kind) {
  case SCALE_ALL:
    return line;
  case SCALE_FROM_FIRST:
    return scale_line_place(grid, r->dims, src) == 0 ? line : 0;
  case SCALE_BITS:
  case SCALE_POWERS:
  case SCALE_POWERS_BACK:
  case SCALE_TREE:
  case SCALE_HALVES:
    return bits(line);
  case SCALE_BINARY:
    return 2;
  default:
    return 1;
  }
}

static int transposed(const scale_relation_t *r, const grid_t *grid, int src)
{
  int at[GRID_DIMS], pair[2] = {0}, n = 0;
  grid_place(grid, src, at);
  for (int d = 0; d < grid->n && n < 2; d++)
    if (r->dims >> d & 1) pair[n++] = d;
  if (n < 2 || grid->dims[pair[0]] != grid->dims[pair[1]]) return -1;
  int kept = at[pair[0]];
  at[pair[0]] = at[pair[1]];
  at[pair[1]] = kept;
  return grid_rank(grid, at);
}

/* The place to which the rank at `at` sends, in a line of n; -1: none. */
static int place_to(const scale_relation_t *r, int n, int at, int i)
{
  int lowest = at & -at, power = 1 << (i < 30 ? i : 30);
  switch (r->kind) {
  case SCALE_ALL:
    return i;
  case SCALE_BITS:
    return at ^ power;
  case SCALE_POWERS:
    return (at + power) % n;
  case SCALE_POWERS_BACK:
    return (at - power + n) % n;
  case SCALE_TREE:
    return at == 0 || power < lowest ? at + power : -1;
  case SCALE_TREE_UP:
    return at ? at - lowest : -1;
  case SCALE_HALVES:
    return at < power ? at + power : -1;
  case SCALE_HALVES_UP:
    return at ? at - (1 << (bits(at + 1) - 1)) : -1;
  case SCALE_BINARY:
    return 2 * at + 1 + i;
  case SCALE_BINARY_UP:
    return at ? (at - 1) / 2 : -1;
  case SCALE_FROM_FIRST:
    return at == 0 ? i : -1;
  case SCALE_TO_FIRST:
    return 0;
  case SCALE_REVERSE:
    return n - 1 - at;
  default:
    return -1;
  }
}

scale_weight_t scale_relation_weight(const scale_relation_t *r, const grid_t *grid, int i)
{
  double times = r->growth == SCALE_RISES ? i + 1 : bits(scale_line(grid, r->dims)) - i;
  switch (r->growth) {
  case SCALE_DOUBLES:
    return (scale_weight_t){1, 1 << i};
  case SCALE_HALVES_EACH:
    return (scale_weight_t){1, 1.0 / (1 << i)};
  case SCALE_RISES:
  case SCALE_FALLS:
    return (scale_weight_t){times, times};
  default:
    return (scale_weight_t){1, 1};
  }
}

int scale_relation_target(const scale_relation_t *r, const grid_t *grid, int src, int i)
{
  int to;
  if (r->kind == SCALE_SELF) return src;
  if (r->kind == SCALE_STEP) {
    to = grid_neighbour(grid, src, r->step, r->periodic);
  } else if (r->kind == SCALE_TRANSPOSE) {
    to = transposed(r, grid, src);
  } else {
    int n = scale_line(grid, r->dims), at = scale_line_place(grid, r->dims, src);
    int place = place_to(r, n, at, i);
    to = place < 0 || place >= n ? -1 : scale_line_rank(grid, r->dims, src, place);
  }
  return to == src && !r->itself ? -1 : to;
}
