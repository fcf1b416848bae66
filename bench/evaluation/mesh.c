/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh.h"

#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const double pi = 3.14159265358979323846, height = 0.05; /* of a layer */

typedef struct point {
  double x, y;
} point_t;

/* Corners counterclockwise; side i runs from corner i to corner i + 1. */
typedef struct triangle {
  int corner[3], beyond[3];
  point_t centre; /* of the circumcircle */
  double square;  /* of its radius */
} triangle_t;

typedef struct edge {
  int from, to, owner; /* owner: 3 * triangle + side */
} edge_t;

typedef struct triangulation {
  point_t *point;
  int n_points;
  triangle_t *triangle;
  int n_triangles;
  edge_t *edge; /* scratch */
} triangulation_t;

/* Denser towards the middle of each axis, by a factor of six in all. */
static double squeeze(double t) { return t + 0.42 / (2 * pi) * sin(2 * pi * t); }

/* One point at random in each field of a square grid, then three far around all of them. */
static void make_points(triangulation_t *t, int side)
{
  t->n_points = side * side;
  t->point = app_alloc((size_t)t->n_points + 3, sizeof *t->point);
  for (int i = 0; i < t->n_points; i++) {
    double a = app_random(2 * (uint64_t)i), b = app_random(2 * (uint64_t)i + 1);
    t->point[i].x = squeeze((i % side + 0.1 + 0.8 * a) / side);
    t->point[i].y = squeeze((i / side + 0.1 + 0.8 * b) / side);
  }
  t->point[t->n_points] = (point_t){-100, -100};
  t->point[t->n_points + 1] = (point_t){101, -100};
  t->point[t->n_points + 2] = (point_t){0.5, 101};
}

static void add_triangle(triangulation_t *t, int a, int b, int c)
{
  triangle_t *new = &t->triangle[t->n_triangles++];
  point_t p = t->point[a], q = t->point[b], r = t->point[c];
  double qx = q.x - p.x, qy = q.y - p.y, rx = r.x - p.x, ry = r.y - p.y;
  double q2 = qx * qx + qy * qy, r2 = rx * rx + ry * ry, d = 2 * (qx * ry - qy * rx);
  double x = (ry * q2 - qy * r2) / d, y = (qx * r2 - rx * q2) / d;
  *new = (triangle_t){{a, b, c}, {-1, -1, -1}, {p.x + x, p.y + y}, x * x + y * y};
}

/* Bowyer and Watson: the triangles whose circumcircle holds the point give way to ones that join
 * the point to the border of the hole. */
static void insert(triangulation_t *t, int p)
{
  int n_edges = 0;
  for (int i = t->n_triangles - 1; i >= 0; i--) {
    triangle_t old = t->triangle[i];
    double dx = t->point[p].x - old.centre.x, dy = t->point[p].y - old.centre.y;
    if (dx * dx + dy * dy >= old.square) continue;
    t->triangle[i] = t->triangle[--t->n_triangles];
    for (int k = 0; k < 3; k++)
      t->edge[n_edges++] = (edge_t){old.corner[k], old.corner[(k + 1) % 3], 0};
  }
  for (int i = 0; i < n_edges; i++) {
    int inner = 0;
    for (int k = 0; k < n_edges && !inner; k++)
      inner = t->edge[i].from == t->edge[k].to && t->edge[i].to == t->edge[k].from;
    if (!inner) add_triangle(t, t->edge[i].from, t->edge[i].to, p);
  }
}

static int compare_edges(const void *a, const void *b)
{
  const edge_t *p = a, *q = b;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  return (p->to > q->to) - (p->to < q->to);
}

/* Finds the triangle beyond each side: that which has the edge the other way round. */
static void join(triangulation_t *t)
{
  int n = 0;
  for (int i = 0; i < t->n_triangles; i++)
    for (int k = 0; k < 3; k++, n++)
      t->edge[n] =
          (edge_t){t->triangle[i].corner[k], t->triangle[i].corner[(k + 1) % 3], 3 * i + k};
  qsort(t->edge, (size_t)n, sizeof *t->edge, compare_edges);
  for (int i = 0; i < n; i++) {
    edge_t turned = {t->edge[i].to, t->edge[i].from, 0};
    const edge_t *found = bsearch(&turned, t->edge, (size_t)n, sizeof turned, compare_edges);
    int owner = t->edge[i].owner;
    t->triangle[owner / 3].beyond[owner % 3] = found ? found->owner / 3 : -1;
  }
}

static void triangulate(triangulation_t *t, int side)
{
  make_points(t, side);
  size_t most = 2 * ((size_t)t->n_points + 3);
  t->triangle = app_alloc(most, sizeof *t->triangle);
  t->edge = app_alloc(3 * most, sizeof *t->edge);
  add_triangle(t, t->n_points, t->n_points + 1, t->n_points + 2);
  for (int i = 0; i < t->n_points; i++) insert(t, i);
  int kept = 0;
  for (int i = 0; i < t->n_triangles; i++) {
    const int *c = t->triangle[i].corner;
    if (c[0] < t->n_points && c[1] < t->n_points && c[2] < t->n_points)
      t->triangle[kept++] = t->triangle[i];
  }
  t->n_triangles = kept;
  join(t);
}

static cell_t make_cell(const triangulation_t *t, int i, int layer, int layers)
{
  const triangle_t *base = &t->triangle[i];
  int n = t->n_triangles, number = layer * n + i;
  cell_t c = {.centre = {0, 0, (layer + 0.5) * height}};
  double doubled = 0; /* twice the base's area */
  for (int k = 0; k < 3; k++) {
    point_t a = t->point[base->corner[k]], b = t->point[base->corner[(k + 1) % 3]];
    c.neighbour[k] = base->beyond[k] < 0 ? -1 : layer * n + base->beyond[k];
    c.area[k][0] = (b.y - a.y) * height;
    c.area[k][1] = -(b.x - a.x) * height;
    c.centre[0] += a.x / 3;
    c.centre[1] += a.y / 3;
    doubled += a.x * b.y - a.y * b.x;
  }
  c.neighbour[3] = layer > 0 ? number - n : -1;
  c.neighbour[4] = layer < layers - 1 ? number + n : -1;
  c.area[3][2] = -doubled / 2;
  c.area[4][2] = doubled / 2;
  c.volume = doubled / 2 * height;
  return c;
}

mesh_t mesh_make(int points, int layers)
{
  triangulation_t t = {0};
  triangulate(&t, (int)lround(sqrt(points)));
  mesh_t mesh = {.n_cells = t.n_triangles * layers};
  mesh.cell = app_alloc((size_t)mesh.n_cells, sizeof *mesh.cell);
  for (int l = 0; l < layers; l++)
    for (int i = 0; i < t.n_triangles; i++)
      mesh.cell[l * t.n_triangles + i] = make_cell(&t, i, l, layers);
  free(t.point);
  free(t.triangle);
  free(t.edge);
  return mesh;
}

void mesh_free(mesh_t *mesh)
{
  free(mesh->cell);
  mesh->cell = NULL;
}

int *mesh_partition(const mesh_t *mesh, int parts)
{
  size_t n = (size_t)mesh->n_cells;
  int *part = app_alloc(n, sizeof *part);
  if (parts == 1) return part; /* which METIS doesn't take */
  idx_t *start = app_alloc(n + 1, sizeof *start), *to = app_alloc(SIDES * n, sizeof *to);
  idx_t *found = app_alloc(n, sizeof *found), options[METIS_NOPTIONS];
  for (size_t c = 0; c < n; c++) {
    start[c + 1] = start[c];
    for (int k = 0; k < SIDES; k++)
      if (mesh->cell[c].neighbour[k] >= 0) to[start[c + 1]++] = mesh->cell[c].neighbour[k];
  }
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t vertices = mesh->n_cells, constraints = 1, wanted = parts, cut;
  if (METIS_PartGraphKway(&vertices, &constraints, start, to, NULL, NULL, NULL, &wanted, NULL, NULL,
                          options, &cut, found) != METIS_OK)
    app_fail("METIS cannot cut %d cells into %d parts", mesh->n_cells, parts);
  for (size_t c = 0; c < n; c++) part[c] = (int)found[c];
  free(start);
  free(to);
  free(found);
  return part;
}
