/* SPDX-License-Identifier: BSD-3-Clause */
/* The weights of graphs' edges. Tools of graphs add them up, mostly in 32 bits, and don't look
 * whether that overflows: where bytes are too many, weights stand for more than a byte each. The
 * file says for how many, in a line that the tools pass over. */
#ifndef BERTH_EXCHANGE_PATTERN_WEIGHTS_H
#define BERTH_EXCHANGE_PATTERN_WEIGHTS_H

#include "base/out_file.h"
#include "exchange/pattern/traffic.h"
#include "exchange/text/scan.h"

/* Writes a graph by `put`: its edges as traffic_undirected has them, with weights, at least 1, in
 * place of bytes. */
typedef void weights_put_t(out_file_t *out, int ranks, const flow_total_t *edge, size_t n,
                           uint64_t unit);
int weights_export(const berth_pattern_t *p, uint64_t unit, const char *path, weights_put_t *put,
                   berth_error_t *err);

/* The line that names a unit; none where it is 1. */
void weights_put_unit(out_file_t *out, uint64_t unit);

/* Takes the unit of such a line; a line of any other kind leaves *unit as it is. */
int weights_read_unit(scan_t *s, uint64_t *unit, berth_error_t *err);

/* A graph's edge from one of its ends. */
typedef struct weights_arc {
  int src, dst;
  uint64_t weight;
} weights_arc_t;

/* Adds its half of the edge's bytes; fails where those are more than 2^53. */
int weights_add(traffic_t *t, const berth_import_t *in, const scan_t *s, uint64_t unit,
                const weights_arc_t *arc, berth_error_t *err);

#endif
