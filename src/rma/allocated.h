/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of MPI_Alloc_mem that the other ranks of the host can map: windows of MPI_Win_create in it
 * are as fast as those of MPI_Win_allocate. */
#ifndef BERTH_RMA_ALLOCATED_H
#define BERTH_RMA_ALLOCATED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/shared_file.h"
#include "interpose/mpi_table.h"

/* Where memory is, for other processes. */
typedef struct allocated_place {
  shared_file_t file; /* -1: nowhere */
  uint64_t bytes;     /* of the whole file */
  uint64_t offset;    /* where the memory begins in it */
} allocated_place_t;

/* NULL: the MPI allocates it. */
void *allocated_new(MPI_Aint size, MPI_Info info);
/* False: it isn't such memory. */
bool allocated_free(void *base);

/* Where these bytes are. They stay there until they are freed. */
allocated_place_t allocated_find(const void *base, size_t bytes);

#endif
