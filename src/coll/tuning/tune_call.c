/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/tune_call.h"

#include <limits.h>
#include <stdlib.h>

#include "coll/agents/requests.h"
#include "coll/block_calls.h"
#include "coll/calls.h"
#include "coll/coll_levels.h"
#include "coll/host/host_blocks.h"
#include "coll/host/host_calls.h"
#include "coll/pair_calls.h"
#include "coll/reduced_blocks.h"
#include "coll/varied_calls.h"

enum { MOST_BYTES = 1 << 30 };
#define NAME "a call that berth measures" /* for who waits for too long */

/* How many blocks a rank's buffer has. */
static size_t blocks_of(const tune_call_t *t)
{
  bool one = schedule_block_kind(t->op) == SCHEDULE_ONE_BLOCK;
  return one ? 1 : (size_t)t->comm->size;
}

bool tune_call_begin(tune_call_t *t, coll_comm_t *c, MPI_Comm handle, schedule_op_t op,
                     size_t bytes)
{
  *t = (tune_call_t){.op = op, .bytes = bytes, .comm = c, .handle = handle, .type = mpi.byte};
  size_t n = blocks_of(t), size = 1;
  t->reduce = mpi.bor;
  if (schedule_reduces(op) && bytes % sizeof(double) == 0) {
    t->type = mpi.c_double;
    t->reduce = mpi.sum;
    size = sizeof(double);
  }
  t->count = (int64_t)(bytes / size);
  if (bytes > MOST_BYTES / n) return false;
  t->in = calloc(n * bytes + 1, 1);
  t->out = calloc(n * bytes + 1, 1);
  t->counts = calloc((size_t)c->size, sizeof *t->counts);
  t->displs = calloc((size_t)c->size, sizeof *t->displs);
  if (!t->in || !t->out || !t->counts || !t->displs) return false;
  for (int r = 0; r < c->size; r++) {
    t->counts[r] = (int)t->count;
    t->displs[r] = r * (int)t->count;
  }
  return true;
}

size_t tune_call_bytes(const tune_call_t *t) { return blocks_of(t) * t->bytes; }

void tune_call_end(tune_call_t *t)
{
  free(t->in);
  free(t->out);
  free(t->counts);
  free(t->displs);
}

static int call_mpi(const tune_call_t *t)
{
  int n = (int)t->count;
  MPI_Datatype type = t->type;
  MPI_Comm comm = t->handle;
  switch (t->op) {
  case SCHEDULE_BARRIER:
    return mpi.Barrier(comm);
  case SCHEDULE_BCAST:
    return mpi.Bcast(t->in, n, type, 0, comm);
  case SCHEDULE_REDUCE:
    return mpi.Reduce(t->in, t->out, n, type, t->reduce, 0, comm);
  case SCHEDULE_ALLREDUCE:
    return mpi.Allreduce(t->in, t->out, n, type, t->reduce, comm);
  case SCHEDULE_SCAN:
    return mpi.Scan(t->in, t->out, n, type, t->reduce, comm);
  case SCHEDULE_EXSCAN:
    return mpi.Exscan(t->in, t->out, n, type, t->reduce, comm);
  case SCHEDULE_GATHER:
    return mpi.Gather(t->in, n, type, t->out, n, type, 0, comm);
  case SCHEDULE_SCATTER:
    return mpi.Scatter(t->in, n, type, t->out, n, type, 0, comm);
  case SCHEDULE_ALLGATHER:
    return mpi.Allgather(t->in, n, type, t->out, n, type, comm);
  case SCHEDULE_ALLGATHERV:
    return mpi.Allgatherv(t->in, n, type, t->out, t->counts, t->displs, type, comm);
  case SCHEDULE_ALLTOALL:
    return mpi.Alltoall(t->in, n, type, t->out, n, type, comm);
  default:
    return mpi.Reduce_scatter(t->in, t->out, t->counts, type, t->reduce, comm);
  }
}

static block_data_t block(void *data, const tune_call_t *t)
{
  return (block_data_t){.data = data, .count = t->count, .type = t->type};
}

static block_data_t blocks(void *data, const tune_call_t *t)
{
  return (block_data_t){.data = data,
                        .type = t->type,
                        .counts = {.narrow = t->counts},
                        .displs = {.narrow = t->displs}};
}

static int call_own(const tune_call_t *t)
{
  coll_comm_t *c = t->comm;
  wait_call = (wait_call_t){NAME, NULL, c->member};
  c->begun = false;
  switch (t->op) {
  case SCHEDULE_BARRIER:
    return coll_barrier(c);
  case SCHEDULE_BCAST:
    return coll_bcast(c, t->in, t->count, t->type, 0);
  case SCHEDULE_REDUCE:
    return coll_reduce(c, t->in, t->out, t->count, t->type, t->reduce, 0);
  case SCHEDULE_ALLREDUCE:
    return coll_allreduce(c, t->in, t->out, t->count, t->type, t->reduce);
  case SCHEDULE_SCAN:
  case SCHEDULE_EXSCAN:
    return coll_scan(c, t->in, t->out, t->count, t->type, t->reduce, t->op == SCHEDULE_EXSCAN);
  case SCHEDULE_GATHER:
    return coll_gather(c, block(t->in, t), block(t->out, t), 0);
  case SCHEDULE_SCATTER:
    return coll_scatter(c, block(t->in, t), block(t->out, t), 0);
  case SCHEDULE_ALLGATHER:
    return coll_allgather(c, block(t->in, t), block(t->out, t));
  case SCHEDULE_ALLGATHERV:
    return coll_allgatherv(c, block(t->in, t), blocks(t->out, t));
  case SCHEDULE_ALLTOALL:
    return coll_alltoall(c, block(t->in, t), block(t->out, t));
  default:
    return coll_reduce_scatter(c, t->in, t->out, (amounts_t){.narrow = t->counts}, t->type,
                               t->reduce);
  }
}

static int call_agents(const tune_call_t *t)
{
  agent_call_t call, *a = &call;
  coll_comm_t *c = t->comm;
  const block_data_t in = block(t->in, t), out = block(t->out, t);
  const int none = LEVELS_NO_ROOT;
  int rc;
  switch (t->op) {
  case SCHEDULE_BARRIER:
    rc = agent_barrier(a, c);
    break;
  case SCHEDULE_BCAST:
    rc = agent_bcast(a, c, in, 0);
    break;
  case SCHEDULE_REDUCE:
    rc = agent_reduction(a, c, t->op, t->in, out, t->reduce, 0);
    break;
  case SCHEDULE_ALLREDUCE:
  case SCHEDULE_SCAN:
  case SCHEDULE_EXSCAN:
    rc = agent_reduction(a, c, t->op, t->in, out, t->reduce, none);
    break;
  case SCHEDULE_GATHER:
  case SCHEDULE_SCATTER:
    rc = agent_blocks(a, c, t->op, in, out, 0);
    break;
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLTOALL:
    rc = agent_blocks(a, c, t->op, in, out, none);
    break;
  case SCHEDULE_ALLGATHERV:
    rc = agent_blocks(a, c, t->op, in, blocks(t->out, t), none);
    break;
  default:
    rc = agent_reduce_scatter(a, c, t->in, blocks(t->out, t), t->reduce);
    break;
  }
  return rc == MPI_SUCCESS ? requests_run(a) : rc;
}

int tune_call(const tune_call_t *t, const chosen_t *by)
{
  int rc = by->mpi ? PASS_ON : call_own(t);
  if (rc == PASS_ON && by->agents) rc = call_agents(t);
  return rc == PASS_ON ? call_mpi(t) : rc;
}

tune_call_t tune_call_part(const tune_call_t *t, double share)
{
  tune_call_t part = *t;
  part.count = (int64_t)(share * (double)t->count + 0.5);
  part.bytes = t->count ? (size_t)part.count * (t->bytes / (size_t)t->count) : 0;
  return part;
}

static void reduce_within(const tune_call_t *t, size_t n)
{
  reduction_t r;
  if (t->comm->memory.n > 1 && reduction_of(t->type, t->reduce, HOST_ROOM, &r))
    host_reduce(&t->comm->memory,
                t->comm->n_hosts == 1 && t->op == SCHEDULE_ALLREDUCE ? HOST_EACH : 0, t->in, t->out,
                n, &r);
}

void tune_call_within(const tune_call_t *t)
{
  host_t *h = &t->comm->memory;
  size_t bytes = t->bytes, all = (size_t)t->comm->size * bytes;
  bool several = t->comm->n_hosts > 1;
  wait_call = (wait_call_t){NAME, NULL, t->comm->member};
  if (h->n == 1) return;
  switch (t->op) {
  case SCHEDULE_BARRIER:
    host_barrier(h);
    break;
  case SCHEDULE_BCAST:
    host_bcast(h, 0, t->in, bytes);
    break;
  case SCHEDULE_REDUCE:
    reduce_within(t, (size_t)t->count);
    break;
  case SCHEDULE_ALLREDUCE:
    reduce_within(t, (size_t)t->count);
    if (several) host_bcast(h, 0, t->out, bytes);
    break;
  case SCHEDULE_GATHER:
    host_gather(h, 0, t->in, t->out, bytes);
    break;
  case SCHEDULE_SCATTER:
    host_scatter(h, 0, t->in, t->out, bytes);
    break;
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    host_gather(h, several ? 0 : HOST_EACH, t->in, t->out, bytes);
    if (several) host_bcast(h, 0, t->out, all);
    break;
  case SCHEDULE_REDUCE_SCATTER:
    reduce_within(t, (size_t)t->count * (size_t)t->comm->size);
    host_scatter(h, 0, t->in, t->out, bytes);
    break;
  default:
    break; /* scans and all-to-alls aren't made of parts that stand alone */
  }
}
