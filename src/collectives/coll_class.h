/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of a pattern by what they send: calls of one class differ in their call site
 * only. */
#ifndef BERTH_COLLECTIVES_COLL_CLASS_H
#define BERTH_COLLECTIVES_COLL_CLASS_H

#include <berth/pattern.h>

#include "schedule/schedule_rules.h"

typedef struct coll_class {
  int phase, comm;
  const char *op; /* as MPI calls it */
  schedule_request_t request;
  schedule_blocks_t *blocks; /* of the request, owned; NULL: they are equal */
  uint64_t calls;            /* in one occurrence of the phase and this group */
  int site;                  /* of the first of the calls */
  bool more_sites;           /* others have another one */
  int group;                 /* of classes whose calls run beside each other, from 0 */
  bool more;                 /* an earlier group has calls of the class, too (coll_groups.h) */
  int included;              /* their messages were added as this call; 0: they weren't */
} coll_class_t;

/* The classes of a pattern, group by group, *n of them. NULL: there was an error. Free with
 * coll_classes_free. */
coll_class_t *coll_classes(const berth_pattern_t *p, size_t *n, berth_error_t *err);
void coll_classes_free(coll_class_t *c, size_t n);

/* Compares two classes by all but their communicators and calls, for qsort. */
int coll_kind_order(const void *a, const void *b);

/* Says in the pattern which collectives are of included classes. Sorts the classes otherwise. */
int coll_classes_mark(coll_class_t *c, size_t n, berth_pattern_t *p, berth_error_t *err);

/* The number of ranks of a communicator; 0: the pattern doesn't say what it is. */
int coll_comm_size(const berth_pattern_t *p, int comm);
/* A rank of MPI_COMM_WORLD by its rank in a communicator of the pattern. NULL: they are the same.
 */
const int *coll_comm_ranks(const berth_pattern_t *p, int comm);

#endif
