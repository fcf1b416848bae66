/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of graph edges. Graph tools sum them up, usually in 32 bits, and don't notice overflows.
 * If there are too many bytes, a weight of 1 means several bytes. A line that the tools ignore says
 * how many. */
#ifndef BERTH_EXCHANGE_PATTERN_WEIGHTS_H
#define BERTH_EXCHANGE_PATTERN_WEIGHTS_H

#include "base/out_file.h"
#include "exchange/pattern/traffic.h"
#include "exchange/text/scan.h"

/* Writes a graph by `put`: the edges of traffic_undirected, with weights of at least 1 instead of
 * bytes. */
typedef void weights_put_t(out_file_t *out, int ranks, const flow_total_t *edge, size_t n,
                           uint64_t unit);
int weights_export(const berth_pattern_t *p, uint64_t unit, const char *path, weights_put_t *put,
                   berth_error_t *err);

/* Writes the line that names a unit; nothing if it is 1. */
void weights_put_unit(out_file_t *out, uint64_t unit);

/* Reads such a line. Any other line leaves *unit alone. */
int weights_read_unit(scan_t *s, uint64_t *unit, berth_error_t *err);

/* An edge of a graph, seen from one of its ends. */
typedef struct weights_arc {
  int src, dst;
  uint64_t weight;
} weights_arc_t;

/* Adds its half of the edge's bytes; fails if these exceed 2^53. */
int weights_add(traffic_t *t, const berth_import_t *in, const scan_t *s, uint64_t unit,
                const weights_arc_t *arc, berth_error_t *err);

#endif
