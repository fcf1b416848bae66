/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep: transport of particles through an unstructured mesh, by discrete ordinates.
 *
 * Stands for the report's UMT2K (section 6.1). The steady-state Boltzmann equation is solved for
 * several energy groups and directions on a triangulation extruded into the third dimension, which
 * METIS distributes over the tasks. For each direction a task visits its cells downstream, so the
 * order of memory accesses differs from direction to direction; in each cell the flow decays
 * exponentially. Then neighbouring parts exchange what flows across their border, without blocking,
 * and the mesh is swept again, until nothing that arrives has changed. An outer iteration renews
 * the source from what was scattered.
 *
 * Downstream order has no cycles in a Delaunay triangulation (Edelsbrunner 1990), so the passes end
 * in exactly the values that one task computes in one pass: the checksum doesn't depend on the
 * number of tasks. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "mesh.h"

enum { LEVELS = 4, TURNS = 6, DIRECTIONS = LEVELS * TURNS, GROUPS = 4 };

/* Flow by energy group. */
typedef struct groups {
  double g[GROUPS];
} groups_t;

typedef struct direction {
  double to[3], weight;
  int *order; /* own cells, downstream */
} direction_t;

/* A side of an own cell beyond which another task's cell is. */
typedef struct border {
  int cell, side;          /* own cell by its local number */
  int part, first, second; /* the other task; lower and higher global number of both cells */
  int slot[DIRECTIONS];    /* where the flow through it stands in in[] or out[] */
} border_t;

/* Another task and its share of borders, in[] and out[]. */
typedef struct peer {
  int part, first_border, n_borders;
  int first_in, n_in, first_out, n_out;
} peer_t;

typedef struct sweeper {
  int me, tasks;
  mesh_t mesh;
  int *part;   /* of each cell of the mesh */
  int *local;  /* its number in `own` where it is this task's */
  int *own, n; /* global numbers of own cells, increasing */
  direction_t direction[DIRECTIONS];
  border_t *border;
  int n_borders;
  int (*border_of)[SIDES]; /* of own cells; -1 where a side is none */
  peer_t *peer;
  int n_peers;
  groups_t *in, *before, *out; /* flow across borders: now, one pass before, and out of here */
  int n_in, n_out;
  groups_t *flow;           /* out of each own cell in the direction at hand */
  groups_t *source, *total; /* per own cell: isotropic source, flow summed over directions */
} sweeper_t;

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- materials
 * ----------------------------------------------------------------------------------*/

/* A dense ball in thinner surroundings; slower groups meet more. */
static int is_dense(const cell_t *c)
{
  double x = c->centre[0] - 0.6, y = c->centre[1] - 0.45;
  return x * x + y * y < 0.06;
}
static double absorption(const cell_t *c, int group)
{
  return (is_dense(c) ? 3.0 : 0.4) * (1 + group);
}
static double scattering(const cell_t *c) { return is_dense(c) ? 2.0 : 0.5; }
static double emission(const cell_t *c, int group)
{
  return group == 0 && c->centre[0] < 0.3 && c->centre[1] < 0.4 ? 1 : 0;
}

/* Gauss's four levels from pole to pole, six directions each, none along a coordinate plane. */
static void choose_directions(sweeper_t *s)
{
  static const double level[LEVELS] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                       0.8611363115940526};
  static const double weight[LEVELS] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                        0.3478548451374538};
  for (int i = 0; i < DIRECTIONS; i++) {
    double angle = 6.283185307179586 * (i % TURNS + 0.29) / TURNS, z = level[i / TURNS];
    double across = sqrt(1 - z * z);
    s->direction[i].to[0] = across * cos(angle);
    s->direction[i].to[1] = across * sin(angle);
    s->direction[i].to[2] = z;
    s->direction[i].weight = weight[i / TURNS] / 2 / TURNS;
  }
}

/* --- distribution
 * -------------------------------------------------------------------------------*/

/* Task 0 asks METIS, so that all tasks know the same answer. */
static void distribute(sweeper_t *s)
{
  size_t cells = (size_t)s->mesh.n_cells;
  unsigned char *bytes = app_alloc(cells, 1);
  if (s->me == 0) {
    s->part = mesh_partition(&s->mesh, s->tasks);
    for (size_t i = 0; i < cells; i++) bytes[i] = (unsigned char)s->part[i];
  } else {
    s->part = app_alloc(cells, sizeof *s->part);
  }
  MPI_Bcast(bytes, s->mesh.n_cells, MPI_BYTE, 0, MPI_COMM_WORLD);
  s->local = app_alloc(cells, sizeof *s->local);
  s->own = app_alloc(cells, sizeof *s->own);
  for (size_t i = 0; i < cells; i++) {
    s->part[i] = bytes[i];
    s->local[i] = s->part[i] == s->me ? s->n : -1;
    if (s->part[i] == s->me) s->own[s->n++] = (int)i;
  }
  free(bytes);
}

static const cell_t *own_cell(const sweeper_t *s, int i) { return &s->mesh.cell[s->own[i]]; }

/* By task, then by the cells on both sides, so that both tasks list them in one order. */
static int compare_borders(const void *a, const void *b)
{
  const border_t *p = a, *q = b;
  if (p->part != q->part) return p->part < q->part ? -1 : 1;
  if (p->first != q->first) return p->first < q->first ? -1 : 1;
  return (p->second > q->second) - (p->second < q->second);
}

static void find_borders(sweeper_t *s)
{
  s->border = app_alloc((size_t)s->n * SIDES, sizeof *s->border);
  s->border_of = app_alloc((size_t)s->n, sizeof *s->border_of);
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < SIDES; k++) {
      int here = s->own[i], there = s->mesh.cell[here].neighbour[k];
      s->border_of[i][k] = -1;
      if (there < 0 || s->part[there] == s->me) continue;
      s->border[s->n_borders++] = (border_t){.cell = i,
                                             .side = k,
                                             .part = s->part[there],
                                             .first = here < there ? here : there,
                                             .second = here < there ? there : here};
    }
  qsort(s->border, (size_t)s->n_borders, sizeof *s->border, compare_borders);
  for (int b = 0; b < s->n_borders; b++) s->border_of[s->border[b].cell][s->border[b].side] = b;
}

/* Hands out the places of a peer's borders in in[] and out[], direction by direction. */
static void lay_out(sweeper_t *s, peer_t *p)
{
  p->first_in = s->n_in;
  p->first_out = s->n_out;
  for (int d = 0; d < DIRECTIONS; d++)
    for (int b = p->first_border; b < p->first_border + p->n_borders; b++) {
      border_t *border = &s->border[b];
      double through = dot(own_cell(s, border->cell)->area[border->side], s->direction[d].to);
      border->slot[d] = through < 0 ? s->n_in++ : through > 0 ? s->n_out++ : -1;
    }
  p->n_in = s->n_in - p->first_in;
  p->n_out = s->n_out - p->first_out;
}

static void find_peers(sweeper_t *s)
{
  s->peer = app_alloc((size_t)s->tasks, sizeof *s->peer);
  for (int b = 0; b < s->n_borders; b++) {
    if (b == 0 || s->border[b].part != s->border[b - 1].part)
      s->peer[s->n_peers++] = (peer_t){.part = s->border[b].part, .first_border = b};
    s->peer[s->n_peers - 1].n_borders++;
  }
  for (int p = 0; p < s->n_peers; p++) lay_out(s, &s->peer[p]);
  s->in = app_alloc((size_t)s->n_in, sizeof *s->in);
  s->before = app_alloc((size_t)s->n_in, sizeof *s->before);
  s->out = app_alloc((size_t)s->n_out, sizeof *s->out);
}

/* Puts own cells in the order in which a direction passes them (Kahn): a cell follows when all own
 * cells upstream of it have. */
static void find_order(const sweeper_t *s, direction_t *d)
{
  int *upstream = app_alloc((size_t)s->n, sizeof *upstream), head = 0, tail = 0;
  d->order = app_alloc((size_t)s->n, sizeof *d->order);
  for (int i = 0; i < s->n; i++) {
    const cell_t *c = own_cell(s, i);
    for (int k = 0; k < SIDES; k++)
      if (c->neighbour[k] >= 0 && s->local[c->neighbour[k]] >= 0 && dot(c->area[k], d->to) < 0)
        upstream[i]++;
    if (!upstream[i]) d->order[tail++] = i;
  }
  while (head < tail) {
    const cell_t *c = own_cell(s, d->order[head++]);
    for (int k = 0; k < SIDES; k++) {
      int next = c->neighbour[k] < 0 ? -1 : s->local[c->neighbour[k]];
      if (next >= 0 && dot(c->area[k], d->to) > 0 && --upstream[next] == 0) d->order[tail++] = next;
    }
  }
  if (tail < s->n) app_fail("sweep: the mesh has a cycle downstream");
  free(upstream);
}

/* --- sweeping
 * -----------------------------------------------------------------------------------*/

static void visit(sweeper_t *s, int d, int i)
{
  const cell_t *c = own_cell(s, i);
  groups_t entering = {{0}};
  double leaving = 0; /* area that the flow leaves through */
  for (int k = 0; k < SIDES; k++) {
    double through = dot(c->area[k], s->direction[d].to);
    if (through > 0) leaving += through;
    if (through >= 0 || c->neighbour[k] < 0) continue;
    int border = s->border_of[i][k];
    const groups_t *from =
        border < 0 ? &s->flow[s->local[c->neighbour[k]]] : &s->in[s->border[border].slot[d]];
    for (int g = 0; g < GROUPS; g++) entering.g[g] -= through * from->g[g];
  }
  for (int g = 0; g < GROUPS; g++) {
    double sigma = absorption(c, g) + scattering(c), depth = sigma * c->volume / leaving;
    double inflow = entering.g[g] / leaving, far = s->source[i].g[g] / sigma;
    double outflow = far + (inflow - far) * exp(-depth);
    s->flow[i].g[g] = outflow;
    s->total[i].g[g] += s->direction[d].weight * (far + (inflow - outflow) / depth);
  }
  for (int k = 0; k < SIDES; k++) {
    int border = s->border_of[i][k];
    if (border >= 0 && dot(c->area[k], s->direction[d].to) > 0)
      s->out[s->border[border].slot[d]] = s->flow[i];
  }
}

static void sweep_all(sweeper_t *s)
{
  memset(s->total, 0, (size_t)s->n * sizeof *s->total);
  for (int d = 0; d < DIRECTIONS; d++)
    for (int i = 0; i < s->n; i++) visit(s, d, s->direction[d].order[i]);
}

/* Exchanges the flow across borders; returns the largest change of what arrives anywhere. */
static double exchange(sweeper_t *s, MPI_Request *requests)
{
  groups_t *old = s->in;
  double change = 0, all;
  int n = 0;
  s->in = s->before;
  s->before = old;
  MPI_Pcontrol(2); /* a phase of the trace: all tasks wait for one another behind it */
  for (int i = 0; i < s->n_peers; i++) {
    const peer_t *p = &s->peer[i];
    MPI_Irecv(&s->in[p->first_in], p->n_in * GROUPS, MPI_DOUBLE, p->part, 0, MPI_COMM_WORLD,
              &requests[n++]);
  }
  for (int i = 0; i < s->n_peers; i++) {
    const peer_t *p = &s->peer[i];
    MPI_Isend(&s->out[p->first_out], p->n_out * GROUPS, MPI_DOUBLE, p->part, 0, MPI_COMM_WORLD,
              &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  MPI_Pcontrol(1);
  for (int i = 0; i < s->n_in; i++)
    for (int g = 0; g < GROUPS; g++) change = fmax(change, fabs(s->in[i].g[g] - s->before[i].g[g]));
  MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* What the flow so far scatters, half of it into the next group, and what the cells emit. */
static void renew_source(sweeper_t *s)
{
  for (int i = 0; i < s->n; i++) {
    const cell_t *c = own_cell(s, i);
    for (int g = 0; g < GROUPS; g++) {
      double here = s->total[i].g[g], above = g > 0 ? s->total[i].g[g - 1] : 0;
      s->source[i].g[g] = emission(c, g) + scattering(c) * 0.5 * (here + above);
    }
  }
}

/* --- program
 * ------------------------------------------------------------------------------------*/

static void make_sweeper(sweeper_t *s, int points, int layers)
{
  if (s->tasks > 255) app_fail("sweep: %d tasks, expected at most 255", s->tasks);
  s->mesh = mesh_make(points, layers);
  choose_directions(s);
  distribute(s);
  find_borders(s);
  find_peers(s);
  for (int d = 0; d < DIRECTIONS; d++) find_order(s, &s->direction[d]);
  s->flow = app_alloc((size_t)s->n, sizeof *s->flow);
  s->source = app_alloc((size_t)s->n, sizeof *s->source);
  s->total = app_alloc((size_t)s->n, sizeof *s->total);
}

static void free_sweeper(sweeper_t *s)
{
  mesh_free(&s->mesh);
  for (int d = 0; d < DIRECTIONS; d++) free(s->direction[d].order);
  void *const all[] = {s->part, s->local,  s->own, s->border, s->border_of, s->peer,
                       s->in,   s->before, s->out, s->flow,   s->source,    s->total};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static uint64_t checksum(const sweeper_t *s)
{
  uint64_t sum = 0;
  for (int i = 0; i < s->n; i++)
    for (uint64_t g = 0; g < GROUPS; g++)
      sum += app_term((uint64_t)s->own[i] * GROUPS + g, s->total[i].g[g]);
  return sum;
}

/* The outer iterations, each of at most `most` passes over the mesh; returns the number of all
 * passes, and in *change what the last one changed at borders. */
static int solve(sweeper_t *s, int iterations, int most, double *change)
{
  int passes = 0;
  MPI_Request *requests = app_alloc(2 * (size_t)s->n_peers, sizeof *requests);
  for (int i = 0; i < iterations; i++) {
    renew_source(s);
    *change = 1;
    for (int k = 0; k<most && * change> 0; k++, passes++) {
      sweep_all(s);
      *change = exchange(s, requests);
    }
  }
  free(requests);
  return passes;
}

int main(int argc, char **argv)
{
  sweeper_t s = {0};
  MPI_Init(&argc, &argv);
  double began = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &s.me);
  MPI_Comm_size(MPI_COMM_WORLD, &s.tasks);
  int points = app_argument(argc, argv, 1, 1225, 9, 100000);
  int layers = app_argument(argc, argv, 2, 24, 1, 1000);
  int iterations = app_argument(argc, argv, 3, 2, 1, 1000);
  make_sweeper(&s, points, layers);
  int most = app_argument(argc, argv, 4, 6, 1, 100000);
  double change = 0;
  int passes = solve(&s, iterations, most, &change);
  app_print("sweep", checksum(&s), began,
            "%d cells, %d directions, %d groups, %d iterations, %d passes, last change %.1e",
            s.mesh.n_cells, DIRECTIONS, GROUPS, iterations, passes, change);
  free_sweeper(&s);
  MPI_Finalize();
  return 0;
}
