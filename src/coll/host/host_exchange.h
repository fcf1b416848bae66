/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks from every member to every member of those that share memory. These return MPI_ERR_INTERN
 * if another member's memory can't be read. */
#ifndef BERTH_COLL_HOST_EXCHANGE_H
#define BERTH_COLL_HOST_EXCHANGE_H

#include "coll/host/host_calls.h"

/* At most so many members can exchange blocks: a room has an entry for each. */
enum { HOST_EXCHANGERS = TWO_LEVELS_SLICERS };

typedef struct host_block {
  char *data;
  size_t bytes;
} host_block_t;

/* Two lists for the next exchange, with a block for each member, all empty. They belong to the
 * host. False: out of memory. */
typedef struct host_lists {
  host_block_t *give, *get;
} host_lists_t;
bool host_lists(host_t *h, host_lists_t *out);

/* This member gives give[i] to member i, and gets get[i] of it, as long as what that member gives.
 * Blocks of 0 bytes have no address. Members may give the same block to several, but nothing that
 * they get into. A member's block for itself is copied, if it isn't there already. */
int host_exchange(host_t *h, const host_lists_t *l);

/* All blocks have so many bytes, and lie one behind the other. `in` and `out` are apart. */
int host_alltoall(host_t *h, const char *in, char *out, size_t bytes);

#endif
