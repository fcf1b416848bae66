/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes a lower bound of cuts of a graph, by routing flows through it.
 *
 * From each vertex (or some of them), one unit goes to each of the K - 1 nearest vertices, over
 * edges of the graph. Whatever the parts are, at most `max` - 1 of these are in the vertex's own
 * part. So K - max units leave it, each over an edge between parts. An edge carries at most C * its
 * weight, where C is the maximum of load / weight. So edges between parts weigh at least the number
 * of units that must leave, divided by C. (The idea is that of Leighton and Rao, 1988: a flow that
 * the graph can carry bounds its cuts.)
 *
 * Any choice of routes gives a bound. Units take short ways, where an edge is longer the lighter it
 * is and the more it already carries. This levels the loads (as in Garg and Könemann, 1998). */
#include "map/bound/bound_routes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "map/map_heap.h"

/* Maximum of vertices reached from all sources together; and how many parts the vertices reached
 * from one source fill. In a grid of two dimensions, long ways cost a ball of three parts least; in
 * three dimensions four. */
enum { MAX_REACHED = 3000000, PARTS_REACHED = 3 };
/* How many times longer the fullest edge is. */
enum { AVOID = 20 };

typedef struct routes {
  const routes_graph_t *g;
  size_t *edge;  /* by entry of g->to: the entry at the lower end, for both ends */
  double *load;  /* by edge */
  double *way;   /* length of the way to each vertex; INFINITY: not seen */
  size_t *enter; /* the last entry of the way to each vertex */
  int *from;     /* the previous vertex of that way */
  int *below;    /* units that go through a vertex or end there */
  int *reached, n_reached;
  bool *done;
  heap_t heap;
  double max_full; /* maximum of load / weight */
} routes_t;

/* The entry of w in v's list. */
static size_t find_entry(const routes_graph_t *g, int v, int w)
{
  size_t low = g->first[v], high = g->first[v + 1];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (g->to[middle] <= w)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool routes_init(routes_t *r, const routes_graph_t *g)
{
  size_t n = (size_t)g->n, entries = g->first[n] + 1;
  *r = (routes_t){.g = g};
  r->edge = malloc(entries * sizeof *r->edge);
  r->load = calloc(entries, sizeof *r->load);
  r->way = malloc(n * sizeof *r->way);
  r->enter = malloc(n * sizeof *r->enter);
  r->from = malloc(n * sizeof *r->from);
  r->below = malloc(n * sizeof *r->below);
  r->reached = malloc(n * sizeof *r->reached);
  r->done = calloc(n, sizeof *r->done);
  if (!r->edge || !r->load || !r->way || !r->enter || !r->from || !r->below || !r->reached ||
      !r->done)
    return false;
  for (int v = 0; v < g->n; v++) {
    r->way[v] = INFINITY;
    for (size_t i = g->first[v]; i < g->first[v + 1]; i++)
      r->edge[i] = g->to[i] < v ? find_entry(g, g->to[i], v) : i;
  }
  return true;
}

static void routes_clear(routes_t *r)
{
  free(r->edge);
  free(r->load);
  free(r->way);
  free(r->enter);
  free(r->from);
  free(r->below);
  free(r->reached);
  free(r->done);
  heap_clear(&r->heap);
}

/* The length of an edge, as defined above. */
static double length_of(const routes_t *r, size_t entry)
{
  double weight = r->g->weight[entry], full = r->load[r->edge[entry]] / weight;
  double share = r->max_full > 0 ? full / r->max_full : 0;
  for (int i = 0; i < 3; i++)
    share *= share; /* to the power of 8: only the fullest edges are avoided */
  return (1 + AVOID * share) / weight;
}

/* Looks for shorter ways over a vertex. False when memory is out. */
static bool look_around(routes_t *r, int v)
{
  for (size_t i = r->g->first[v]; i < r->g->first[v + 1]; i++) {
    int w = r->g->to[i];
    double way = r->way[v] + length_of(r, i);
    if (r->done[w] || way >= r->way[w]) continue;
    r->way[w] = way;
    r->from[w] = v;
    r->enter[w] = i;
    if (!heap_push(&r->heap, -way, 0, w, w)) return false;
  }
  return true;
}

/* Reaches the `max` nearest vertices of a source, itself included (Dijkstra, 1959). */
static bool reach(routes_t *r, int source, int max)
{
  r->n_reached = 0;
  r->heap.n = 0;
  r->way[source] = 0;
  bool good = heap_push(&r->heap, 0, 0, source, source);
  while (good && r->heap.n && r->n_reached < max) {
    int v = heap_pop(&r->heap).value;
    if (r->done[v]) continue;
    r->done[v] = true;
    r->reached[r->n_reached++] = v;
    good = look_around(r, v);
  }
  return good;
}

/* Sends units to the reached vertices, if asked to, and forgets the ways. */
static void settle(routes_t *r, bool sends)
{
  for (int i = 0; i < r->n_reached; i++) r->below[r->reached[i]] = 1;
  for (int i = r->n_reached - 1; i > 0 && sends; i--) {
    int v = r->reached[i];
    size_t edge = r->edge[r->enter[v]];
    r->below[r->from[v]] += r->below[v];
    r->load[edge] += r->below[v];
    double full = r->load[edge] / r->g->weight[edge];
    if (full > r->max_full) r->max_full = full;
  }
  for (int i = 0; i < r->n_reached; i++) {
    int v = r->reached[i];
    r->done[v] = false;
    r->way[v] = INFINITY;
    for (size_t k = r->g->first[v]; k < r->g->first[v + 1]; k++) r->way[r->g->to[k]] = INFINITY;
  }
}

/* A step that is coprime to n, so that its multiples modulo n are all numbers below n. It is near
 * the golden section, so that the first ones are spread well, which levels the loads. */
static long long spread(int n)
{
  for (int step = (int)(0.618 * n) + 1;; step++) {
    int a = n, b = step;
    while (b) {
      int rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) return step;
  }
}

/* How many sources there is work for. An eighth of a vertex's edges takes as long as the vertex. */
static int count_sources(const routes_graph_t *g, int ball, double share)
{
  double edges = (double)g->first[g->n] / g->n;
  double sources = share * MAX_REACHED / (ball * fmax(1, edges / 8));
  return sources < 1 ? 1 : sources < g->n ? (int)sources : g->n;
}

double routes_bound(const routes_graph_t *g, int max, double share)
{
  routes_t r;
  double leaving = 0;
  if (max >= g->n) return 0;
  int ball = max > g->n / PARTS_REACHED ? g->n : PARTS_REACHED * max;
  int sources = count_sources(g, ball, share);
  bool good = routes_init(&r, g);
  long long step = spread(g->n);
  for (int i = 0; good && i < sources && !map_time_is_up(g->problem, 1); i++) {
    good = reach(&r, (int)(i * step % g->n), ball);
    if (!good) break;
    if (r.n_reached > max) leaving += r.n_reached - max;
    settle(&r, r.n_reached > max);
  }
  routes_clear(&r);
  if (!good) return -1;
  return r.max_full > 0 ? leaving / r.max_full : 0;
}
