/* SPDX-License-Identifier: BSD-3-Clause */
/* While the speaker of a host exchanges messages with other hosts, the other members do what it
 * orders: they take parts of its output that are there, or reduce parts of their inputs. M.-S. Wu
 * (2005), section 3.3.3: shared memory operations between two sends. */
#ifndef BERTH_COLL_HOST_ORDERS_H
#define BERTH_COLL_HOST_ORDERS_H

#include "base/spans.h"
#include "coll/host/host_calls.h"

/* The speaker's side of a call. */
typedef struct host_orders {
  host_t *h;
  size_t element; /* bytes */
  const char *in; /* this member's vector, as the others' */
  const char *out;
  const reduction_t *reduce;
} host_orders_t;

/* The members reduce a part of their vectors, to `to` of the speaker. Returns the MPI's code. */
int host_order_reduction(const host_orders_t *o, span_t part, void *to);
/* The members take a part of `out`, as much as a room has if they can't read the speaker's memory:
 * returns the elements. If `waits` isn't set, and members are late, they take none. */
int64_t host_order_copy(const host_orders_t *o, span_t part, bool waits);
/* There are no more orders. Returns when members need `out` no more. */
void host_order_end(const host_orders_t *o);

/* The other members: until the speaker's orders end. Parts have the same numbers in `in` and `out`
 * as the speaker's. Returns the MPI's code. */
int host_follow(host_t *h, int speaker, const void *in, void *out, size_t element,
                const reduction_t *r);

#endif
