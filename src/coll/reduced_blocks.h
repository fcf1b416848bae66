/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of which each rank gets a block; otherwise as calls.h. */
#ifndef BERTH_COLL_REDUCED_BLOCKS_H
#define BERTH_COLL_REDUCED_BLOCKS_H

#include "coll/calls.h"
#include "coll/coll_sides.h"

/* MPI_Reduce_scatter. */
int coll_reduce_scatter(coll_comm_t *c, const void *in, void *out, amounts_t counts,
                        MPI_Datatype type, MPI_Op op);
/* MPI_Reduce_scatter_block: each rank gets `count` elements. */
int coll_reduce_block(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                      MPI_Op op);
/* The same of a reduction that is served: rank i gets the elements from first[i] up to
 * first[i + 1]. `in` and `out` are apart. */
int coll_reduce_blocks_of(coll_comm_t *c, const void *in, void *out, const size_t *first,
                          const reduction_t *r);

#endif
