/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth show` says of a pattern: totals over all occurrences of its phases. Messages, calls
 * and bytes are doubles, since counts times repeats may be beyond 2^64. */
#ifndef BERTH_CLI_SHOW_H
#define BERTH_CLI_SHOW_H

#include <berth/pattern.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct show_amount {
  double messages, bytes;
} show_amount_t;

typedef struct show_pair {
  int src, dst;
  show_amount_t sum;
} show_pair_t;

typedef struct show_site {
  int id;                    /* 0: messages without a site */
  const berth_site_t *known; /* NULL where the pattern has no line for it */
  show_amount_t sum;
} show_site_t;

/* Messages of `least` to `most` bytes: a power of two and all below the next. */
typedef struct show_size {
  uint64_t least, most;
  show_amount_t sum;
} show_size_t;
enum { SHOW_SIZES = 55 }; /* 0, and 2^0 to 2^53 */

typedef struct show_phase {
  const berth_phase_t *phase;
  show_amount_t once; /* in one occurrence */
} show_phase_t;

/* Calls of one collective operation. */
typedef struct show_coll {
  const char *op;
  double calls, bytes; /* bytes: of all calls at one rank */
  bool has_parts;      /* ranks gave unlike amounts: */
  int most, least;     /* who gave most and least of those who took part, */
  double most_bytes, least_bytes;
  size_t rows; /* and of how many ranks it is known what they sent to each */
} show_coll_t;

/* One-sided operations of a kind on a window between synchronisations of a kind. */
typedef struct show_rma {
  int win;
  const char *op, *sync;
  double operations, bytes, epochs; /* epochs: of all ranks and call sites together */
} show_rma_t;

typedef struct show {
  const berth_pattern_t *pattern;
  show_amount_t all;
  show_pair_t *pairs; /* by bytes, then messages, the most first; sizes and sites added up */
  size_t n_pairs;
  show_site_t *sites; /* likewise */
  size_t n_sites;
  show_size_t sizes[SHOW_SIZES];
  show_phase_t *phases; /* as in the pattern */
  size_t n_phases;
  show_coll_t *colls; /* by operation's name */
  size_t n_colls;
  show_rma_t *rmas; /* by window, synchronisation, operation */
  size_t n_rmas;
  double *sent;                      /* bytes of each rank */
  int partners_least, partners_most; /* of a rank: how many it sends to */
} show_t;

/* Adds everything up. Free with show_clear, also after a failure. */
int show_init(show_t *s, const berth_pattern_t *p, berth_error_t *err);
void show_clear(show_t *s);

/* How many of n are listed where `top` is asked for: 0 is all. */
static inline size_t show_listed(size_t n, size_t top) { return top && top < n ? top : n; }

/* The first `top` pairs, sites and phases; 0 for all. */
void show_print(const show_t *s, size_t top);
int show_json(const show_t *s, const char *path, size_t top, berth_error_t *err);

/* The matrix of bytes as a picture of characters (show_matrix.c). */
void show_print_matrix(const show_t *s);

#endif
