/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions whose result is the same on any hosts. Most operations are carried out in the order of
 * ranks: each rank gets a slice of all vectors. Long sums of floats and doubles are sums of whole
 * numbers (fixed_sum.h). */
#ifndef BERTH_COLL_ORDERED_CALLS_H
#define BERTH_COLL_ORDERED_CALLS_H

#include "coll/coll_sides.h"

enum { ORDERED_EACH = -1 }; /* in place of a root: each rank gets the result */

/* Whether a reduction of n elements has to be one of these: the user wants the same result
 * everywhere, or the operation isn't commutative, and ranks aren't in the order of their hosts.
 * `slices`: so is one of which each rank gets a part. All ranks find the same. */
bool ordered_needed(const coll_comm_t *c, const reduction_t *r, size_t n, bool slices);
/* The same of a scan, which depends on the order of ranks whatever the operation. */
bool ordered_scan_needed(const coll_comm_t *c, const reduction_t *r);

/* `in` may be `out`. They return the MPI's code. */
int ordered_reduce(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r,
                   int root);
/* Rank i gets the elements from first[i] up to first[i + 1]. `in` and `out` are apart. */
int ordered_blocks(coll_comm_t *c, const void *in, void *out, const size_t *first,
                   const reduction_t *r);
int ordered_scan(coll_comm_t *c, const void *in, void *out, size_t n, bool exclusive,
                 const reduction_t *r);

#endif
