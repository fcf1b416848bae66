/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/request.h"

static int query(void *state, MPI_Status *status)
{
  (void)state;
  chain_own_begin();
  mpi.Status_set_elements(status, mpi.byte, 0);
  mpi.Status_set_cancelled(status, 0);
  chain_own_end();
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int release(void *state)
{
  (void)state;
  return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
  (void)state, (void)complete;
  return MPI_SUCCESS; /* operations can't be cancelled */
}

int request_new(MPI_Request *out) { return mpi.Grequest_start(query, release, cancel, NULL, out); }

int request_done(MPI_Request *out)
{
  int rc = request_new(out);
  return rc == MPI_SUCCESS ? mpi.Grequest_complete(*out) : rc;
}

void request_complete(MPI_Request request) { mpi.Grequest_complete(request); }
