/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls in two levels (M.-S. Wu, 2005, chapter 3): ranks of a host through its memory,
 * hosts by messages of one rank each: the root on its own host, the leader on others. */
#include "coll/calls.h"

#include <pthread.h>
#include <string.h>

#include "coll/choose.h"
#include "coll/host_calls.h"

/* The place of a rank among its host's members. */
static int within(const coll_comm_t *c, int rank) { return c->within[rank]; }

/* Whether this rank sends and receives for its host. */
static bool speaks(const coll_comm_t *c) { return c->peer[c->my_host] == c->rank; }

/* Sets who speaks for each host: the root for its own, if there is one. */
static void choose_speakers(coll_comm_t *c, int root)
{
  memcpy(c->peer, c->leader, (size_t)c->n_hosts * sizeof *c->peer);
  if (root >= 0) c->peer[c->host[root]] = root;
}

enum { NO_ROOT_RANK = -1 };

/* What speakers do. */
typedef struct between {
  schedule_op_t op;
  int root; /* or NO_ROOT_RANK */
  const void *in;
  void *out;
  int64_t n;
  size_t element;
  const reduction_t *reduce;
} between_t;

static bool plan(const coll_comm_t *c, const between_t *b, run_call_t *out)
{
  *out = (run_call_t){.me = c->my_host,
                      .peer = c->peer,
                      .in = b->in,
                      .out = b->out,
                      .element = b->element,
                      .reduce = b->reduce};
  out->call = (schedule_call_t){.op = b->op,
                                .size = c->n_hosts,
                                .root = b->root < 0 ? 0 : c->host[b->root],
                                .count = b->n,
                                .commutative = !b->reduce || b->reduce->commutative};
  out->algorithm = choose_schedule(&out->call, b->element, coll_job.half);
  return out->algorithm != NULL;
}

static int run_between(coll_comm_t *c, const run_call_t *run)
{
  return c->n_hosts > 1 && speaks(c) ? run_schedule(&c->run, run) : MPI_SUCCESS;
}

/* Ranks in another order than their hosts' can't be reduced host by host if order matters. */
static bool can_reduce(const coll_comm_t *c, MPI_Datatype type, MPI_Op op, reduction_t *r)
{
  return reduction_of(type, op, HOST_ROOM, r) && (r->commutative || c->n_hosts == 1 || c->in_order);
}

int coll_barrier(coll_comm_t *c)
{
  host_t *h = &c->memory;
  if (c->n_hosts == 1) {
    host_barrier(h);
    return MPI_SUCCESS;
  }
  const between_t b = {.op = SCHEDULE_BARRIER, .root = NO_ROOT_RANK};
  run_call_t run;
  choose_speakers(c, NO_ROOT_RANK);
  if (!plan(c, &b, &run)) return PASS_ON;
  host_arrive(h, 0);
  int rc = run_between(c, &run);
  host_release(h, 0);
  return rc;
}

static int bcast_bytes(coll_comm_t *c, void *data, size_t bytes, int root)
{
  const between_t b = {SCHEDULE_BCAST, root, NULL, data, (int64_t)bytes, 1, NULL};
  run_call_t run;
  choose_speakers(c, root);
  if (c->n_hosts > 1 && !plan(c, &b, &run)) return PASS_ON;
  int rc = run_between(c, &run);
  int code = host_bcast(&c->memory, within(c, c->peer[c->my_host]), data, bytes);
  return rc == MPI_SUCCESS ? code : rc;
}

/* Packs or unpacks elements of types with gaps, some at a time, by a message to the rank itself.
 * MPI_Pack won't do: MPICH's takes no MPI_BOTTOM. */
static int pack(char *packed, char *data, int64_t count, MPI_Datatype type, size_t size,
                bool unpacks)
{
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* message at a time */
  MPI_Count low, extent;
  MPI_Comm comm = coll_job.silent;
  int64_t most = (int64_t)((1u << 30) / size) + 1;
  int self = coll_job.rank, rc = mpi.Type_get_extent_x(type, &low, &extent);
  pthread_mutex_lock(&one);
  for (int64_t at = 0; at < count && rc == MPI_SUCCESS; at += most) {
    int piece = (int)(count - at < most ? count - at : most), bytes = (int)((size_t)piece * size);
    char *own = data + at * extent, *there = packed + (size_t)at * size;
    rc = unpacks ? mpi.Sendrecv(there, bytes, mpi.packed, self, 0, own, piece, type, self, 0, comm,
                                MPI_STATUS_IGNORE)
                 : mpi.Sendrecv(own, piece, type, self, 0, there, bytes, mpi.packed, self, 0, comm,
                                MPI_STATUS_IGNORE);
  }
  pthread_mutex_unlock(&one);
  return rc;
}

int coll_bcast(coll_comm_t *c, void *data, int64_t count, MPI_Datatype type, int root)
{
  size_t size;
  bool dense;
  if (count < 0 || root < 0 || root >= c->size || !reduction_layout(type, &size, &dense))
    return PASS_ON;
  size_t bytes = (size_t)count * size;
  if (bytes == 0) return MPI_SUCCESS;
  if (dense) return bcast_bytes(c, data, bytes, root);
  char *packed = coll_scratch(c, bytes);
  if (!packed) return MPI_ERR_NO_MEM;
  int rc = c->rank == root ? pack(packed, data, count, type, size, false) : MPI_SUCCESS;
  if (rc == MPI_SUCCESS) rc = bcast_bytes(c, packed, bytes, root);
  if (c->rank != root && rc == MPI_SUCCESS) rc = pack(packed, data, count, type, size, true);
  return rc;
}

/* Host by host, then between hosts. `out` is the root's, or of all that speak. A host of one rank
 * needs no result of its own. */
static int reduce_up(coll_comm_t *c, const between_t *b, const run_call_t *run, void *host_result)
{
  int speaker = within(c, c->peer[c->my_host]);
  run_call_t own = *run;
  int rc = MPI_SUCCESS;
  if (c->memory.n > 1) {
    rc = host_reduce(&c->memory, speaker, b->in, host_result, (size_t)b->n, b->reduce);
    own.in = host_result;
  }
  return rc == MPI_SUCCESS ? run_between(c, &own) : rc;
}

int coll_reduce(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                MPI_Op op, int root)
{
  reduction_t r;
  run_call_t run;
  if (count < 0 || root < 0 || root >= c->size || !can_reduce(c, type, op, &r)) return PASS_ON;
  if (c->rank == root && in == MPI_IN_PLACE) in = out;
  if (c->rank != root) out = NULL;
  if (count == 0) return MPI_SUCCESS;
  choose_speakers(c, root);
  if (c->n_hosts == 1) return host_reduce(&c->memory, root, in, out, (size_t)count, &r);
  const between_t b = {SCHEDULE_REDUCE, root, in, out, count, r.extent, &r};
  if (!plan(c, &b, &run)) return PASS_ON;
  char *result = speaks(c) ? coll_scratch(c, (size_t)count * r.extent) : NULL;
  if (speaks(c) && !result) return MPI_ERR_NO_MEM;
  if (c->memory.n == 1 && in == out) run.in = memcpy(result, in, (size_t)count * r.extent);
  return reduce_up(c, &b, &run, result);
}

int coll_allreduce(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                   MPI_Op op)
{
  reduction_t r;
  run_call_t run;
  if (count < 0 || !can_reduce(c, type, op, &r)) return PASS_ON;
  if (in == MPI_IN_PLACE) in = out;
  if (count == 0) return MPI_SUCCESS;
  if (c->n_hosts == 1) return host_reduce(&c->memory, HOST_EACH, in, out, (size_t)count, &r);
  choose_speakers(c, NO_ROOT_RANK);
  const between_t b = {SCHEDULE_ALLREDUCE, NO_ROOT_RANK, in, out, count, r.extent, &r};
  if (!plan(c, &b, &run)) return PASS_ON;
  size_t bytes = (size_t)count * r.extent;
  char *result = speaks(c) ? coll_scratch(c, bytes) : NULL;
  if (speaks(c) && !result) return MPI_ERR_NO_MEM;
  if (c->memory.n == 1 && in == out) run.in = memcpy(result, in, bytes);
  int rc = reduce_up(c, &b, &run, result);
  int code = host_bcast(&c->memory, 0, out, bytes);
  return rc == MPI_SUCCESS ? code : rc;
}
