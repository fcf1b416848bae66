/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of trees, for who makes a topology of another one. */
#ifndef BERTH_TOPO_COPY_H
#define BERTH_TOPO_COPY_H

#include <berth/topo.h>

/* Adds all elements of `from` to `to`, which has types but no element yet, and finishes it. type_of
 * has the type in `to` for each element (PUs are skipped); NULL: types have the same numbers.
 * Returns the builder's code. */
int topo_copy_tree(berth_topo_t *to, const berth_topo_t *from, const int *type_of,
                   berth_error_t *err);

#endif
