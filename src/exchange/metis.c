/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS's graph files (its manual, version 5, section 4.1.1): ranks are vertices, and an edge
 * weighs the bytes that go between its ends, in both directions together. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange_internal.h"
#include "exchange/weights.h"

typedef struct graph {
  scan_t scan;
  uint64_t vertices, edges, weights; /* of a vertex */
  bool has_sizes, has_vertex_weights, has_edge_weights;
  uint64_t unit;   /* bytes of a weight of 1 */
  uint64_t listed; /* edges, from both of their ends */
} graph_t;

/* The next line that is no comment; an empty one is a vertex without edges. */
static int next_line(graph_t *g, bool *more, berth_error_t *err)
{
  int rc;
  while (!(rc = scan_line(&g->scan, more, err)) && *more && *g->scan.at == '%')
    if ((rc = weights_read_unit(&g->scan, &g->unit, err))) break;
  return rc;
}

static int read_head(graph_t *g, berth_error_t *err)
{
  bool more;
  uint64_t format = 0;
  scan_t *s = &g->scan;
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

/* Of what both directions of an edge have; the two halves differ by a byte where that is odd. */
static int add_half(graph_t *g, const berth_import_t *in, int from, int to, uint64_t bytes,
                    traffic_t *out, berth_error_t *err)
{
  g->listed++;
  return traffic_add_bytes(out, in, from, to, bytes / 2 + (from < to ? bytes % 2 : 0), err);
}

static int read_vertex(graph_t *g, const berth_import_t *in, uint64_t vertex, traffic_t *out,
                       berth_error_t *err)
{
  scan_t *s = &g->scan;
  int rc = BERTH_OK;
  uint64_t ignored, to;
  for (uint64_t i = 0; i < g->weights + g->has_sizes && !rc; i++)
    rc = scan_amount(s, 0, "a vertex's weight", &ignored, err);
  while (!rc && scan_left(s)) {
    uint64_t bytes = 1;
    rc = scan_u64(s, 0, "a neighbour", 1, g->vertices, &to, err);
    if (!rc && g->has_edge_weights) rc = scan_amount(s, 0, "an edge's weight", &bytes, err);
    if (!rc) rc = weights_to_bytes(s, g->unit, &bytes, err);
    if (!rc && to == vertex)
      return scan_fail(s, err, "found an edge from vertex %llu to itself, expected none",
                       (unsigned long long)to);
    if (!rc) rc = add_half(g, in, (int)vertex - 1, (int)to - 1, bytes, out, err);
  }
  return rc;
}

static int read_graph(graph_t *g, const berth_import_t *in, traffic_t *out, berth_error_t *err)
{
  bool more;
  int rc = read_head(g, err);
  out->ranks = (int)g->vertices;
  for (uint64_t v = 1; v <= g->vertices && !rc; v++) {
    rc = next_line(g, &more, err);
    if (!rc && !more)
      return scan_fail(&g->scan, err, "found %llu vertices, expected %llu",
                       (unsigned long long)v - 1, (unsigned long long)g->vertices);
    if (!rc) rc = read_vertex(g, in, v, out, err);
  }
  if (!rc && g->listed != 2 * g->edges)
    rc = scan_fail(&g->scan, err,
                   "found %llu ends of edges, expected %llu: each edge from both of its ends",
                   (unsigned long long)g->listed, (unsigned long long)(2 * g->edges));
  return rc;
}

int metis_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  graph_t g = {.unit = 1};
  int rc = one_file(in, err);
  if (!rc) rc = scan_open(&g.scan, in->paths[0], err);
  if (!rc) rc = read_graph(&g, in, into, err);
  scan_close(&g.scan);
  return rc;
}

int metis_export(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err)
{
  size_t n, at = 0;
  flow_total_t *total;
  int rc = weights_of(p, unit, &total, &n, err), ranks = berth_pattern_ranks(p);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (out) {
    out_text(out, "% bytes between ranks, both directions together\n");
    weights_put_unit(out, unit);
    out_printf(out, "%d %zu 001\n", ranks, n / 2);
    for (int r = 0; r < ranks; r++) {
      for (const char *blank = ""; at < n && total[at].src == r; at++, blank = " ")
        out_printf(out, "%s%d %llu", blank, total[at].dst + 1, (unsigned long long)total[at].bytes);
      out_text(out, "\n");
    }
    rc = out_commit(out, err);
  } else if (!rc) {
    rc = BERTH_MISSING;
  }
  free(total);
  return rc;
}
