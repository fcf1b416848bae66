/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls with a block for each pair of ranks; otherwise as calls.h. */
#ifndef BERTH_COLL_PAIR_CALLS_H
#define BERTH_COLL_PAIR_CALLS_H

#include "coll/calls.h"
#include "coll/coll_sides.h"

int coll_alltoall(coll_comm_t *c, block_data_t from, block_data_t to);
/* Both sides have counts and displacements. */
int coll_alltoallv(coll_comm_t *c, block_data_t from, block_data_t to);

#endif
