/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls with a block of its own size for each rank; otherwise as calls.h. */
#ifndef BERTH_COLL_VARIED_CALLS_H
#define BERTH_COLL_VARIED_CALLS_H

#include "coll/calls.h"
#include "coll/coll_sides.h"

/* The side with blocks of all ranks has counts and displacements. What isn't significant at a rank
 * isn't looked at. */
int coll_gatherv(coll_comm_t *c, block_data_t from, block_data_t to, int root);
int coll_scatterv(coll_comm_t *c, block_data_t from, block_data_t to, int root);
int coll_allgatherv(coll_comm_t *c, block_data_t from, block_data_t to);

#endif
