/* SPDX-License-Identifier: BSD-3-Clause */
/* The main curves of a node's record as pictures of characters. */
#include <berth/strided.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print/node_view.h"
#include "cli/print/text_chart.h"

/* The record, and whether a curve of it was drawn. */
typedef struct charts {
  const berth_node_t *n;
  bool any;
} charts_t;

/* Points of a chart. */
typedef struct points {
  size_t n;
  double *x, *y, *spread;
} points_t;

static const char *times_text(double ratio, char buf[TEXT_NUMBER])
{
  snprintf(buf, TEXT_NUMBER, "%.2f times", ratio);
  return buf;
}

/* Room for n points in one piece of memory. Memory that is out fails the command. */
static points_t make_points(size_t n)
{
  double *values = cli_checked(malloc((3 * n + 1) * sizeof *values));
  return (points_t){0, values, values ? values + n : NULL, values ? values + 2 * n : NULL};
}

/* Nothing has a place at 0 on a logarithmic axis. */
static void add_point(points_t *p, double x, double y, double spread)
{
  if (!p->x || !(x > 0 && y > 0)) return;
  p->x[p->n] = x;
  p->y[p->n] = y;
  p->spread[p->n++] = spread;
}

/* Draws the points below a title, and frees them. A single one isn't a curve. */
static void print_points(charts_t *all, points_t *p, const char *title, chart_text_t *x_text,
                         chart_text_t *y_text)
{
  if (p->n > 1) {
    if (!all->any) puts("\nCurves of the node");
    if (!all->any) chart_print_legend(true);
    all->any = true;
    printf("\n  %s\n", title);
    chart_print(&(chart_t){p->n, p->x, p->y, p->spread, x_text, y_text});
  }
  free(p->x);
}

/* --- copies --- */

static double spread_at(const berth_node_curve_t *c, double x)
{
  for (size_t i = 0; c && i < c->n; i++)
    if (c->x[i] == x) return c->spread[i];
  return BERTH_UNKNOWN_SPREAD;
}

/* The fastest kernel's rate at the sizes of memcpy's curve, within NUMA node 0. */
static void print_copies(charts_t *all, const char *state)
{
  const berth_node_curve_t *sizes = berth_node_find(all->n, BERTH_NODE_COPY, "memcpy", state, 0, 0);
  char title[80];
  if (!sizes) return;
  points_t p = make_points(sizes->n);
  for (size_t i = 0; i < sizes->n; i++) {
    const berth_node_curve_t *best = NULL;
    double rate = berth_node_best_copy(all->n, state, 0, 0, sizes->x[i], &best);
    add_point(&p, sizes->x[i], rate, spread_at(best, sizes->x[i]));
  }
  snprintf(title, sizeof title, "copies by one core, %s buffers: the fastest kernel, by size",
           state);
  print_points(all, &p, title, text_bytes, text_bandwidth);
}

/* --- memory --- */

static void print_memory(charts_t *all, const char *order, const char *which)
{
  const berth_node_curve_t *c = berth_node_find(all->n, BERTH_NODE_MEMORY, "copy", order, -1, -1);
  char title[80];
  if (!c) return;
  points_t p = make_points(c->n);
  for (size_t i = 0; i < c->n; i++) add_point(&p, c->x[i], c->y[i], c->spread[i]);
  snprintf(title, sizeof title, "copies by several cores, %s first: all of them, by cores", which);
  print_points(all, &p, title, text_count, text_bandwidth);
}

/* --- packing --- */

/* Of messages of the middle size, the time by a derived datatype in times of a contiguous one. */
static void print_packing(charts_t *all, const berth_strided_t *contiguous)
{
  const berth_strided_t *t =
      berth_node_find_strided(all->n, contiguous->mpi, BERTH_PACKER_TYPE, BERTH_SIDE_SEND, 1, 0);
  char title[400], size[TEXT_NUMBER];
  size_t middle = contiguous->n / 2;
  double bytes = contiguous->bytes[middle];
  if (!t) return;
  points_t p = make_points(t->n);
  for (size_t i = 0; i < t->n; i++)
    if (t->bytes[i] == bytes)
      add_point(&p, t->block[i], t->seconds[i] / contiguous->seconds[middle], t->spread[i]);
  snprintf(title, sizeof title, "%s: %s by datatype, times a contiguous message, by block",
           contiguous->mpi, text_bytes(bytes, size));
  print_points(all, &p, title, text_bytes, times_text);
}

void node_view_charts(const berth_node_t *n)
{
  charts_t all = {.n = n};
  print_copies(&all, "hot");
  print_copies(&all, "cold");
  print_memory(&all, "close", "neighbours");
  print_memory(&all, "spread", "far ones");
  const berth_strided_t *t;
  for (size_t k = 0; (t = berth_node_exchanges(n, k)); k++) print_packing(&all, t);
}
