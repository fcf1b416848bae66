/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of ranks that share memory. Members are counted in the order of their ranks. */
#ifndef BERTH_COLL_HOST_CALLS_H
#define BERTH_COLL_HOST_CALLS_H

#include "coll/host/host.h"
#include "job/reduction.h"

enum { HOST_EACH = -1 }; /* in place of a root: each member gets the result */

void host_barrier(host_t *h);
/* The halves of a barrier: the leader knows that all are there; all know that the leader is. */
void host_arrive(host_t *h, int leader);
void host_release(host_t *h, int leader);

/* Returns MPI_ERR_INTERN if another member's memory can't be read, as all that return a code. */
int host_bcast(host_t *h, int root, void *data, size_t bytes);

/* Elements a0 op (a1 op (a2 …)) of the members' `in`, to `out` of the root or of each; these may be
 * the same. Others' `out` isn't looked at. Returns the MPI's code. Elements have HOST_ROOM bytes at
 * most. */
int host_reduce(host_t *h, int root, const void *in, void *out, size_t n, const reduction_t *r);

/* Reduces first[n] elements, of which member i gets those from first[i] up to first[i + 1] to
 * `out`, which isn't in `in`. Returns the MPI's code. */
int host_reduce_blocks(host_t *h, const void *in, void *out, const size_t *first,
                       const reduction_t *r);

/* Member i gets the reduction of the elements of members 0 to i to `out`, or to i - 1 if the scan
 * is exclusive: then the first member gets nothing. The last member gets that of all to `total`,
 * too, unless it is NULL. `in` may be `out`. Returns the MPI's code. */
int host_scan(host_t *h, const void *in, void *out, void *total, size_t n, bool exclusive,
              const reduction_t *r);

#endif
