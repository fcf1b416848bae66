/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking collective calls as steps of a rank's program. */
#include "trace/collective.h"

#if MPI_VERSION >= 4
#define OF(name, kind) [OP_##name] = 1 + (kind), [OP_##name##_c] = 1 + (kind)
#else
#define OF(name, kind) [OP_##name] = 1 + (kind)
#endif

static const unsigned char kinds[N_OPS] = {
    [OP_Barrier] = 1 + SPOOL_STEP_MEET,
    OF(Allreduce, SPOOL_STEP_MEET),
    OF(Allgather, SPOOL_STEP_MEET),
    OF(Allgatherv, SPOOL_STEP_MEET),
    OF(Alltoall, SPOOL_STEP_MEET),
    OF(Alltoallv, SPOOL_STEP_MEET),
    OF(Alltoallw, SPOOL_STEP_MEET),
    OF(Reduce_scatter, SPOOL_STEP_MEET),
    OF(Reduce_scatter_block, SPOOL_STEP_MEET),
    OF(Scan, SPOOL_STEP_MEET),
    OF(Exscan, SPOOL_STEP_MEET),
    OF(Bcast, SPOOL_STEP_FROM_ROOT),
    OF(Scatter, SPOOL_STEP_FROM_ROOT),
    OF(Scatterv, SPOOL_STEP_FROM_ROOT),
    OF(Reduce, SPOOL_STEP_TO_ROOT),
    OF(Gather, SPOOL_STEP_TO_ROOT),
    OF(Gatherv, SPOOL_STEP_TO_ROOT),
};

void meet(thread_t *t, const call_t *call)
{
  const comm_t *c = call->comm;
  if (c->inter || c->outside || !kinds[call->op]) return;
  const unsigned kind = kinds[call->op] - 1U;
  const spool_step_t s = {
      .kind = (uint16_t)kind,
      .mode = (uint16_t)call->op,
      .peer = c->id,
      .root = kind == SPOOL_STEP_MEET ? 0 : comm_world_rank(c, (uint32_t)call->root),
      .size = call->bytes,
      .times = 1};
  phase_step_of(t, s);
}
