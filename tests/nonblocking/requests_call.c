/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls: each function in each form. */
#include "requests.h"

#ifdef OPEN_MPI
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

/* CALL(op, function, its non-blocking name, arguments before the communicator) */
#define CALL(op, name, iname, ...)                                                                 \
  ((op)->form == FORM_BLOCKING ? MPI_##name(__VA_ARGS__, (op)->part->comm)                         \
   : (op)->form == FORM_REQUEST                                                                    \
       ? MPI_##iname(__VA_ARGS__, (op)->part->comm, &(op)->request)                                \
       : INIT(name)(__VA_ARGS__, (op)->part->comm, MPI_INFO_NULL, &(op)->request))
/* MPI 4 has each function a second time, with large counts. CALL_LARGE is false if it wasn't
 * called. */
#if MPI_VERSION >= 4
#define CALL_LARGE(op, name, iname, ...)                                                           \
  ((op)->large &&                                                                                  \
   (((op)->form == FORM_BLOCKING ? MPI_##name##_c(__VA_ARGS__, (op)->part->comm)                   \
     : (op)->form == FORM_REQUEST                                                                  \
         ? MPI_##iname##_c(__VA_ARGS__, (op)->part->comm, &(op)->request)                          \
         : MPI_##name##_init_c(__VA_ARGS__, (op)->part->comm, MPI_INFO_NULL, &(op)->request)),     \
    1))
#else
#define CALL_LARGE(...) 0
#endif
#define CALL_BOTH(op, name, iname, ...)                                                            \
  (CALL_LARGE(op, name, iname, __VA_ARGS__) || CALL(op, name, iname, __VA_ARGS__))

/* The arguments of a side, or what a rank may give in place of what has no meaning there. */
typedef struct args {
  void *buffer;
  int count, *counts, *displs;
  MPI_Datatype type;
#if MPI_VERSION >= 4
  MPI_Count *large_counts;
  MPI_Aint *large_displs;
#endif
} args_t;

static args_t args_of(const op_t *op, const side_t *side)
{
  args_t a = {.buffer = op->in_place ? MPI_IN_PLACE : NULL,
              .type = draw(&local, 2) ? MPI_BYTE : MPI_DATATYPE_NULL};
  if (!side->base) return a;
  a.buffer = side->base;
  a.count = side->counts[0];
  a.counts = side->counts;
  a.displs = side->displs;
  a.type = side->type;
#if MPI_VERSION >= 4
  a.large_counts = side->large_counts;
  a.large_displs = side->large_displs;
#endif
  return a;
}

static void call_reduction(op_t *op, const args_t *in, const args_t *out)
{
  const args_t *data = op->in.base ? in : out;
  int n = data->count, mine = op->counts[op->part->rank];
  MPI_Datatype type = data->type;
  switch (op->fn) {
  case FN_REDUCE:
    CALL_BOTH(op, Reduce, Ireduce, in->buffer, out->buffer, n, type, op->op, op->root);
    break;
  case FN_ALLREDUCE:
    CALL_BOTH(op, Allreduce, Iallreduce, in->buffer, out->buffer, n, type, op->op);
    break;
  case FN_SCAN:
    CALL_BOTH(op, Scan, Iscan, in->buffer, out->buffer, n, type, op->op);
    break;
  case FN_EXSCAN:
    CALL_BOTH(op, Exscan, Iexscan, in->buffer, out->buffer, n, type, op->op);
    break;
  case FN_REDUCE_SCATTER_BLOCK:
    CALL_BOTH(op, Reduce_scatter_block, Ireduce_scatter_block, in->buffer, out->buffer, mine, type,
              op->op);
    break;
  default:
    if (!CALL_LARGE(op, Reduce_scatter, Ireduce_scatter, in->buffer, out->buffer, op->large_counts,
                    type, op->op))
      CALL(op, Reduce_scatter, Ireduce_scatter, in->buffer, out->buffer, op->counts, type, op->op);
  }
}

static void call_blocks(op_t *op, const args_t *in, const args_t *out)
{
  switch (op->fn) {
  case FN_BCAST:
    CALL_BOTH(op, Bcast, Ibcast, out->buffer, out->count, out->type, op->root);
    break;
  case FN_GATHER:
    CALL_BOTH(op, Gather, Igather, in->buffer, in->count, in->type, out->buffer, out->count,
              out->type, op->root);
    break;
  case FN_SCATTER:
    CALL_BOTH(op, Scatter, Iscatter, in->buffer, in->count, in->type, out->buffer, out->count,
              out->type, op->root);
    break;
  case FN_ALLGATHER:
    CALL_BOTH(op, Allgather, Iallgather, in->buffer, in->count, in->type, out->buffer, out->count,
              out->type);
    break;
  default:
    CALL_BOTH(op, Alltoall, Ialltoall, in->buffer, in->count, in->type, out->buffer, out->count,
              out->type);
  }
}

static void call_varied(op_t *op, const args_t *in, const args_t *out)
{
  switch (op->fn) {
  case FN_GATHERV:
    if (!CALL_LARGE(op, Gatherv, Igatherv, in->buffer, in->count, in->type, out->buffer,
                    out->large_counts, out->large_displs, out->type, op->root))
      CALL(op, Gatherv, Igatherv, in->buffer, in->count, in->type, out->buffer, out->counts,
           out->displs, out->type, op->root);
    break;
  case FN_SCATTERV:
    if (!CALL_LARGE(op, Scatterv, Iscatterv, in->buffer, in->large_counts, in->large_displs,
                    in->type, out->buffer, out->count, out->type, op->root))
      CALL(op, Scatterv, Iscatterv, in->buffer, in->counts, in->displs, in->type, out->buffer,
           out->count, out->type, op->root);
    break;
  case FN_ALLGATHERV:
    if (!CALL_LARGE(op, Allgatherv, Iallgatherv, in->buffer, in->count, in->type, out->buffer,
                    out->large_counts, out->large_displs, out->type))
      CALL(op, Allgatherv, Iallgatherv, in->buffer, in->count, in->type, out->buffer, out->counts,
           out->displs, out->type);
    break;
  default:
    if (!CALL_LARGE(op, Alltoallv, Ialltoallv, in->buffer, in->large_counts, in->large_displs,
                    in->type, out->buffer, out->large_counts, out->large_displs, out->type))
      CALL(op, Alltoallv, Ialltoallv, in->buffer, in->counts, in->displs, in->type, out->buffer,
           out->counts, out->displs, out->type);
  }
}

static void call_barrier(op_t *op)
{
  MPI_Comm comm = op->part->comm;
  if (op->form == FORM_BLOCKING)
    MPI_Barrier(comm);
  else if (op->form == FORM_REQUEST)
    MPI_Ibarrier(comm, &op->request);
  else
    INIT(Barrier)(comm, MPI_INFO_NULL, &op->request);
}

static void call_message(op_t *op, const args_t *in, const args_t *out)
{
  int tag = (int)(op->id % 30000), from = draw(&local, 4) ? op->peer : MPI_ANY_SOURCE;
  MPI_Comm comm = op->part->comm;
  if (op->fn == FN_SEND && op->form == FORM_PERSISTENT)
    MPI_Send_init(in->buffer, in->count, in->type, op->peer, tag, comm, &op->request);
  else if (op->fn == FN_SEND)
    MPI_Isend(in->buffer, in->count, in->type, op->peer, tag, comm, &op->request);
  else if (op->form == FORM_PERSISTENT)
    MPI_Recv_init(out->buffer, out->count, out->type, from, tag, comm, &op->request);
  else
    MPI_Irecv(out->buffer, out->count, out->type, from, tag, comm, &op->request);
}

/* What the call has of the program's own may be freed as soon as it has begun. */
static void free_early(op_t *op)
{
  side_t *const sides[] = {&op->in, &op->out};
  for (int i = 0; i < 2; i++)
    if (sides[i]->base && sides[i]->type != sides[i]->layout->type) MPI_Type_free(&sides[i]->type);
  if (op->rule && op->op != op->rule->op) MPI_Op_free(&op->op);
}

void call_op(op_t *op)
{
  args_t in = args_of(op, &op->in), out = args_of(op, &op->out);
  if (op->form != FORM_PERSISTENT) fill_buffers(op);
  if (op->form != FORM_PERSISTENT) note_barrier(op);
  if (op->fn == FN_BARRIER)
    call_barrier(op);
  else if (op->fn >= FN_COLLECTIVES)
    call_message(op, &in, &out);
  else if (op->rule)
    call_reduction(op, &in, &out);
  else if (op->fn == FN_GATHERV || op->fn == FN_SCATTERV || op->fn == FN_ALLGATHERV ||
           op->fn == FN_ALLTOALLV)
    call_varied(op, &in, &out);
  else
    call_blocks(op, &in, &out);
  free_early(op);
  op->active = op->form == FORM_REQUEST;
  if (op->form != FORM_BLOCKING) return;
  check_barrier(op);
  check_buffers(op);
}
