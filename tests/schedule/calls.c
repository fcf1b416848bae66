/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes collective calls, in each way that MPI has for an operation. */
#include "calls.h"

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#define PERSISTENT_CALL(name) MPIX_##name##_init
#else
#define PERSISTENT_CALL(name) MPI_##name##_init
#endif

static void finish(const call_t *c, MPI_Request *request)
{
  if (c->way == PERSISTENT) MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (c->way == PERSISTENT) MPI_Request_free(request);
}

/* What a rank gives, and where it gets what the root gives. */
static const void *given(const call_t *c) { return c->in_place ? MPI_IN_PLACE : c->in; }
static const void *given_to_root(const call_t *c)
{
  return c->in_place && c->self == c->root ? MPI_IN_PLACE : c->in;
}
static void *got_of_root(const call_t *c)
{
  return c->in_place && c->self == c->root ? MPI_IN_PLACE : c->out;
}

#define OPERATION(function, name, nonblocking, ...)                                                \
  static void function(const call_t *c)                                                            \
  {                                                                                                \
    MPI_Request request;                                                                           \
    if (c->way == BLOCKING) {                                                                      \
      MPI_##name(__VA_ARGS__);                                                                     \
      return;                                                                                      \
    }                                                                                              \
    if (c->way == NONBLOCKING)                                                                     \
      MPI_##nonblocking(__VA_ARGS__, &request);                                                    \
    else                                                                                           \
      PERSISTENT_CALL(name)(__VA_ARGS__, MPI_INFO_NULL, &request);                                 \
    finish(c, &request);                                                                           \
  }

OPERATION(barrier, Barrier, Ibarrier, c->comm)
OPERATION(bcast, Bcast, Ibcast, c->in, c->count, c->type, c->root, c->comm)
OPERATION(reduce, Reduce, Ireduce, given_to_root(c), c->out, c->count, c->type, c->op, c->root,
          c->comm)
OPERATION(allreduce, Allreduce, Iallreduce, given(c), c->out, c->count, c->type, c->op, c->comm)
OPERATION(gather, Gather, Igather, given_to_root(c), c->count, c->type, c->out, c->count, c->type,
          c->root, c->comm)
OPERATION(scatter, Scatter, Iscatter, c->in, c->count, c->type, got_of_root(c), c->count, c->type,
          c->root, c->comm)
OPERATION(allgather, Allgather, Iallgather, given(c), c->count, c->type, c->out, c->count, c->type,
          c->comm)
OPERATION(alltoall, Alltoall, Ialltoall, given(c), c->count, c->type, c->out, c->count, c->type,
          c->comm)
OPERATION(reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block, given(c), c->out,
          c->count, c->type, c->op, c->comm)
OPERATION(scan, Scan, Iscan, given(c), c->out, c->count, c->type, c->op, c->comm)
OPERATION(exscan, Exscan, Iexscan, given(c), c->out, c->count, c->type, c->op, c->comm)
OPERATION(alltoallv, Alltoallv, Ialltoallv, given(c), c->sent, c->sent_at, c->type, c->out, c->got,
          c->got_at, c->type, c->comm)
OPERATION(allgatherv, Allgatherv, Iallgatherv, given(c), c->counts[c->self], c->type, c->out,
          c->counts, c->sent_at, c->type, c->comm)
OPERATION(gatherv, Gatherv, Igatherv, given_to_root(c), c->counts[c->self], c->type, c->out,
          c->counts, c->sent_at, c->type, c->root, c->comm)
OPERATION(scatterv, Scatterv, Iscatterv, c->in, c->counts, c->sent_at, c->type, got_of_root(c),
          c->counts[c->self], c->type, c->root, c->comm)
OPERATION(reduce_scatter, Reduce_scatter, Ireduce_scatter, given(c), c->out, c->counts, c->type,
          c->op, c->comm)
OPERATION(alltoallw, Alltoallw, Ialltoallw, given(c), c->sent, c->sent_byte, c->types, c->out,
          c->got, c->got_byte, c->types, c->comm)

const operation_t operations[] = {
    {"barrier", barrier, false, false, false, false},
    {"bcast", bcast, true, true, false, false},
    {"reduce", reduce, true, true, true, false},
    {"allreduce", allreduce, true, false, true, false},
    {"gather", gather, true, true, false, true},
    {"scatter", scatter, true, true, false, true},
    {"allgather", allgather, true, false, false, true},
    {"alltoall", alltoall, true, false, false, true},
    {"reduce_scatter_block", reduce_scatter_block, true, false, true, true},
    {"scan", scan, true, false, true, false},
    {"exscan", exscan, true, false, true, false},
    {"alltoallv", alltoallv, true, false, false, true, true, true},
    {"allgatherv", allgatherv, true, false, false, true, true},
    {"gatherv", gatherv, true, true, false, true, true},
    {"scatterv", scatterv, true, true, false, true, true},
    {"reduce_scatter", reduce_scatter, true, false, true, true, true},
    {"alltoallw", alltoallw, true, false, false, true, true, true}};
const int n_operations = sizeof operations / sizeof *operations;
