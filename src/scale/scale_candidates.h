/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations that may explain a unit. */
#ifndef BERTH_SCALE_CANDIDATES_H
#define BERTH_SCALE_CANDIDATES_H

#include "scale/scale_internal.h"

typedef struct scale_candidates {
  scale_job_t *job;
  const scale_unit_t *unit;
  const scale_family_t *family;
  unsigned periodic; /* dimensions of two ranks that are taken as periodic */
  bool *explained;   /* which pairs of the last trace */
  size_t open;       /* how many of them aren't */
  int n;             /* relations that were accepted; steps come first */
  scale_relation_t relation[SCALE_RELATIONS];
} scale_candidates_t;

/* Tries all that the last trace may have. Steps are at the beginning of the list afterwards. */
void scale_candidates_try(scale_candidates_t *c, bool lines_first);

/* --- pairs of a relation in a trace (scale_pairs.c) --- */

typedef struct scale_walk {
  const scale_cell_t *cell;
  const grid_t *grid;
  const scale_relation_t *relation;
  int ranks, most, src, next;
  const scale_pair_t *pair; /* NULL: the trace doesn't have it */
  size_t index;             /* of the pair */
  scale_weight_t weight;
} scale_walk_t;

/* Walks over the pairs that the relation has, whether the trace has them or not. */
scale_walk_t scale_walk(const scale_candidates_t *c, const scale_relation_t *r, size_t trace);
bool scale_walk_next(scale_walk_t *w);

typedef struct scale_amounts {
  double pairs, missing, messages, bytes; /* of a pair of weight 1, on average */
} scale_amounts_t;

/* `claims`: how many relations each pair has, among which its amounts are divided; NULL: one. */
scale_amounts_t scale_measure(const scale_candidates_t *c, const scale_relation_t *r, size_t trace,
                              const int *claims);

/* What a pair counts for: messages without bytes do, too. */
double scale_amount(const scale_pair_t *p);

/* The part of a relation's pairs that a trace has, 0 if that is too small for anything, -1 if it
 * has no pairs there. */
double scale_holds(const scale_candidates_t *c, const scale_relation_t *r, size_t trace);

/* Accepts a relation if it holds in all traces and explains something new. A twin needn't: it has
 * the same pairs as another one in the last trace, such as both directions in a ring of two. */
bool scale_try(scale_candidates_t *c, const scale_relation_t *r, bool twin);

/* The sizes of a relation's messages in the last trace. */
void scale_sizes_find(const scale_candidates_t *c, const scale_relation_t *r, scale_sizes_t *sizes);

#endif
