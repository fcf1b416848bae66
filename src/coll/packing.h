/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of types with gaps, as bytes that follow one another. */
#ifndef BERTH_COLL_PACKING_H
#define BERTH_COLL_PACKING_H

#include "coll/coll.h"

/* Copies elements of `size` bytes of data each to or from `packed`. Returns the MPI's code. */
int packing_move(char *packed, char *data, int64_t count, MPI_Datatype type, size_t size,
                 bool unpacks);

/* How many bytes of data so many elements have; 0: the MPI refuses them. */
size_t packing_bytes(int64_t count, MPI_Datatype type);

#endif
