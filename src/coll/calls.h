/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of a communicator: what its hosts do inside, and their leaders between them. */
#ifndef BERTH_COLL_CALLS_H
#define BERTH_COLL_CALLS_H

#include "coll/coll.h"

/* These return the MPI's code, or PASS_ON: the MPI is to serve the call, and nothing has happened.
 * All ranks return that alike, but for arguments that the MPI refuses: null pointers, wrong roots.
 */
enum { PASS_ON = -1 };

int coll_barrier(coll_comm_t *c);
int coll_bcast(coll_comm_t *c, void *data, int64_t count, MPI_Datatype type, int root);
int coll_reduce(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                MPI_Op op, int root);
int coll_allreduce(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                   MPI_Op op);
/* The same of a reduction that is served. `in` may be `out`; `out` counts only where there is a
 * result. */
int coll_reduce_of(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r,
                   int root);
int coll_allreduce_of(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r);

/* MPI_Exscan if it is exclusive: rank 0 then gets nothing. */
int coll_scan(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
              MPI_Op op, bool exclusive);

#endif
