/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes coordinates of ranks from distances in the graph.
 * A rank's coordinate is the difference of its distances to two poles. Distances are whole numbers
 * of links, so ranks are then moved a few times towards the mean of their neighbours. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/geometry/layout.h"
#include "map/map_internal.h"

enum { SMOOTHINGS = 16, POLES = 2 * LAYOUT_AXES };

typedef struct survey {
  const graph_t *graph;
  int *queue;
  int *distance[POLES];
  int *min;      /* to the nearest pole so far */
  char *in_main; /* ranks that may become poles */
} survey_t;

/* Visits everything that `from` reaches; its own distance is `first`. Returns the end of the
 * queue. */
static int visit(const survey_t *s, int from, int first, int *distance, int tail)
{
  const graph_t *g = s->graph;
  int head = tail;
  distance[from] = first;
  s->queue[tail++] = from;
  while (head < tail) {
    int v = s->queue[head++];
    for (size_t k = g->start[v]; k < g->start[v + 1]; k++) {
      if (distance[g->adjacent[k]] >= 0) continue;
      distance[g->adjacent[k]] = distance[v] + 1;
      s->queue[tail++] = g->adjacent[k];
    }
  }
  return tail;
}

/* Distances from a rank. Unreachable parts come after everything else, one after the other. */
static void find_distances(const survey_t *s, int from, int *distance)
{
  for (int v = 0; v < s->graph->n; v++) distance[v] = -1;
  int tail = visit(s, from, 0, distance, 0);
  for (int v = 0; tail < s->graph->n; v++)
    if (distance[v] < 0) tail = visit(s, v, distance[s->queue[tail - 1]] + 2, distance, tail);
}

/* Finds the part of the graph with more than half of the ranks, and marks them. Returns its lowest
 * rank. Without such a part it marks all, and returns -1. */
static int find_main_part(survey_t *s)
{
  int n = s->graph->n, *distance = s->distance[0], main = -1;
  for (int v = 0; v < n; v++) {
    distance[v] = -1;
    s->in_main[v] = 0;
  }
  for (int v = 0, tail = 0; tail <= n / 2; v++) {
    if (distance[v] >= 0) continue;
    int from = tail;
    tail = visit(s, v, 0, distance, tail);
    if (tail - from <= n / 2) continue;
    main = v;
    for (int i = from; i < tail; i++) s->in_main[s->queue[i]] = 1;
  }
  for (int v = 0; main < 0 && v < n; v++) s->in_main[v] = 1;
  return main;
}

static int farthest(const survey_t *s, const int *distance)
{
  int best = -1;
  for (int v = 0; v < s->graph->n; v++)
    if (s->in_main[v] && (best < 0 || distance[v] > distance[best])) best = v;
  return best;
}

/* Chooses each pole as far as possible from all before it; the first as far as possible from the
 * lowest rank. Returns whether the graph consists of small parts. */
static bool choose_poles(survey_t *s)
{
  int n = s->graph->n, main = find_main_part(s);
  find_distances(s, main < 0 ? 0 : main, s->distance[0]);
  int pole = farthest(s, s->distance[0]);
  for (int i = 0; i < POLES; i++) {
    find_distances(s, pole, s->distance[i]);
    for (int v = 0; v < n; v++)
      if (i == 0 || s->distance[i][v] < s->min[v]) s->min[v] = s->distance[i][v];
    pole = farthest(s, s->min);
  }
  return main < 0;
}

/* Orders ranks along one axis. If the graph consists of small parts, the first axis puts these in a
 * row: with two poles, all parts without a pole would be at the same place. */
static void place_along(const survey_t *s, int axis, bool parts, double *x)
{
  const int *one = s->distance[2 * axis], *other = s->distance[2 * axis + 1];
  for (int v = 0; v < s->graph->n; v++) x[v] = parts && axis == 0 ? one[v] : one[v] - other[v];
}

static void smooth(const graph_t *g, double *x, double *y)
{
  for (int round = 0; round < SMOOTHINGS; round++) {
    for (int v = 0; v < g->n; v++) {
      double sum = 0, weight = 0;
      for (size_t k = g->start[v]; k < g->start[v + 1]; k++) {
        sum += g->weight[k] * x[g->adjacent[k]];
        weight += g->weight[k];
      }
      y[v] = weight > 0 ? 0.5 * (x[v] + sum / weight) : x[v];
    }
    memcpy(x, y, (size_t)g->n * sizeof *x);
  }
}

/* Scales values to whole numbers below 2^LAYOUT_BITS. */
static void round_off(const double *x, int n, int *at)
{
  const double top = (1 << LAYOUT_BITS) - 1;
  double low = x[0], high = x[0];
  for (int v = 1; v < n; v++) {
    if (x[v] < low) low = x[v];
    if (x[v] > high) high = x[v];
  }
  for (int v = 0; v < n; v++) at[v] = high > low ? (int)((x[v] - low) / (high - low) * top) : 0;
}

static int survey_init(survey_t *s, const graph_t *g, berth_error_t *err)
{
  size_t n = (size_t)g->n + 1;
  bool whole = true;
  *s = (survey_t){.graph = g,
                  .queue = malloc(n * sizeof *s->queue),
                  .min = malloc(n * sizeof *s->min),
                  .in_main = malloc(n)};
  for (int i = 0; i < POLES; i++) {
    s->distance[i] = malloc(n * sizeof *s->distance[i]);
    whole = whole && s->distance[i];
  }
  return whole && s->queue && s->min && s->in_main ? BERTH_OK : no_memory(err);
}

static void survey_clear(survey_t *s)
{
  for (int i = 0; i < POLES; i++) free(s->distance[i]);
  free(s->queue);
  free(s->min);
  free(s->in_main);
}

int layout_of_distances(const graph_t *g, layout_t *out, berth_error_t *err)
{
  survey_t s;
  size_t n = (size_t)g->n;
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  int rc = survey_init(&s, g, err);
  if (!rc && (!x || !y || !layout_begin(out, g->n))) rc = no_memory(err);
  bool parts = !rc && choose_poles(&s);
  for (int k = 0; !rc && k < LAYOUT_AXES; k++) {
    place_along(&s, k, parts, x);
    smooth(g, x, y);
    round_off(x, g->n, out->at[k]);
    out->size[k] = 1 << LAYOUT_BITS;
  }
  survey_clear(&s);
  free(x);
  free(y);
  return rc;
}
