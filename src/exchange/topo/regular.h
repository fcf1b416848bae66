/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular trees: all elements of a level have the same number of children. The distance of two PUs
 * depends only on the level at which their ways meet. */
#ifndef BERTH_EXCHANGE_TOPO_REGULAR_H
#define BERTH_EXCHANGE_TOPO_REGULAR_H

#include <berth/topo.h>

enum { REGULAR_MAX_LEVELS = 64 };

/* From the innermost level outwards. */
typedef struct regular {
  int n;
  int arity[REGULAR_MAX_LEVELS];
  double distance[REGULAR_MAX_LEVELS]; /* not decreasing */
} regular_t;

/* A topology in which a byte between two PUs costs their distance in model `sum`. Elements below
 * the root are hosts; if there is only one level, the root is. `file` is for errors. */
berth_topo_t *regular_build(const regular_t *r, const char *file, const char *name,
                            berth_error_t *err);

/* The distances that a topology's capacities define. Fails if it isn't regular. */
int regular_of(const berth_topo_t *t, regular_t *r, berth_error_t *err);

#endif
