/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured numbers of a topology, and variants of it in which one of them is off by its
 * spread. */
#ifndef BERTH_TOPO_SHIFT_H
#define BERTH_TOPO_SHIFT_H

#include <berth/topo.h>
#include <stdbool.h>

/* What counts as one number:
 * - A curve as a whole, because a disturbance affects all its points.
 * - A capacity. Equal capacities with equal spread, samples and origin are the same measurement. A
 *   capacity that wasn't measured and equals its curve's largest bandwidth belongs to the curve.
 * - The points of a curve that were measured without a known spread. Shifting them by a factor of
 *   two shows what depends on them. */
typedef struct topo_shift topo_shift_t;

/* Borrows t. NULL when memory is out. */
topo_shift_t *topo_shift_new(const berth_topo_t *t, berth_error_t *err);
void topo_shift_free(topo_shift_t *s);
size_t topo_shift_count(const topo_shift_t *s);
/* Whether the spread of the k-th number is known. */
bool topo_shift_is_known(const topo_shift_t *s, size_t k);

/* The topology with its k-th number multiplied by 1 + spread (up) or divided by it. It is borrowed,
 * and the next call changes it. */
const berth_topo_t *topo_shift(topo_shift_t *s, size_t k, bool up);

#endif
