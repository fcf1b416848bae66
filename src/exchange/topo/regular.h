/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular trees: every element of a level has as many children, and how far two PUs are apart
 * depends on the level alone at which their ways meet. */
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

/* A topology in which one byte between two PUs costs their distance, in model `sum`. The elements
 * below the root are the hosts; of one level alone, the root. `file` names it in errors. */
berth_topo_t *regular_build(const regular_t *r, const char *file, const char *name,
                            berth_error_t *err);

/* The distances that a topology's capacities make. Fails where it is not regular. */
int regular_of(const berth_topo_t *t, regular_t *r, berth_error_t *err);

#endif
