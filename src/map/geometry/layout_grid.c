/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds grids in a pattern. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/geometry/layout.h"
#include "map/map_internal.h"

/* The minimum share of the traffic for grid neighbours, and of links along axes that must have
 * traffic: a chain may wind through a grid, but isn't one. */
static const double enough = 0.9, enough_links = 0.9;
/* Maximum of differences of rank numbers that are considered, and of shapes that are then
 * verified. */
enum { DIFFERENCES = 64, SHAPES = 8 };

bool layout_begin(layout_t *l, int n)
{
  *l = (layout_t){.n = n};
  for (int k = 0; k < LAYOUT_AXES; k++) {
    l->at[k] = malloc(((size_t)n + 1) * sizeof *l->at[k]);
    if (l->at[k]) continue;
    layout_clear(l);
    return false;
  }
  return true;
}

void layout_clear(layout_t *l)
{
  for (int k = 0; k < LAYOUT_AXES; k++) free(l->at[k]);
  *l = (layout_t){0};
}

/* --- conditions for all grids --- */

/* Steps between two cells along an axis. *round: the short way is one step round a periodic
 * axis. */
static int steps(const layout_t *l, int axis, int a, int b, bool *round)
{
  int d = abs(l->at[axis][a] - l->at[axis][b]);
  *round = d > 1 && d == l->size[axis] - 1;
  return *round ? 1 : d;
}

typedef struct fit {
  double near, total,
      distance; /* traffic of neighbours, of all pairs, and of all pairs times distance */
  double axis[LAYOUT_AXES]; /* of neighbours along an axis */
  bool round[LAYOUT_AXES];
  double links; /* pairs of neighbours along axes that exchange messages */
} fit_t;

static fit_t measure_fit(const graph_t *g, const layout_t *l)
{
  fit_t f = {0};
  for (size_t i = 0; i < g->n_edges; i++) {
    const edge_t *e = &g->edge[i];
    int max = 0, sum = 0, last = 0;
    bool round[LAYOUT_AXES];
    for (int k = 0; k < LAYOUT_AXES; k++) {
      int d = steps(l, k, e->a, e->b, &round[k]);
      if (d > max) max = d;
      if (d) last = k;
      sum += d;
    }
    f.total += e->weight;
    f.distance += e->weight * sum;
    if (max > 1) continue;
    f.near += e->weight;
    if (sum == 1) {
      f.axis[last] += e->weight;
      f.links++;
    }
    for (int k = 0; k < LAYOUT_AXES; k++) f.round[k] |= round[k];
  }
  return f;
}

/* The number of a grid's links along an axis. */
static double links_along(const fit_t *f, const layout_t *l, int axis)
{
  int size = l->size[axis];
  return (double)(l->n / size) * (size - 1 + f->round[axis]);
}

static bool is_grid(const fit_t *f, const layout_t *l)
{
  double links = 0;
  for (int k = 0; k < LAYOUT_AXES; k++) links += links_along(f, l, k);
  return f->near >= enough * f->total && f->links >= enough_links * links;
}

static void note_fit(const fit_t *f, layout_t *l)
{
  l->grid = true;
  for (int k = 0; k < LAYOUT_AXES; k++) {
    double links = links_along(f, l, k);
    l->periodic[k] = f->round[k];
    l->link[k] = links > 0 ? f->axis[k] / links : 0;
  }
}

/* --- ranks numbered along a grid --- */

typedef struct shape {
  int size[LAYOUT_AXES];
  double explained; /* traffic between ranks whose numbers differ like neighbours' */
} shape_t;

typedef struct difference {
  int value;
  double weight;
} difference_t;

/* Lists the differences of rank numbers with the most traffic. Returns how many. */
static int heaviest_differences(const graph_t *g, double *by_value, difference_t *out)
{
  int n = 0;
  memset(by_value, 0, (size_t)g->n * sizeof *by_value);
  for (size_t i = 0; i < g->n_edges; i++)
    by_value[g->edge[i].b - g->edge[i].a] += g->edge[i].weight;
  for (int v = 1; v < g->n; v++) {
    if (by_value[v] <= 0 || (n == DIFFERENCES && by_value[v] <= out[n - 1].weight)) continue;
    int at = n < DIFFERENCES ? n++ : n - 1;
    for (; at > 0 && out[at - 1].weight < by_value[v]; at--) out[at] = out[at - 1];
    out[at] = (difference_t){v, by_value[v]};
  }
  return n;
}

/* Whether a step to some neighbour changes a rank's number by that value. */
static bool is_step(const int *size, int value)
{
  int change[LAYOUT_AXES][5], stride = 1;
  for (int k = 0; k < LAYOUT_AXES; k++) {
    int round = size[k] > 1 ? (size[k] - 1) * stride : 0, one = size[k] > 1 ? stride : 0;
    const int all[5] = {0, one, -one, round, -round};
    memcpy(change[k], all, sizeof all);
    stride *= size[k];
  }
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 5; k++)
        if (change[0][i] + change[1][j] + change[2][k] == value) return true;
  return false;
}

/* Keeps the shapes that explain most traffic. */
static int keep_shape(shape_t s, shape_t *out, int n)
{
  if (n == SHAPES && s.explained <= out[n - 1].explained) return n;
  int at = n < SHAPES ? n++ : n - 1;
  for (; at > 0 && out[at - 1].explained < s.explained; at--) out[at] = out[at - 1];
  out[at] = s;
  return n;
}

/* The traffic between ranks whose numbers differ like those of a grid's neighbours. It stops early,
 * with less than enough, if enough can't be reached any more. */
static double explain(const int *size, const difference_t *d, int n_differences, double all,
                      double min)
{
  double explained = all;
  for (int i = 0; i < n_differences && explained >= min; i++)
    if (!is_step(size, d[i].value)) explained -= d[i].weight;
  return explained;
}

/* Lists products of the number of ranks that explain enough traffic; factors of 1 are last. */
static int likely_shapes(int ranks, const difference_t *d, int n_differences, double total,
                         shape_t *out)
{
  int n = 0;
  double all = 0;
  for (int i = 0; i < n_differences; i++) all += d[i].weight;
  if (all < enough * total) return 0;
  for (int a = 2; a <= ranks; a++) {
    if (ranks % a) continue;
    for (int b = 1; b <= ranks / a; b++) {
      if (ranks / a % b || (b == 1 && ranks / a > 1)) continue;
      shape_t s = {{a, b, ranks / a / b}, 0};
      s.explained = explain(s.size, d, n_differences, all, enough * total);
      if (s.explained >= enough * total) n = keep_shape(s, out, n);
    }
  }
  return n;
}

static void number_cells(layout_t *l, const int *size)
{
  for (int r = 0, rest; r < l->n; r++) {
    rest = r;
    for (int k = 0; k < LAYOUT_AXES; k++) {
      l->size[k] = size[k];
      l->at[k][r] = rest % size[k];
      rest /= size[k];
    }
  }
}

/* Chooses the shape with the shortest total way of the traffic. */
static bool verify_shapes(const graph_t *g, const shape_t *shapes, int n, layout_t *l)
{
  int best = -1;
  fit_t best_fit = {0};
  for (int i = 0; i < n; i++) {
    number_cells(l, shapes[i].size);
    fit_t f = measure_fit(g, l);
    if (!is_grid(&f, l) || (best >= 0 && f.distance >= best_fit.distance)) continue;
    best = i;
    best_fit = f;
  }
  if (best < 0) return false;
  number_cells(l, shapes[best].size);
  note_fit(&best_fit, l);
  return true;
}

static int grid_in_order(const graph_t *g, layout_t *l, bool *found, berth_error_t *err)
{
  difference_t differences[DIFFERENCES];
  shape_t shapes[SHAPES];
  double total = 0, *by_value = malloc((size_t)g->n * sizeof *by_value);
  if (!by_value) return no_memory(err);
  int n = heaviest_differences(g, by_value, differences);
  free(by_value);
  for (size_t i = 0; i < g->n_edges; i++) total += g->edge[i].weight;
  n = likely_shapes(g->n, differences, n, total, shapes);
  *found = verify_shapes(g, shapes, n, l);
  return BERTH_OK;
}

/* --- ranks in any order ---
 *
 * If only neighbours along axes exchange messages, two straight steps have one shortest path, and
 * two steps round a corner have two. So an axis can be followed from a corner, or from any rank if
 * it is periodic. A rank's coordinate is the number of the nearest rank on that line, because the
 * way there goes along the other axes. Axes of three or four ranks must be open. */

enum { MAX_NEIGHBOURS = 2 * LAYOUT_AXES };

typedef struct sparse {
  int n;
  int *degree;
  int (*near)[MAX_NEIGHBOURS]; /* neighbours over links above the threshold */
} sparse_t;

/* Keeps links of at least that weight. False if a rank then has more links than in a grid. */
static bool keep_heavy(const graph_t *g, double min, sparse_t *s)
{
  for (int v = 0; v < g->n; v++) {
    s->degree[v] = 0;
    for (size_t k = g->start[v]; k < g->start[v + 1]; k++) {
      if (g->weight[k] < min) continue;
      if (s->degree[v] == MAX_NEIGHBOURS) return false;
      s->near[v][s->degree[v]++] = g->adjacent[k];
    }
  }
  return true;
}

static bool are_near(const sparse_t *s, int a, int b)
{
  for (int i = 0; i < s->degree[a]; i++)
    if (s->near[a][i] == b) return true;
  return false;
}

static int shared_neighbours(const sparse_t *s, int a, int b)
{
  int n = 0;
  for (int i = 0; i < s->degree[a]; i++) n += are_near(s, s->near[a][i], b);
  return n;
}

/* The rank two straight steps from `from` through `through`, -1 at an end. */
static int straight_on(const sparse_t *s, int from, int through)
{
  for (int i = 0; i < s->degree[through]; i++) {
    int v = s->near[through][i];
    if (v != from && !are_near(s, from, v) && shared_neighbours(s, from, v) == 1) return v;
  }
  return -1;
}

/* Follows a line from `start` through `next` to its end, or round to the start. Returns how many
 * ranks it has, 0 if it doesn't end. */
static int walk_line(const sparse_t *s, int start, int next, int *line)
{
  int n = 1;
  line[0] = start;
  for (int from = start, v = next; v >= 0 && v != start;) {
    if (n == s->n) return 0;
    line[n++] = v;
    int on = straight_on(s, from, v);
    from = v;
    v = on;
  }
  return n;
}

/* Finds the number of the nearest rank on the line, for each rank. False if some rank can't reach
 * it, or the line crosses itself. */
static bool spread_from_line(const sparse_t *s, const int *line, int n, int *at, int *queue)
{
  int head = 0, tail = 0;
  for (int v = 0; v < s->n; v++) at[v] = -1;
  for (int i = 0; i < n; i++) {
    if (at[line[i]] >= 0) return false;
    at[line[i]] = i;
    queue[tail++] = line[i];
  }
  while (head < tail) {
    int v = queue[head++];
    for (int i = 0; i < s->degree[v]; i++) {
      int w = s->near[v][i];
      if (at[w] >= 0) continue;
      at[w] = at[v];
      queue[tail++] = w;
    }
  }
  return tail == s->n;
}

/* Whether each cell has one rank; `seen` has an entry for each. */
static bool fills_grid(const layout_t *l, int *seen)
{
  if ((int64_t)l->size[0] * l->size[1] * l->size[2] != l->n) return false;
  memset(seen, 0, (size_t)l->n * sizeof *seen);
  for (int r = 0; r < l->n; r++) {
    int cell = (l->at[2][r] * l->size[1] + l->at[1][r]) * l->size[0] + l->at[0][r];
    if (seen[cell]++) return false;
  }
  return true;
}

/* Follows all axes from a rank with the fewest neighbours; `scratch` has room for two lists of all
 * ranks. */
static bool walk_axes(const sparse_t *s, layout_t *l, int *scratch)
{
  int *line = scratch, *queue = scratch + s->n, corner = 0, axes = 0;
  for (int v = 1; v < s->n; v++)
    if (s->degree[v] < s->degree[corner]) corner = v;
  int last[LAYOUT_AXES]; /* the last rank of a periodic axis, which is also a neighbour of the
                            corner */
  for (int i = 0; i < s->degree[corner]; i++) {
    int next = s->near[corner][i];
    bool known = false;
    for (int k = 0; k < axes; k++) known |= last[k] == next;
    if (known) continue;
    if (axes == LAYOUT_AXES) return false;
    int n = walk_line(s, corner, next, line);
    if (n == 0 || !spread_from_line(s, line, n, l->at[axes], queue)) return false;
    last[axes] = line[n - 1];
    l->size[axes++] = n;
  }
  for (int k = axes; k < LAYOUT_AXES; k++) {
    l->size[k] = 1;
    memset(l->at[k], 0, (size_t)l->n * sizeof *l->at[k]);
  }
  return fills_grid(l, queue);
}

static int grid_in_any_order(const graph_t *g, layout_t *l, bool *found, berth_error_t *err)
{
  size_t n = (size_t)g->n;
  sparse_t s = {g->n, malloc(n * sizeof *s.degree), malloc(n * sizeof *s.near)};
  int *scratch = malloc(2 * n * sizeof *scratch);
  double heaviest = 0;
  int rc = s.degree && s.near && scratch ? BERTH_OK : no_memory(err);
  for (size_t i = 0; i < g->n_edges; i++)
    if (g->edge[i].weight > heaviest) heaviest = g->edge[i].weight;
  /* First with all links. Then, in case diagonal neighbours exchange a little, with heavy links
   * only. */
  for (int i = 0; !rc && !*found && i < 2; i++) {
    if (!keep_heavy(g, i ? heaviest / 4 : 0, &s) || !walk_axes(&s, l, scratch)) continue;
    fit_t f = measure_fit(g, l);
    *found = is_grid(&f, l);
    if (*found) note_fit(&f, l);
  }
  free(s.degree);
  free(s.near);
  free(scratch);
  return rc;
}

int layout_of_grid(const graph_t *g, layout_t *out, bool *found, berth_error_t *err)
{
  *found = false;
  if (g->n < 2 || g->n_edges == 0) return BERTH_OK;
  if (!layout_begin(out, g->n)) return no_memory(err);
  int rc = grid_in_order(g, out, found, err);
  if (!rc && !*found) rc = grid_in_any_order(g, out, found, err);
  if (rc || !*found) layout_clear(out);
  return rc;
}
