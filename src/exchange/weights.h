/* SPDX-License-Identifier: BSD-3-Clause */
/* The weights of graphs' edges. Tools of graphs add them up, mostly in 32 bits, and don't look
 * whether that overflows: where bytes are too many, weights stand for more than a byte each. The
 * file says for how many, in a line that the tools pass over. */
#ifndef BERTH_EXCHANGE_WEIGHTS_H
#define BERTH_EXCHANGE_WEIGHTS_H

#include "base/file_out.h"
#include "exchange/scan.h"
#include "exchange/traffic.h"

/* The edges of p as traffic_undirected has them, with weights of that unit, at least 1, in place of
 * bytes. The caller frees *out. */
int weights_of(const berth_pattern_t *p, uint64_t unit, flow_total_t **out, size_t *n,
               berth_error_t *err);

/* The line that names a unit; none where it is 1. */
void weights_put_unit(out_file_t *out, uint64_t unit);

/* Takes the unit of such a line; a line of any other kind leaves *unit as it is. */
int weights_read_unit(scan_t *s, uint64_t *unit, berth_error_t *err);

/* Turns a weight into bytes; fails where those are more than 2^53. */
int weights_to_bytes(const scan_t *s, uint64_t unit, uint64_t *weight, berth_error_t *err);

#endif
