/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes METIS's graph files (its manual, version 5, section 4.1.1).
 * Ranks are vertices. An edge's weight is the bytes between its ends, in both directions. */
#include "exchange/exchange_internal.h"
#include "exchange/pattern/weights.h"

typedef struct graph {
  scan_t *scan;
  uint64_t vertices, edges, weights; /* number of weights of a vertex */
  bool has_sizes, has_vertex_weights, has_edge_weights;
  uint64_t unit;   /* bytes of a weight of 1 */
  uint64_t listed; /* edges read so far, counted at both ends */
} graph_t;

/* Goes to the next line that isn't a comment; an empty line is a vertex without edges. */
static int next_line(graph_t *g, bool *more, berth_error_t *err)
{
  int rc;
  while (!(rc = scan_line(g->scan, more, err)) && *more && *g->scan->at == '%')
    if ((rc = weights_read_unit(g->scan, &g->unit, err))) break;
  return rc;
}

static int read_head(graph_t *g, berth_error_t *err)
{
  bool more;
  uint64_t format = 0;
  scan_t *s = g->scan;
  int rc = next_line(g, &more, err);
  if (!rc && !more) return scan_fail(s, err, "found an empty file, expected vertices and edges");
  if (!rc) rc = scan_u64(s, 0, "vertices", 1, BERTH_MAX_RANKS, &g->vertices, err);
  if (!rc) rc = scan_u64(s, 0, "edges", 0, UINT64_C(1) << 48, &g->edges, err);
  if (!rc && scan_left(s)) rc = scan_u64(s, 0, "format", 0, 111, &format, err);
  g->has_edge_weights = format % 10;
  g->has_vertex_weights = format / 10 % 10;
  g->has_sizes = format / 100;
  if (!rc && (format % 10 > 1 || format / 10 % 10 > 1))
    return scan_fail(s, err, "format: found %llu, expected digits 0 and 1",
                     (unsigned long long)format);
  g->weights = g->has_vertex_weights;
  if (!rc && scan_left(s)) rc = scan_u64(s, 0, "weights of a vertex", 0, 1000, &g->weights, err);
  return rc;
}

static int read_vertex(graph_t *g, const berth_import_t *in, uint64_t vertex, traffic_t *out,
                       berth_error_t *err)
{
  scan_t *s = g->scan;
  int rc = BERTH_OK;
  uint64_t ignored, to, weight = 1;
  for (uint64_t i = 0; i < g->weights + g->has_sizes && !rc; i++)
    rc = scan_amount(s, 0, "a vertex's weight", &ignored, err);
  while (!rc && scan_left(s)) {
    rc = scan_u64(s, 0, "a neighbour", 1, g->vertices, &to, err);
    if (!rc && g->has_edge_weights) rc = scan_amount(s, 0, "an edge's weight", &weight, err);
    if (!rc && to == vertex)
      return scan_fail(s, err, "found an edge from vertex %llu to itself, expected none",
                       (unsigned long long)to);
    if (rc) return rc;
    weights_arc_t arc = {(int)vertex - 1, (int)to - 1, weight};
    rc = weights_add(out, in, s, g->unit, &arc, err);
    g->listed++;
  }
  return rc;
}

static int read_graph(scan_t *s, const berth_import_t *in, traffic_t *out, berth_error_t *err)
{
  bool more;
  graph_t g = {.scan = s, .unit = 1};
  int rc = read_head(&g, err);
  if ((int)g.vertices > out->ranks) out->ranks = (int)g.vertices;
  for (uint64_t v = 1; v <= g.vertices && !rc; v++) {
    rc = next_line(&g, &more, err);
    if (!rc && !more)
      return scan_fail(s, err, "found %llu vertices, expected %llu", (unsigned long long)v - 1,
                       (unsigned long long)g.vertices);
    if (!rc) rc = read_vertex(&g, in, v, out, err);
  }
  if (!rc && g.listed != 2 * g.edges)
    rc = scan_fail(s, err,
                   "found %llu ends of edges, expected %llu: each edge from both of its ends",
                   (unsigned long long)g.listed, (unsigned long long)(2 * g.edges));
  return rc;
}

int metis_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  return formats_import_one(in, read_graph, into, err);
}

static void put_graph(out_file_t *out, int ranks, const flow_total_t *edge, size_t n, uint64_t unit)
{
  size_t at = 0;
  out_text(out, "% bytes between ranks, both directions together\n");
  weights_put_unit(out, unit);
  out_printf(out, "%d %zu 001\n", ranks, n / 2);
  for (int r = 0; r < ranks; r++) {
    for (const char *blank = ""; at < n && edge[at].src == r; at++, blank = " ")
      out_printf(out, "%s%d %llu", blank, edge[at].dst + 1, (unsigned long long)edge[at].bytes);
    out_text(out, "\n");
  }
}

int metis_export(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err)
{
  return weights_export(p, unit, path, put_graph, err);
}
