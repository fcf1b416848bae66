/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern added up: totals over all occurrences of its phases. Messages, calls
 * and bytes are doubles, since counts times repeats may be beyond 2^64. */
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
  int id;                    /* 0: messages without a site */
  const berth_site_t *known; /* NULL where the pattern has no line for it */
  summary_amount_t sum;
} summary_site_t;

/* Messages of `least` to `most` bytes: a power of two and all below the next. */
typedef struct summary_size {
  uint64_t least, most;
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
  double calls, bytes; /* bytes: of all calls at one rank */
  bool has_parts;      /* ranks gave unlike amounts: */
  int most, least;     /* who gave most and least of those who took part, */
  double most_bytes, least_bytes;
  size_t rows; /* and of how many ranks it is known what they sent to each */
} summary_coll_t;

/* One-sided operations of a kind on a window between synchronisations of a kind. */
typedef struct summary_rma {
  int win;
  const char *op, *sync;
  double operations, bytes, epochs; /* epochs: of all ranks and call sites together */
} summary_rma_t;

typedef struct summary {
  const berth_pattern_t *pattern;
  summary_amount_t all;
  summary_pair_t *pairs; /* by bytes, then messages, the most first; sizes and sites added up */
  size_t n_pairs;
  summary_site_t *sites; /* likewise */
  size_t n_sites;
  summary_size_t sizes[SUMMARY_SIZES];
  summary_phase_t *phases; /* as in the pattern */
  size_t n_phases;
  summary_coll_t *colls; /* by operation's name */
  size_t n_colls;
  summary_rma_t *rmas; /* by window, synchronisation, operation */
  size_t n_rmas;
  double *sent;                      /* bytes of each rank */
  int partners_least, partners_most; /* of a rank: how many it sends to */
} summary_t;

/* Adds everything up. Free with summary_clear, also after a failure. */
int summary_init(summary_t *s, const berth_pattern_t *p, berth_error_t *err);
void summary_clear(summary_t *s);

#endif
