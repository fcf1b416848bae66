/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals of a pattern, over all occurrences of its phases. Messages, calls and bytes are doubles,
 * because counts times repeats may exceed 2^64. */
#ifndef BERTH_PATTERN_SUMMARY_H
#define BERTH_PATTERN_SUMMARY_H

#include <berth/pattern.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct summary_amount {
  double messages, bytes;
} summary_amount_t;

typedef struct summary_pair {
  int src, dst;
  summary_amount_t sum;
} summary_pair_t;

typedef struct summary_site {
  int id;                    /* 0: messages without a call site */
  const berth_site_t *known; /* NULL if the pattern has no line for it */
  summary_amount_t sum;
} summary_site_t;

/* Messages of `min` to `max` bytes: from a power of two to below the next. */
typedef struct summary_size {
  uint64_t min, max;
  summary_amount_t sum;
} summary_size_t;
enum { SUMMARY_SIZES = 55 }; /* 0, and 2^0 to 2^53 */

typedef struct summary_phase {
  const berth_phase_t *phase;
  summary_amount_t once; /* in one occurrence */
} summary_phase_t;

/* Calls of one collective operation. */
typedef struct summary_coll {
  const char *op;
  double calls, bytes;    /* bytes: of all calls at one rank */
  bool has_parts;         /* ranks gave different amounts, and: */
  int max_rank, min_rank; /* the ranks that gave most and least, of those that took part */
  double max_bytes, min_bytes;
  size_t rows; /* ranks whose bytes to each other rank are known */
} summary_coll_t;

/* One-sided operations of one kind on a window, between synchronisations of one kind. */
typedef struct summary_rma {
  int win;
  const char *op, *sync;
  double operations, bytes, epochs; /* epochs: summed over ranks and call sites */
} summary_rma_t;

typedef struct summary {
  const berth_pattern_t *pattern;
  summary_amount_t all;
  summary_pair_t *pairs; /* by bytes, then messages, descending; sizes and sites are merged */
  size_t n_pairs;
  summary_site_t *sites; /* in the same order */
  size_t n_sites;
  summary_size_t sizes[SUMMARY_SIZES];
  summary_phase_t *phases; /* in the pattern's order */
  size_t n_phases;
  summary_coll_t *colls; /* by name of the operation */
  size_t n_colls;
  summary_rma_t *rmas; /* by window, synchronisation and operation */
  size_t n_rmas;
  double *sent;                   /* bytes sent by each rank */
  int partners_min, partners_max; /* how many ranks a rank sends to */
} summary_t;

/* Computes all totals. Free with summary_clear, also after a failure. */
int summary_init(summary_t *s, const berth_pattern_t *p, berth_error_t *err);
void summary_clear(summary_t *s);

#endif
