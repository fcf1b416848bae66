/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's requests of single operations: requests of the MPI's, so that they complete in any
 * of its functions. */
#ifndef BERTH_RMA_RMA_REQUEST_H
#define BERTH_RMA_RMA_REQUEST_H

#include "interpose/mpi_table.h"

/* One that is complete. Returns the MPI's code. */
int request_done(MPI_Request *out);
/* One that request_complete completes, in any thread: *tag says which. The caller has the lock of
 * rma_progress.h. MPI_ERR_PENDING: there are too many; some have to complete first. */
int request_new(MPI_Request *out, int *tag);
void request_complete(int tag);

#endif
