/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls with a block for each rank; otherwise as calls.h. */
#ifndef BERTH_COLL_BLOCK_CALLS_H
#define BERTH_COLL_BLOCK_CALLS_H

#include "coll/calls.h"

/* Elements of a type: what a rank has of, or for, one rank. */
typedef struct block_data {
  void *data;
  int64_t count;
  MPI_Datatype type;
} block_data_t;

/* MPI_IN_PLACE is allowed where MPI allows it. What isn't significant at a rank isn't looked at. */
int coll_gather(coll_comm_t *c, block_data_t from, block_data_t to, int root);
int coll_scatter(coll_comm_t *c, block_data_t from, block_data_t to, int root);
int coll_allgather(coll_comm_t *c, block_data_t from, block_data_t to);

/* MPI_Reduce_scatter_block. */
int coll_reduce_block(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                      MPI_Op op);

#endif
