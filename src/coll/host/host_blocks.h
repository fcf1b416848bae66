/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with a block for each of the ranks that share memory, in the order of the members. These
 * return MPI_ERR_INTERN if another member's memory can't be read. */
#ifndef BERTH_COLL_HOST_BLOCKS_H
#define BERTH_COLL_HOST_BLOCKS_H

#include "coll/host/host_calls.h"

/* Each member's `in` to the `out` of the root or of each (HOST_EACH), one behind the other. `in`
 * may be where it goes. */
int host_gather(host_t *h, int root, const void *in, void *out, size_t bytes);
/* The root's `in`, of which each member gets its block to `out`. The root's `out` may be NULL: it
 * needs none. */
int host_scatter(host_t *h, int root, const void *in, void *out, size_t bytes);

#endif
