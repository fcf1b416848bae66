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
  int n;             /* relations that were accepted; steps come first */
  scale_relation_t relation[SCALE_RELATIONS];
} scale_candidates_t;

/* Tries all that the last trace may have. Steps are at the beginning of the list afterwards. */
void scale_candidates_try(scale_candidates_t *c, bool lines_first);

/* The part of a relation's pairs that a trace has, -1 if it has no pairs there. *fresh: those that
 * nothing explains yet, in the last trace. */
double scale_holds(const scale_candidates_t *c, const scale_relation_t *r, size_t trace,
                   double *fresh);

/* Accepts a relation if it holds in all traces and explains something new. A twin needn't: it has
 * the same pairs as another one in the last trace, such as both directions in a ring of two. */
bool scale_try(scale_candidates_t *c, const scale_relation_t *r, bool twin);

/* The sizes of a relation's messages in the last trace. */
void scale_sizes_find(const scale_candidates_t *c, const scale_relation_t *r, scale_sizes_t *sizes);

#endif
