/* SPDX-License-Identifier: BSD-3-Clause */
/* multigrid: V-cycles for the three-dimensional scalar Poisson equation with periodic boundaries.
 *
 * Stands for the report's MG (section 6.1). As there the grid is halved recursively until every
 * task has a part, so the number of tasks is a power of two: z is halved first, then y, then x,
 * then z again. Operators, their coefficients and the order of the V-cycle follow the definition in
 * "The NAS Parallel Benchmarks", RNR-94-007, section 3.2. Borders are exchanged axis by axis, with
 * blocking sends and non-blocking receives; each axis passes on what the axes before it received,
 * so that edges and corners arrive, too. Messages shrink by four from level to level.
 *
 * Each unknown is computed by the same operations in the same order whatever the number of tasks,
 * so the checksum doesn't depend on it. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { AXES = 3, MAX_LEVELS = 12, CHARGES = 10, COARSEST = 8 };

/* Weights of the 27 neighbours by their distance: the point itself, faces, edges, corners. */
typedef const double weights_t[4];
static weights_t laplacian = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
static weights_t smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
static weights_t full_weighting = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};

/* This task's part of one grid: n[] own points along each axis and a border of one point around.
 * Values are stored x fastest. */
typedef struct grid {
  int points;              /* of the whole grid along an axis */
  int n[AXES], from[AXES]; /* own points, and the number of the first in the whole grid */
  size_t row, plane, size; /* strides of y and z, and all values */
  double *u, *r;           /* solution or correction, residual */
} grid_t;

typedef struct solver {
  int me, tasks;
  int parts[AXES], place[AXES];  /* how often each axis is cut, and this task's part */
  int before[AXES], after[AXES]; /* the neighbours along each axis */
  int levels;
  grid_t grid[MAX_LEVELS];   /* the coarsest first */
  double *v;                 /* right-hand side on the finest */
  double *out[2], *in[2];    /* buffers of one face each */
  double *faces, *diagonals; /* sums over neighbours of one row */
} solver_t;

static size_t at(const grid_t *g, int x, int y, int z)
{
  return (size_t)x + (size_t)y * g->row + (size_t)z * g->plane;
}

/* --- parts
 * --------------------------------------------------------------------------------------*/

static void place_task(solver_t *s)
{
  int axis = 2, stride = 1;
  for (int i = 0; i < AXES; i++) s->parts[i] = 1;
  for (int tasks = s->tasks; tasks > 1; tasks /= 2) {
    if (tasks % 2) app_fail("multigrid: %d tasks, expected a power of two", s->tasks);
    s->parts[axis] *= 2;
    axis = (axis + 2) % AXES;
  }
  for (int i = 0; i < AXES; i++) {
    int k = s->place[i] = s->me / stride % s->parts[i];
    s->before[i] = s->me + ((k + s->parts[i] - 1) % s->parts[i] - k) * stride;
    s->after[i] = s->me + ((k + 1) % s->parts[i] - k) * stride;
    stride *= s->parts[i];
  }
}

static void make_grid(const solver_t *s, grid_t *g, int points)
{
  g->points = points;
  for (int i = 0; i < AXES; i++) {
    g->n[i] = points / s->parts[i];
    g->from[i] = s->place[i] * g->n[i];
  }
  g->row = (size_t)g->n[0] + 2;
  g->plane = g->row * ((size_t)g->n[1] + 2);
  g->size = g->plane * ((size_t)g->n[2] + 2);
  g->u = app_alloc(g->size, sizeof *g->u);
  g->r = app_alloc(g->size, sizeof *g->r);
}

static void make_solver(solver_t *s, int points)
{
  place_task(s);
  for (int n = points; n > COARSEST; n /= 2) s->levels++;
  s->levels++;
  if (points != COARSEST << (s->levels - 1) || s->parts[2] > COARSEST / 2)
    app_fail(
        "multigrid: %d points on %d tasks, expected 8, 16, 32, … points, and at most 512 tasks",
        points, s->tasks);
  for (int l = 0; l < s->levels; l++) make_grid(s, &s->grid[l], COARSEST << l);
  const grid_t *finest = &s->grid[s->levels - 1];
  size_t side = (size_t)points + 2;
  for (int i = 0; i < 2; i++) {
    s->out[i] = app_alloc(side * side, sizeof *s->out[i]);
    s->in[i] = app_alloc(side * side, sizeof *s->in[i]);
  }
  s->faces = app_alloc(side, sizeof *s->faces);
  s->diagonals = app_alloc(side, sizeof *s->diagonals);
  s->v = app_alloc(finest->size, sizeof *s->v);
}

static void free_solver(solver_t *s)
{
  for (int l = 0; l < s->levels; l++) {
    free(s->grid[l].u);
    free(s->grid[l].r);
  }
  for (int i = 0; i < 2; i++) {
    free(s->out[i]);
    free(s->in[i]);
  }
  free(s->faces);
  free(s->diagonals);
  free(s->v);
}

/* --- exchange of borders
 * ------------------------------------------------------------------------*/

/* A layer of points across one axis. Along earlier axes it has the border, along later ones not:
 * that one is still to come. */
typedef struct layer {
  size_t start, inner_stride, outer_stride;
  int inner, outer;
} layer_t;

static layer_t layer_at(const grid_t *g, int axis, int index)
{
  const size_t stride[AXES] = {1, g->row, g->plane};
  int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  int border_a = a < axis, border_b = b < axis;
  return (layer_t){.start = (size_t)index * stride[axis] + (size_t)!border_a * stride[a] +
                            (size_t)!border_b * stride[b],
                   .inner_stride = stride[a],
                   .outer_stride = stride[b],
                   .inner = g->n[a] + 2 * border_a,
                   .outer = g->n[b] + 2 * border_b};
}

static int pack(const double *values, layer_t l, double *buffer)
{
  for (int o = 0; o < l.outer; o++)
    for (int i = 0; i < l.inner; i++)
      *buffer++ = values[l.start + (size_t)o * l.outer_stride + (size_t)i * l.inner_stride];
  return l.inner * l.outer;
}

static void unpack(double *values, layer_t l, const double *buffer)
{
  for (int o = 0; o < l.outer; o++)
    for (int i = 0; i < l.inner; i++)
      values[l.start + (size_t)o * l.outer_stride + (size_t)i * l.inner_stride] = *buffer++;
}

/* Each axis of each level is a phase of the trace: its messages need what came along the axis
 * before. */
static void exchange_axis(const solver_t *s, const grid_t *g, double *values, int axis)
{
  int n = g->n[axis];
  layer_t first = layer_at(g, axis, 1), last = layer_at(g, axis, n);
  layer_t before = layer_at(g, axis, 0), after = layer_at(g, axis, n + 1);
  int count = first.inner * first.outer;
  double *low = s->in[0], *high = s->in[1];
  MPI_Request receives[2];
  enum { UP, DOWN, PHASE = 2 };
  if (s->parts[axis] > 1) {
    MPI_Pcontrol(PHASE + AXES * (int)(g - s->grid) + axis);
    MPI_Irecv(low, count, MPI_DOUBLE, s->before[axis], UP, MPI_COMM_WORLD, &receives[0]);
    MPI_Irecv(high, count, MPI_DOUBLE, s->after[axis], DOWN, MPI_COMM_WORLD, &receives[1]);
  }
  pack(values, first, s->out[0]);
  pack(values, last, s->out[1]);
  if (s->parts[axis] > 1) {
    MPI_Send(s->out[0], count, MPI_DOUBLE, s->before[axis], DOWN, MPI_COMM_WORLD);
    MPI_Send(s->out[1], count, MPI_DOUBLE, s->after[axis], UP, MPI_COMM_WORLD);
    MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
  } else {
    low = s->out[1];
    high = s->out[0];
  }
  unpack(values, before, low);
  unpack(values, after, high);
}

static void exchange(const solver_t *s, const grid_t *g, double *values)
{
  for (int axis = 0; axis < AXES; axis++) exchange_axis(s, g, values, axis);
}

/* --- operators
 * ----------------------------------------------------------------------------------*/

/* Sums over the neighbours in the plane across x, for one row: the four at distance 1 and the four
 * at distance sqrt(2). From them come all 27 points. */
static void sum_neighbours(const grid_t *g, const double *u, size_t row, double *faces,
                           double *diagonals)
{
  size_t dy = g->row, dz = g->plane;
  for (size_t x = 0; x < (size_t)g->n[0] + 2; x++) {
    size_t i = row + x;
    faces[x] = u[i - dy] + u[i + dy] + u[i - dz] + u[i + dz];
    diagonals[x] = u[i - dy - dz] + u[i + dy - dz] + u[i - dy + dz] + u[i + dy + dz];
  }
}

/* to = base + sign * weights applied to from, at every own point; then the border is exchanged. */
static void apply(const solver_t *s, const grid_t *g, weights_t w, double sign, const double *from,
                  const double *base, double *to)
{
  const double *f = s->faces, *d = s->diagonals;
  for (int z = 1; z <= g->n[2]; z++)
    for (int y = 1; y <= g->n[1]; y++) {
      size_t row = at(g, 0, y, z);
      sum_neighbours(g, from, row, s->faces, s->diagonals);
      for (size_t x = 1; x <= (size_t)g->n[0]; x++) {
        size_t i = row + x;
        to[i] =
            base[i] + sign * (w[0] * from[i] + w[1] * (from[i - 1] + from[i + 1] + f[x]) +
                              w[2] * (d[x] + f[x - 1] + f[x + 1]) + w[3] * (d[x - 1] + d[x + 1]));
      }
    }
  exchange(s, g, to);
}

/* The residual of a finer grid, averaged onto a coarser: point i there is point 2 i here. */
static void restrict_residual(const solver_t *s, const grid_t *fine, const grid_t *coarse)
{
  const double *f = s->faces, *d = s->diagonals, *w = full_weighting, *r = fine->r;
  for (int z = 0; z < coarse->n[2]; z++)
    for (int y = 0; y < coarse->n[1]; y++) {
      size_t row = at(fine, 0, 2 * y + 1, 2 * z + 1);
      sum_neighbours(fine, r, row, s->faces, s->diagonals);
      for (int k = 0; k < coarse->n[0]; k++) {
        size_t x = (size_t)(2 * k + 1), i = row + x;
        coarse->r[at(coarse, k + 1, y + 1, z + 1)] =
            w[0] * r[i] + w[1] * (r[i - 1] + r[i + 1] + f[x]) +
            w[2] * (d[x] + f[x - 1] + f[x + 1]) + w[3] * (d[x - 1] + d[x + 1]);
      }
    }
  exchange(s, coarse, coarse->r);
}

/* Adds the correction of a coarser grid, interpolated linearly along each axis. The border of the
 * sum stays as it was; every use of it follows an exchange. */
static void interpolate(const grid_t *coarse, const grid_t *fine)
{
  const double *u = coarse->u;
  for (int z = 0; z < fine->n[2]; z++)
    for (int y = 0; y < fine->n[1]; y++) {
      size_t dy = y % 2 ? coarse->row : 0, dz = z % 2 ? coarse->plane : 0;
      const double *row = &u[at(coarse, 1, y / 2 + 1, z / 2 + 1)];
      double *to = &fine->u[at(fine, 1, y + 1, z + 1)];
      for (int x = 0; x < fine->n[0]; x++) {
        const double *c = &row[x / 2];
        size_t dx = (size_t)x % 2;
        to[x] += 0.125 * (((c[0] + c[dx]) + (c[dy] + c[dy + dx])) +
                          ((c[dz] + c[dz + dx]) + (c[dz + dy] + c[dz + dy + dx])));
      }
    }
}

/* --- the V-cycle
 * --------------------------------------------------------------------------------*/

static void v_cycle(solver_t *s)
{
  const grid_t *grid = s->grid;
  int finest = s->levels - 1;
  for (int l = finest; l > 0; l--) restrict_residual(s, &grid[l], &grid[l - 1]);
  for (int l = 0; l <= finest; l++) {
    const grid_t *g = &grid[l];
    if (l < finest) memset(g->u, 0, g->size * sizeof *g->u);
    if (l > 0) {
      interpolate(&grid[l - 1], g);
      exchange(s, g, g->u);
      apply(s, g, laplacian, -1, g->u, l == finest ? s->v : g->r, g->r);
    }
    apply(s, g, smoother, 1, g->r, g->u, g->u);
  }
  apply(s, &grid[finest], laplacian, -1, grid[finest].u, s->v, grid[finest].r);
}

/* Ten charges of +1 and ten of -1 at random points. */
static void set_charges(solver_t *s)
{
  const grid_t *g = &s->grid[s->levels - 1];
  for (uint64_t c = 0; c < 2 * CHARGES; c++) {
    int p[AXES], inside = 1;
    for (uint64_t i = 0; i < AXES; i++) {
      p[i] = (int)(app_random(AXES * c + i) * g->points) - g->from[i];
      inside = inside && p[i] >= 0 && p[i] < g->n[i];
    }
    if (inside) s->v[at(g, p[0] + 1, p[1] + 1, p[2] + 1)] += c % 2 ? 1 : -1;
  }
}

static double largest(const grid_t *g, const double *values)
{
  double most = 0, all = 0;
  for (int z = 1; z <= g->n[2]; z++)
    for (int y = 1; y <= g->n[1]; y++)
      for (int x = 1; x <= g->n[0]; x++) most = fmax(most, fabs(values[at(g, x, y, z)]));
  MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static uint64_t checksum(const grid_t *g)
{
  uint64_t sum = 0, n = (uint64_t)g->points;
  for (int z = 0; z < g->n[2]; z++)
    for (int y = 0; y < g->n[1]; y++)
      for (int x = 0; x < g->n[0]; x++) {
        uint64_t number = ((uint64_t)(g->from[2] + z) * n + (uint64_t)(g->from[1] + y)) * n +
                          (uint64_t)(g->from[0] + x);
        sum += app_term(number, g->u[at(g, x + 1, y + 1, z + 1)]);
      }
  return sum;
}

int main(int argc, char **argv)
{
  solver_t s = {0};
  MPI_Init(&argc, &argv);
  double began = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &s.me);
  MPI_Comm_size(MPI_COMM_WORLD, &s.tasks);
  int points = app_argument(argc, argv, 1, 256, COARSEST, 1024);
  int cycles = app_argument(argc, argv, 2, 3, 1, 1000);
  make_solver(&s, points);
  set_charges(&s);
  const grid_t *finest = &s.grid[s.levels - 1];
  exchange(&s, finest, s.v);
  memcpy(finest->r, s.v, finest->size * sizeof *s.v); /* the residual of u = 0 */
  double first = largest(finest, finest->r);
  for (int i = 0; i < cycles; i++) v_cycle(&s);
  double last = largest(finest, finest->r);
  app_print("multigrid", checksum(finest), began,
            "%d points cubed, %d cycles, residual %.6e of %.6e", points, cycles, last, first);
  free_solver(&s);
  MPI_Finalize();
  return 0;
}
