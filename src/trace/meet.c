/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls as steps of a rank's program. A non-blocking one is two: it begins, and it ends
 * in the call that completes its request. */
#include "trace/awaited.h"
#include "trace/collective.h"

#if MPI_VERSION >= 4
#define OF(name, iname, kind)                                                                      \
  [OP_##name] = {1 + (kind), false}, [OP_##name##_c] = {1 + (kind), false},                        \
  [OP_##iname] = {1 + (kind), true}, [OP_##iname##_c] = {1 + (kind), true}
#else
#define OF(name, iname, kind) [OP_##name] = {1 + (kind), false}, [OP_##iname] = {1 + (kind), true}
#endif

/* By operation. */
static const struct {
  unsigned char kind; /* 1 + spool_step_kind_t; 0: none */
  bool later;         /* non-blocking */
} steps[N_OPS] = {
    [OP_Barrier] = {1 + SPOOL_STEP_MEET, false},
    [OP_Ibarrier] = {1 + SPOOL_STEP_MEET, true},
    OF(Allreduce, Iallreduce, SPOOL_STEP_MEET),
    OF(Allgather, Iallgather, SPOOL_STEP_MEET),
    OF(Allgatherv, Iallgatherv, SPOOL_STEP_MEET),
    OF(Alltoall, Ialltoall, SPOOL_STEP_MEET),
    OF(Alltoallv, Ialltoallv, SPOOL_STEP_MEET),
    OF(Alltoallw, Ialltoallw, SPOOL_STEP_MEET),
    OF(Reduce_scatter, Ireduce_scatter, SPOOL_STEP_MEET),
    OF(Reduce_scatter_block, Ireduce_scatter_block, SPOOL_STEP_MEET),
    OF(Scan, Iscan, SPOOL_STEP_MEET),
    OF(Exscan, Iexscan, SPOOL_STEP_MEET),
    OF(Bcast, Ibcast, SPOOL_STEP_FROM_ROOT),
    OF(Scatter, Iscatter, SPOOL_STEP_FROM_ROOT),
    OF(Scatterv, Iscatterv, SPOOL_STEP_FROM_ROOT),
    OF(Reduce, Ireduce, SPOOL_STEP_TO_ROOT),
    OF(Gather, Igather, SPOOL_STEP_TO_ROOT),
    OF(Gatherv, Igatherv, SPOOL_STEP_TO_ROOT),
};
_Static_assert((int)N_OPS <= (int)SPOOL_CALL_OP, "modes have operations and flags");

/* The step of a call, if it is one of these. */
static bool step_of(const call_t *call, bool later, spool_step_t *s)
{
  const comm_t *c = call->comm;
  if (c->inter || c->outside || !steps[call->op].kind || steps[call->op].later != later)
    return false;
  const unsigned kind = steps[call->op].kind - 1U;
  *s =
      (spool_step_t){.kind = (uint16_t)kind,
                     .mode = (uint16_t)call->op,
                     .peer = c->id,
                     .root = kind == SPOOL_STEP_MEET ? 0 : comm_world_rank(c, (uint32_t)call->root),
                     .size = call->bytes,
                     .times = 1};
  return true;
}

void meet(thread_t *t, const call_t *call)
{
  spool_step_t s;
  if (step_of(call, false, &s)) phase_step_of(t, s);
}

void meet_later(thread_t *t, const call_t *call, MPI_Request request)
{
  spool_step_t s;
  if (!step_of(call, true, &s)) return;
  s.mode |= SPOOL_CALL_BEGINS;
  phase_step_of(t, s);
  s.mode ^= SPOOL_CALL_BEGINS | SPOOL_CALL_ENDS;
  awaited_add_call(request, &s);
}
