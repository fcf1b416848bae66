/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's requests of single operations: MPI's generalized ones, so that they complete in any
 * of its functions. */
#ifndef BERTH_RMA_REQUEST_H
#define BERTH_RMA_REQUEST_H

#include "interpose/mpi_table.h"

/* One that is complete. Returns the MPI's code. */
int request_done(MPI_Request *out);
/* One that request_complete completes, in any thread. */
int request_new(MPI_Request *out);
void request_complete(MPI_Request request);

#endif
