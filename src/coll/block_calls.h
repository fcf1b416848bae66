/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls with a block for each rank; otherwise as calls.h. */
#ifndef BERTH_COLL_BLOCK_CALLS_H
#define BERTH_COLL_BLOCK_CALLS_H

#include "coll/calls.h"
#include "coll/coll_sides.h"

/* MPI_IN_PLACE is allowed where MPI allows it. What isn't significant at a rank isn't looked at. */
int coll_gather(coll_comm_t *c, block_data_t from, block_data_t to, int root);
int coll_scatter(coll_comm_t *c, block_data_t from, block_data_t to, int root);
int coll_allgather(coll_comm_t *c, block_data_t from, block_data_t to);

#endif
