/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes Scotch's graph files (its user's guide, version 7, section 5.1).
 * They have a version, 0; the numbers of vertices and arcs; the number of the first vertex; digits
 * that say whether vertices have labels, and arcs and vertices have weights. Then follow each
 * vertex's label, weight and degree, and each of its arcs' weight and end. Both arcs of an edge
 * have the same weight: the bytes between its ends, in both directions. The format has no comments.
 * Scotch ignores what follows the last arc, so berth puts the unit of weights there. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "exchange/exchange_internal.h"
#include "exchange/pattern/weights.h"

typedef struct graph {
  scan_t *scan;
  uint64_t vertices, arcs, base, format;
  weights_arc_t *arc;
  size_t n, cap;
  uint64_t unit; /* bytes of a weight of 1 */
} graph_t;

/* Reads the next number, on this line or a later one. */
static int next(graph_t *g, const char *what, uint64_t min, uint64_t max, uint64_t *out,
                berth_error_t *err)
{
  bool more = true;
  int rc = BERTH_OK;
  while (!rc && more && (!g->scan->at || !scan_left(g->scan))) rc = scan_line(g->scan, &more, err);
  if (!rc && !more)
    return scan_fail(g->scan, err, "%s: found the end of the file, expected a number", what);
  return rc ? rc : scan_u64(g->scan, 0, what, min, max, out, err);
}

static int read_head(graph_t *g, berth_error_t *err)
{
  uint64_t version;
  int rc = next(g, "version", 0, 0, &version, err);
  if (!rc) rc = next(g, "vertices", 1, BERTH_MAX_RANKS, &g->vertices, err);
  if (!rc) rc = next(g, "arcs", 0, UINT64_C(1) << 48, &g->arcs, err);
  if (!rc) rc = next(g, "number of the first vertex", 0, 1, &g->base, err);
  if (!rc) rc = next(g, "format", 0, 111, &g->format, err);
  if (!rc && (g->format % 10 > 1 || g->format / 10 % 10 > 1))
    rc = scan_fail(g->scan, err, "format: found %llu, expected digits 0 and 1",
                   (unsigned long long)g->format);
  return rc;
}

static int read_vertex(graph_t *g, int vertex, berth_error_t *err)
{
  uint64_t ignored, degree = 0, to, weight = 1;
  int rc = g->format / 100 ? next(g, "label", 0, BERTH_MAX_AMOUNT, &ignored, err) : BERTH_OK;
  if (!rc && g->format % 10) rc = next(g, "a vertex's weight", 0, BERTH_MAX_AMOUNT, &ignored, err);
  if (!rc) rc = next(g, "degree", 0, g->vertices, &degree, err);
  for (uint64_t i = 0; i < degree && !rc; i++) {
    if (g->format / 10 % 10) rc = next(g, "an arc's weight", 0, BERTH_MAX_AMOUNT, &weight, err);
    if (!rc) rc = next(g, "an arc's end", g->base, g->base + g->vertices - 1, &to, err);
    if (rc) break;
    if (!ARRAY_ADD(&g->arc, &g->n, &g->cap, (weights_arc_t){vertex, (int)(to - g->base), weight}))
      return no_memory(err);
  }
  return rc;
}

static int read_graph(scan_t *s, const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  bool more = true;
  graph_t g = {.scan = s, .unit = 1};
  int rc = read_head(&g, err);
  if ((int)g.vertices > into->ranks) into->ranks = (int)g.vertices;
  for (int v = 0; v < (int)g.vertices && !rc; v++) rc = read_vertex(&g, v, err);
  if (!rc && g.n != g.arcs)
    rc = scan_fail(s, err, "found %zu arcs, expected %llu", g.n, (unsigned long long)g.arcs);
  while (!rc && !(rc = scan_line(s, &more, err)) && more) rc = weights_read_unit(s, &g.unit, err);
  for (size_t i = 0; i < g.n && !rc; i++) rc = weights_add(into, in, s, g.unit, &g.arc[i], err);
  free(g.arc);
  return rc;
}

int scotch_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  return formats_import_one(in, read_graph, into, err);
}

static void put_graph(out_file_t *out, int ranks, const flow_total_t *edge, size_t n, uint64_t unit)
{
  size_t at = 0;
  out_printf(out, "0\n%d %zu\n0 010\n", ranks, n);
  for (int r = 0; r < ranks; r++) {
    size_t end = at;
    while (end < n && edge[end].src == r) end++;
    out_printf(out, "%zu", end - at);
    for (; at < end; at++)
      out_printf(out, " %llu %d", (unsigned long long)edge[at].bytes, edge[at].dst);
    out_text(out, "\n");
  }
  weights_put_unit(out, unit);
}

int scotch_export(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err)
{
  return weights_export(p, unit, path, put_graph, err);
}
