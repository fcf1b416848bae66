/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts bytes to weights of graph edges and back. */
#include "exchange/pattern/weights.h"

#include <stdlib.h>

#include "base/text.h"
#include "exchange/exchange_internal.h"

static const char unit_line[] = "% a weight of 1 is";

/* Rounded, but at least 1: tools refuse edges of weight 0. */
static uint64_t weight_of(const flow_total_t *edge, uint64_t unit)
{
  uint64_t weight = edge->bytes / unit + (edge->bytes % unit >= unit - unit / 2);
  return weight ? weight : 1;
}

/* The list has each edge at both ends. */
static bool fits(const flow_total_t *edge, size_t n, uint64_t unit, uint64_t below)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++)
    if (__builtin_add_overflow(sum, weight_of(&edge[i], unit), &sum) || sum >= below) return false;
  return true;
}

/* The largest unit that divides all weights. */
static uint64_t common_unit(const flow_total_t *edge, size_t n)
{
  uint64_t unit = 0;
  for (size_t i = 0; i < n && unit != 1; i++)
    for (uint64_t rest = weight_of(&edge[i], 1); rest;) {
      uint64_t larger = unit;
      unit = rest;
      rest = larger % rest;
    }
  return unit ? unit : 1;
}

/* The smallest unit that keeps the limit, between one that exceeds it and one that doesn't. */
static uint64_t min_unit(const flow_total_t *edge, size_t n, uint64_t low, uint64_t high,
                         uint64_t below)
{
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (fits(edge, n, middle, below))
      high = middle;
    else
      low = middle;
  }
  return high;
}

static int choose_unit(const flow_total_t *edge, size_t n, uint64_t below, uint64_t *unit,
                       berth_error_t *err)
{
  uint64_t max = 1;
  *unit = 1;
  if (fits(edge, n, *unit, below)) return BERTH_OK;
  *unit = common_unit(edge, n);
  if (fits(edge, n, *unit, below)) return BERTH_OK;
  for (size_t i = 0; i < n; i++)
    if (edge[i].bytes > max) max = edge[i].bytes;
  if (n >= below)
    return berth_fail(err, BERTH_BAD_INPUT, "found %zu edges, expected less than %llu of a graph",
                      n / 2, (unsigned long long)below / 2);
  *unit = min_unit(edge, n, *unit, max, below);
  return BERTH_OK;
}

int berth_exchange_unit(const berth_exchange_t *format, const berth_pattern_t *p, uint64_t *unit,
                        int *rounded, berth_error_t *err)
{
  size_t n;
  flow_total_t *edge;
  *rounded = 0;
  int rc = traffic_undirected(p, &edge, &n, err);
  if (!rc && *unit == 0) rc = choose_unit(edge, n, format->weights_below, unit, err);
  if (!rc) *rounded = common_unit(edge, n) % *unit != 0;
  free(edge);
  return rc;
}

int weights_export(const berth_pattern_t *p, uint64_t unit, const char *path, weights_put_t *put,
                   berth_error_t *err)
{
  size_t n;
  flow_total_t *edge;
  if (unit == 0) return berth_fail(err, BERTH_USAGE, "`unit`: found 0 bytes, expected at least 1");
  int rc = traffic_undirected(p, &edge, &n, err);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (!rc && !out) rc = BERTH_MISSING;
  for (size_t i = 0; i < n && !rc; i++) edge[i].bytes = weight_of(&edge[i], unit);
  if (!rc) {
    put(out, berth_pattern_ranks(p), edge, n, unit);
    rc = out_commit(out, err);
  }
  free(edge);
  return rc;
}

void weights_put_unit(out_file_t *out, uint64_t unit)
{
  if (unit != 1) out_printf(out, "%s %llu bytes\n", unit_line, (unsigned long long)unit);
}

int weights_read_unit(scan_t *s, uint64_t *unit, berth_error_t *err)
{
  if (!text_starts(s->at, unit_line)) return BERTH_OK;
  s->at += sizeof unit_line - 1;
  return scan_u64(s, 0, "unit of weights", 1, BERTH_MAX_AMOUNT, unit, err);
}

int weights_add(traffic_t *t, const berth_import_t *in, const scan_t *s, uint64_t unit,
                const weights_arc_t *arc, berth_error_t *err)
{
  uint64_t bytes;
  if (__builtin_mul_overflow(arc->weight, unit, &bytes) || bytes > BERTH_MAX_AMOUNT)
    return scan_fail(s, err, "found weight %llu of %llu bytes each, expected at most 2^53 bytes",
                     (unsigned long long)arc->weight, (unsigned long long)unit);
  return traffic_add_half(t, in, arc->src, arc->dst, bytes, err);
}
