/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured numbers of a topology, and the topology as it were if one of them was off by its
 * spread. */
#ifndef BERTH_TOPO_SHIFT_H
#define BERTH_TOPO_SHIFT_H

#include <berth/topo.h>
#include <stdbool.h>

/* A number is a curve as a whole, since what disturbed its measurement disturbed all its points,
 * or a capacity. Capacities that agree in value, spread, samples and origin are one measurement
 * that stands in several places. A capacity that was not measured and is its curve's largest
 * bandwidth belongs to the curve. The points of a curve that were measured, but whose spread isn't
 * known, are a number of their own; a measurement without a spread that is off by a factor of two
 * shows what depends on it. */
typedef struct topo_shift topo_shift_t;

/* t is borrowed. NULL when memory is out. */
topo_shift_t *topo_shift_new(const berth_topo_t *t, berth_error_t *err);
void topo_shift_free(topo_shift_t *s);
size_t topo_shift_count(const topo_shift_t *s);
/* Whether the spread of the k-th number is known. */
bool topo_shift_is_known(const topo_shift_t *s, size_t k);

/* The topology with its k-th number times 1 + spread (up) or divided by it. It is borrowed and
 * changes with the next call. */
const berth_topo_t *topo_shift(topo_shift_t *s, size_t k, bool up);

#endif
