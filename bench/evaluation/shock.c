/* SPDX-License-Identifier: BSD-3-Clause */
/* shock: gas dynamics with strong shocks in a long box, by ghost cells.
 *
 * Stands for the report's RFCTH (section 6.1, figure 8). The Euler equations of an ideal gas are
 * solved by the MUSCL-Hancock scheme with HLL fluxes (Toro, "Riemann Solvers and Numerical Methods
 * for Fluid Dynamics", chapters 10 and 14), one axis after another, with two layers of ghost cells.
 * Before each axis every task exchanges with its left neighbour along it and then with its right
 * one: non-blocking receives, blocking sends.
 *
 * The decomposition depends on the number of tasks as the report's did: a chain on odd numbers but
 * 15, a ladder on 8, two or three dimensions otherwise. The box is 3.5 times as long as it is wide,
 * so that on the ladder 75% more goes along the steps than along the sides (figure 8b).
 *
 * Each cell is computed by the same operations in the same order whatever the number of tasks, so
 * the checksum doesn't depend on it. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* Density, momentum along each axis, energy; with velocities and pressure for the primitive form.
 */
enum { RHO, MX, MY, MZ, ENERGY, VARIABLES };
enum { AXES = 3, GHOSTS = 2, LENGTH = 7, WIDTH = 2 }; /* the box's sides are as 7 to 2 to 1 */
static const double gas_gamma = 1.4, courant = 0.4, least_pressure = 1e-10;

typedef struct state {
  double q[VARIABLES];
} state_t;

typedef struct domain {
  int me, tasks;
  int cells[AXES];              /* of the whole box */
  int parts[AXES], place[AXES]; /* how often each axis is cut, and this task's part */
  int left[AXES], right[AXES];  /* neighbours, MPI_PROC_NULL at a wall */
  int n[AXES], from[AXES];      /* own cells, and the number of the first in the box */
  size_t stride[AXES];          /* in states; ghosts included */
  state_t *cell;                /* x fastest */
  state_t *out[2], *in[2];      /* buffers of one face each */
  state_t *line, *left_side, *right_side, *flux; /* of one row of cells */
} domain_t;

static size_t at(const domain_t *d, int x, int y, int z)
{
  return (size_t)(x + GHOSTS) * d->stride[0] + (size_t)(y + GHOSTS) * d->stride[1] +
         (size_t)(z + GHOSTS) * d->stride[2];
}

/* --- decomposition
 * ------------------------------------------------------------------------------*/

static void choose_parts(int tasks, int parts[AXES])
{
  static const struct {
    int tasks, parts[AXES];
  } known[] = {
      {4, {2, 2, 1}},  {6, {3, 2, 1}},  {8, {4, 2, 1}},  {10, {5, 2, 1}},
      {12, {3, 2, 2}}, {14, {7, 2, 1}}, {15, {5, 3, 1}}, {16, {4, 2, 2}},
  };
  parts[0] = tasks; /* a chain */
  parts[1] = parts[2] = 1;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].tasks == tasks) memcpy(parts, known[i].parts, sizeof known[i].parts);
}

static void place_task(domain_t *d)
{
  int step = 1;
  choose_parts(d->tasks, d->parts);
  for (int i = 0; i < AXES; i++) {
    int k = d->place[i] = d->me / step % d->parts[i];
    d->left[i] = k > 0 ? d->me - step : MPI_PROC_NULL;
    d->right[i] = k < d->parts[i] - 1 ? d->me + step : MPI_PROC_NULL;
    d->from[i] = (int)((long)d->cells[i] * k / d->parts[i]);
    d->n[i] = (int)((long)d->cells[i] * (k + 1) / d->parts[i]) - d->from[i];
    if (d->n[i] < GHOSTS)
      app_fail("shock: %d cells in %d parts, expected at least %d cells each", d->cells[i],
               d->parts[i], GHOSTS);
    step *= d->parts[i];
  }
}

static void make_domain(domain_t *d, int scale)
{
  d->cells[0] = LENGTH * scale;
  d->cells[1] = WIDTH * scale;
  d->cells[2] = scale;
  place_task(d);
  size_t size = 1, longest = 0, widest = 0;
  for (int i = 0; i < AXES; i++) {
    size_t side = (size_t)d->n[i] + 2 * GHOSTS;
    d->stride[i] = size;
    size *= side;
    if (side > longest) longest = side;
  }
  for (int i = 0; i < AXES; i++) {
    size_t face = (size_t)d->n[(i + 1) % AXES] * (size_t)d->n[(i + 2) % AXES];
    if (face > widest) widest = face;
  }
  d->cell = app_alloc(size, sizeof *d->cell);
  for (int i = 0; i < 2; i++) {
    d->out[i] = app_alloc(widest * GHOSTS, sizeof *d->out[i]);
    d->in[i] = app_alloc(widest * GHOSTS, sizeof *d->in[i]);
  }
  d->line = app_alloc(longest, sizeof *d->line);
  d->left_side = app_alloc(longest, sizeof *d->left_side);
  d->right_side = app_alloc(longest, sizeof *d->right_side);
  d->flux = app_alloc(longest, sizeof *d->flux);
}

static void free_domain(domain_t *d)
{
  free(d->cell);
  for (int i = 0; i < 2; i++) {
    free(d->out[i]);
    free(d->in[i]);
  }
  free(d->line);
  free(d->left_side);
  free(d->right_side);
  free(d->flux);
}

/* --- ghost cells
 * --------------------------------------------------------------------------------*/

/* Copies layers `first` … `first + GHOSTS - 1` across an axis to or from a buffer; returns the
 * number of states. */
static int copy_layers(domain_t *d, int axis, int first, state_t *buffer, int to_buffer)
{
  int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = 0;
  for (int k = first; k < first + GHOSTS; k++)
    for (int j = 0; j < d->n[b]; j++)
      for (int i = 0; i < d->n[a]; i++, n++) {
        int p[AXES];
        p[axis] = k;
        p[a] = i;
        p[b] = j;
        state_t *cell = &d->cell[at(d, p[0], p[1], p[2])];
        if (to_buffer)
          buffer[n] = *cell;
        else
          *cell = buffer[n];
      }
  return n;
}

/* What a wall reflects: the mirrored layers, their velocity across the axis turned round. */
static void reflect(state_t *layers, int n, int axis)
{
  int face = n / GHOSTS;
  for (int i = 0; i < face; i++) {
    state_t swap = layers[i];
    layers[i] = layers[i + face];
    layers[i + face] = swap;
  }
  for (int i = 0; i < n; i++) layers[i].q[MX + axis] = -layers[i].q[MX + axis];
}

/* Each axis is a phase of the trace: a task starts on the next one when it has what its neighbours
 * along this one sent, and has computed with it. */
static void exchange(domain_t *d, int axis)
{
  enum { TO_LEFT, TO_RIGHT, PHASE = 2 };
  int left = d->left[axis], right = d->right[axis], n = d->n[axis];
  int states = copy_layers(d, axis, 0, d->out[0], 1);
  copy_layers(d, axis, n - GHOSTS, d->out[1], 1);
  int count = states * VARIABLES;
  MPI_Request receives[2];
  MPI_Pcontrol(PHASE + axis);
  MPI_Irecv(d->in[0], count, MPI_DOUBLE, left, TO_RIGHT, MPI_COMM_WORLD, &receives[0]);
  MPI_Irecv(d->in[1], count, MPI_DOUBLE, right, TO_LEFT, MPI_COMM_WORLD, &receives[1]);
  MPI_Send(d->out[0], count, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD);
  MPI_Send(d->out[1], count, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD);
  MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
  MPI_Pcontrol(1);
  for (int side = 0; side < 2; side++)
    if ((side ? right : left) == MPI_PROC_NULL) {
      memcpy(d->in[side], d->out[side], (size_t)states * sizeof(state_t));
      reflect(d->in[side], states, axis);
    }
  copy_layers(d, axis, -GHOSTS, d->in[0], 0);
  copy_layers(d, axis, n, d->in[1], 0);
}

/* --- gas
 * ----------------------------------------------------------------------------------------*/

static state_t to_primitive(state_t c)
{
  state_t w = c;
  double kinetic = 0;
  for (int i = MX; i <= MZ; i++) {
    w.q[i] = c.q[i] / c.q[RHO];
    kinetic += c.q[i] * w.q[i];
  }
  w.q[ENERGY] = fmax((gas_gamma - 1) * (c.q[ENERGY] - 0.5 * kinetic), least_pressure);
  return w;
}

static state_t to_conserved(state_t w)
{
  state_t c = w;
  double squared = 0;
  for (int i = MX; i <= MZ; i++) {
    c.q[i] = w.q[RHO] * w.q[i];
    squared += w.q[i] * w.q[i];
  }
  c.q[ENERGY] = w.q[ENERGY] / (gas_gamma - 1) + 0.5 * w.q[RHO] * squared;
  return c;
}

static double sound_speed(state_t w) { return sqrt(gas_gamma * w.q[ENERGY] / w.q[RHO]); }

static state_t flux_of(state_t w, state_t c, int axis)
{
  double v = w.q[MX + axis];
  state_t f;
  for (int i = 0; i < VARIABLES; i++) f.q[i] = v * c.q[i];
  f.q[MX + axis] += w.q[ENERGY];
  f.q[ENERGY] += v * w.q[ENERGY];
  return f;
}

/* The flux between two states by Harten, Lax and van Leer, with Davis's wave speeds. */
static state_t hll(state_t l, state_t r, int axis)
{
  state_t cl = to_conserved(l), cr = to_conserved(r);
  state_t fl = flux_of(l, cl, axis), fr = flux_of(r, cr, axis), f;
  double al = sound_speed(l), ar = sound_speed(r);
  double sl = fmin(l.q[MX + axis] - al, r.q[MX + axis] - ar);
  double sr = fmax(l.q[MX + axis] + al, r.q[MX + axis] + ar);
  if (sl >= 0) return fl;
  if (sr <= 0) return fr;
  for (int i = 0; i < VARIABLES; i++)
    f.q[i] = (sr * fl.q[i] - sl * fr.q[i] + sl * sr * (cr.q[i] - cl.q[i])) / (sr - sl);
  return f;
}

static double minmod(double a, double b)
{
  if (a * b <= 0) return 0;
  return fabs(a) < fabs(b) ? a : b;
}

/* Primitive values at both faces of a cell, half a time step on: limited slopes, then Hancock's
 * predictor. `w` are the values of the cell and its neighbours. */
static void faces_of(const state_t w[3], double ratio, int axis, state_t *left, state_t *right)
{
  state_t a, b;
  for (int i = 0; i < VARIABLES; i++) {
    double slope = minmod(w[1].q[i] - w[0].q[i], w[2].q[i] - w[1].q[i]);
    a.q[i] = w[1].q[i] - 0.5 * slope;
    b.q[i] = w[1].q[i] + 0.5 * slope;
  }
  state_t ca = to_conserved(a), cb = to_conserved(b);
  state_t fa = flux_of(a, ca, axis), fb = flux_of(b, cb, axis);
  for (int i = 0; i < VARIABLES; i++) {
    double change = 0.5 * ratio * (fa.q[i] - fb.q[i]);
    ca.q[i] += change;
    cb.q[i] += change;
  }
  if (ca.q[RHO] <= 0 || cb.q[RHO] <= 0) { /* first order where the gas is too thin for slopes */
    *left = *right = w[1];
    return;
  }
  *left = to_primitive(ca);
  *right = to_primitive(cb);
}

/* Advances one row of n cells by one step; `ratio` is the step over the cell's size. */
static void advance_row(domain_t *d, state_t *first, size_t stride, int n, double ratio, int axis)
{
  state_t *w = d->line;
  for (int i = 0; i < n + 2 * GHOSTS; i++) w[i] = to_primitive(first[(size_t)i * stride]);
  for (int i = 1; i < n + 2 * GHOSTS - 1; i++)
    faces_of(&w[i - 1], ratio, axis, &d->left_side[i], &d->right_side[i]);
  for (int i = GHOSTS; i <= n + GHOSTS; i++)
    d->flux[i] = hll(d->right_side[i - 1], d->left_side[i], axis);
  for (int i = GHOSTS; i < n + GHOSTS; i++)
    for (int k = 0; k < VARIABLES; k++)
      first[(size_t)i * stride].q[k] += ratio * (d->flux[i].q[k] - d->flux[i + 1].q[k]);
}

static void advance(domain_t *d, int axis, double ratio)
{
  int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  exchange(d, axis);
  for (int j = 0; j < d->n[b]; j++)
    for (int i = 0; i < d->n[a]; i++) {
      int p[AXES];
      p[axis] = -GHOSTS;
      p[a] = i;
      p[b] = j;
      advance_row(d, &d->cell[at(d, p[0], p[1], p[2])], d->stride[axis], d->n[axis], ratio, axis);
    }
}

/* The time step over the cell's size that all tasks can take. */
static double step_ratio(const domain_t *d)
{
  double fastest = 0, all = 0;
  for (int z = 0; z < d->n[2]; z++)
    for (int y = 0; y < d->n[1]; y++)
      for (int x = 0; x < d->n[0]; x++) {
        state_t w = to_primitive(d->cell[at(d, x, y, z)]);
        for (int i = 0; i < AXES; i++) fastest = fmax(fastest, fabs(w.q[MX + i]) + sound_speed(w));
      }
  MPI_Allreduce(&fastest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return courant / all;
}

/* Gas at rest in lumps of different density, and two hot spots in it. */
static void set_gas(domain_t *d)
{
  int scale = d->cells[2];
  for (int z = 0; z < d->n[2]; z++)
    for (int y = 0; y < d->n[1]; y++)
      for (int x = 0; x < d->n[0]; x++) {
        double px = (d->from[0] + x + 0.5) / scale, py = (d->from[1] + y + 0.5) / scale;
        double pz = (d->from[2] + z + 0.5) / scale;
        double near = hypot(hypot(px - 2.2, py - 0.9), pz - 0.4);
        double far = hypot(hypot(px - 5.1, py - 1.3), pz - 0.7);
        uint64_t lump = (uint64_t)(px * 4) * 64 + (uint64_t)(py * 4) * 8 + (uint64_t)(pz * 4);
        state_t w = {{0.5 + app_random(lump), 0, 0, 0, near < 0.3 ? 100 : far < 0.2 ? 30 : 0.1}};
        d->cell[at(d, x, y, z)] = to_conserved(w);
      }
}

/* The checksum of all own cells; adds their mass to *mass. */
static uint64_t checksum(const domain_t *d, double *mass)
{
  uint64_t sum = 0;
  for (int z = 0; z < d->n[2]; z++)
    for (int y = 0; y < d->n[1]; y++)
      for (int x = 0; x < d->n[0]; x++) {
        const state_t *c = &d->cell[at(d, x, y, z)];
        uint64_t number =
            ((uint64_t)(d->from[2] + z) * (uint64_t)d->cells[1] + (uint64_t)(d->from[1] + y)) *
                (uint64_t)d->cells[0] +
            (uint64_t)(d->from[0] + x);
        for (uint64_t k = 0; k < VARIABLES; k++) sum += app_term(number * VARIABLES + k, c->q[k]);
        *mass += c->q[RHO];
      }
  return sum;
}

static double total_mass(const domain_t *d, uint64_t *sum)
{
  double mine = 0, all = 0;
  *sum = checksum(d, &mine);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv)
{
  domain_t d = {0};
  uint64_t sum;
  MPI_Init(&argc, &argv);
  double began = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &d.me);
  MPI_Comm_size(MPI_COMM_WORLD, &d.tasks);
  int scale = app_argument(argc, argv, 1, 32, GHOSTS, 1024);
  int steps = app_argument(argc, argv, 2, 12, 1, 100000);
  make_domain(&d, scale);
  set_gas(&d);
  double before = total_mass(&d, &sum);
  for (int i = 0; i < steps; i++) {
    double ratio = step_ratio(&d);
    for (int k = 0; k < AXES; k++) advance(&d, i % 2 ? AXES - 1 - k : k, ratio);
  }
  double after = total_mass(&d, &sum);
  app_print("shock", sum, began, "%d x %d x %d cells, %d steps, mass changed by %.1e", d.cells[0],
            d.cells[1], d.cells[2], steps, fabs(after - before) / before);
  free_domain(&d);
  MPI_Finalize();
  return 0;
}
