/* SPDX-License-Identifier: BSD-3-Clause */
/* A request that isn't complete is a receive from the rank itself, which gets its message then:
 * both MPIs wait for these as for any other. MPICH 4.0's MPI_Waitall fails with generalized
 * requests that another thread completes, so these are only for operations that are done. */
#include "rma/rma_request.h"

#include "rma/rma.h"

enum { FIRST_TAG = 16384, TAGS = 16000 }; /* below 32767, behind those of mail.c */

static bool taken[TAGS];
static int next;

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

int request_done(MPI_Request *out)
{
  int rc = mpi.Grequest_start(query, release, cancel, NULL, out);
  return rc == MPI_SUCCESS ? mpi.Grequest_complete(*out) : rc;
}

int request_new(MPI_Request *out, int *tag)
{
  int looked = 0;
  while (taken[next] && looked++ < TAGS) next = (next + 1) % TAGS;
  if (taken[next]) return MPI_ERR_PENDING;
  *tag = FIRST_TAG + next;
  int rc = mpi.Irecv(NULL, 0, mpi.byte, rma_job.rank, *tag, rma_job.own, out);
  taken[next] = rc == MPI_SUCCESS;
  return rc;
}

void request_complete(int tag)
{
  MPI_Request sent;
  taken[tag - FIRST_TAG] = false;
  if (mpi.Isend(NULL, 0, mpi.byte, rma_job.rank, tag, rma_job.own, &sent) != MPI_SUCCESS ||
      mpi.Request_free(&sent) != MPI_SUCCESS)
    mpi.Abort(mpi.comm_world, 1); /* the program would wait for ever */
}
