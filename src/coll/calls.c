/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls in two levels (M.-S. Wu, 2005, chapter 3): ranks of a host through its memory,
 * hosts by messages of one rank each: the root on its own host, the leader on others. */
#include "coll/calls.h"

#include <string.h>

#include "coll/coll_levels.h"
#include "coll/coll_sides.h"
#include "coll/host/host_calls.h"
#include "coll/ordered_calls.h"
#include "coll/overlap.h"
#include "coll/packing.h"
#include "coll/tuning/tuned.h"

int coll_barrier(coll_comm_t *c)
{
  host_t *h = &c->memory;
  if (tuned_away(c, SCHEDULE_BARRIER, 0)) return PASS_ON;
  if (c->n_hosts == 1) {
    host_barrier(h);
    return MPI_SUCCESS;
  }
  const levels_t b = {.op = SCHEDULE_BARRIER, .root = LEVELS_NO_ROOT};
  run_call_t run;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  if (!levels_plan(c, &b, &run)) return PASS_ON;
  host_arrive(h, 0);
  int rc = levels_run(c, &run);
  host_release(h, 0);
  return rc;
}

static int bcast_bytes(coll_comm_t *c, void *data, size_t bytes, int root)
{
  const levels_t b = {SCHEDULE_BCAST, root, NULL, data, (int64_t)bytes, 1, NULL};
  run_call_t run;
  levels_choose_speakers(c, root);
  if (c->n_hosts == 1) return host_bcast(&c->memory, levels_speaker(c), data, bytes);
  if (!levels_plan(c, &b, &run)) return PASS_ON;
  return overlap_or_bcast(c, &run, data, bytes);
}

int coll_bcast(coll_comm_t *c, void *data, int64_t count, MPI_Datatype type, int root)
{
  size_t size;
  bool dense;
  if (count < 0 || root < 0 || root >= c->size || !reduction_layout(type, &size, &dense))
    return PASS_ON;
  size_t bytes = (size_t)count * size;
  if (tuned_away(c, SCHEDULE_BCAST, bytes)) return PASS_ON;
  if (bytes == 0) return MPI_SUCCESS;
  if (data == MPI_IN_PLACE || (dense && !data)) return PASS_ON;
  if (dense) return bcast_bytes(c, data, bytes, root);
  char *packed = space_take(&c->scratch, bytes);
  if (!packed) return MPI_ERR_NO_MEM;
  int rc = c->rank == root ? packing_move(packed, data, count, type, size, false) : MPI_SUCCESS;
  /* If the MPI refuses the type only here, the others still don't wait in vain. */
  rc = side_code(rc, bcast_bytes(c, packed, bytes, root));
  if (c->rank != root && rc == MPI_SUCCESS)
    rc = packing_move(packed, data, count, type, size, true);
  return rc;
}

/* Host by host, then between hosts; or both at once. `out` is the root's, or of all that speak, and
 * `all`: of all members. A host of one rank needs no result of its own. */
static int reduce_up(coll_comm_t *c, const levels_t *b, const run_call_t *run, void *host_result,
                     bool all)
{
  int speaker = levels_speaker(c);
  run_call_t own = *run;
  int rc = MPI_SUCCESS;
  if (overlap_wanted(c, run)) {
    own.in = host_result;
    return overlap_run(c, &own,
                       &(overlap_t){.in = b->in,
                                    .of = b->reduce,
                                    .in_place = true,
                                    .out = all ? b->out : NULL,
                                    .total = b->n});
  }
  if (c->memory.n > 1) {
    rc = host_reduce(&c->memory, speaker, b->in, host_result, (size_t)b->n, b->reduce);
    own.in = host_result;
  }
  if (rc == MPI_SUCCESS) rc = levels_run(c, &own);
  return all ? side_code(rc, host_bcast(&c->memory, 0, b->out, (size_t)b->n * b->element)) : rc;
}

int coll_reduce_of(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r,
                   int root)
{
  run_call_t run;
  levels_choose_speakers(c, root);
  if (c->n_hosts == 1) return host_reduce(&c->memory, root, in, out, n, r);
  const levels_t b = {SCHEDULE_REDUCE, root, in, out, (int64_t)n, r->extent, r, NULL};
  if (!levels_plan(c, &b, &run)) return PASS_ON;
  char *result = levels_speaks(c) ? space_take(&c->scratch, n * r->extent) : NULL;
  if (levels_speaks(c) && !result) return MPI_ERR_NO_MEM;
  if (c->memory.n == 1 && in == out) run.in = memcpy(result, in, n * r->extent);
  return reduce_up(c, &b, &run, result, false);
}

int coll_reduce(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                MPI_Op op, int root)
{
  reduction_t r;
  size_t n = (size_t)count;
  if (count < 0 || root < 0 || root >= c->size || !reduction_of(type, op, HOST_ROOM, &r) ||
      tuned_away(c, SCHEDULE_REDUCE, n * r.extent))
    return PASS_ON;
  if (count == 0) return MPI_SUCCESS;
  if (c->rank != root) out = NULL;
  if (in == out) return PASS_ON; /* MPIs refuse that */
  if (c->rank == root && in == MPI_IN_PLACE) in = out;
  if (!side_is_buffer(in) || (c->rank == root && !side_is_buffer(out))) return PASS_ON;
  if (ordered_needed(c, &r, n, false)) return ordered_reduce(c, in, out, n, &r, root);
  return coll_reduce_of(c, in, out, n, &r, root);
}

int coll_allreduce_of(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r)
{
  run_call_t run;
  if (c->n_hosts == 1) return host_reduce(&c->memory, HOST_EACH, in, out, n, r);
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  const levels_t b = {SCHEDULE_ALLREDUCE, LEVELS_NO_ROOT, in, out, (int64_t)n, r->extent, r, NULL};
  if (!levels_plan(c, &b, &run)) return PASS_ON;
  size_t bytes = n * r->extent;
  char *result = levels_speaks(c) ? space_take(&c->scratch, bytes) : NULL;
  if (levels_speaks(c) && !result) return MPI_ERR_NO_MEM;
  if (c->memory.n == 1 && in == out) run.in = memcpy(result, in, bytes);
  return reduce_up(c, &b, &run, result, true);
}

int coll_allreduce(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                   MPI_Op op)
{
  reduction_t r;
  size_t n = (size_t)count;
  if (count < 0 || !reduction_of(type, op, HOST_ROOM, &r) ||
      tuned_away(c, SCHEDULE_ALLREDUCE, n * r.extent))
    return PASS_ON;
  if (count == 0) return MPI_SUCCESS;
  if (in == out) return PASS_ON; /* MPIs refuse that */
  if (in == MPI_IN_PLACE) in = out;
  if (!side_is_buffer(in) || !side_is_buffer(out)) return PASS_ON;
  if (ordered_needed(c, &r, n, false)) return ordered_reduce(c, in, out, n, &r, ORDERED_EACH);
  return coll_allreduce_of(c, in, out, n, &r);
}

/* The last member of each host speaks for it: it has the reduction of all of them. */
static void last_ones_speak(coll_comm_t *c)
{
  for (int k = 0; k < c->n_hosts; k++) c->peer[k] = c->first[k + 1] - 1;
}

/* Host by host; then the hosts before this one are added. Ranks are in the order of hosts. */
static int scan_hosts(coll_comm_t *c, const levels_t *b, const run_call_t *run, bool exclusive,
                      void *out)
{
  host_t *h = &c->memory;
  size_t n = (size_t)b->n, bytes = n * b->element;
  char *total = (char *)(uintptr_t)run->in, *before = run->out;
  int rc = host_scan(h, b->in, out, total, n, exclusive, b->reduce);
  int code = levels_run(c, run);
  rc = side_code(rc, code);
  if (c->my_host == 0) return rc;
  code = host_bcast(h, levels_speaker(c), before, bytes);
  rc = side_code(rc, code);
  if (rc != MPI_SUCCESS) return rc;
  if (!exclusive || h->me > 0) return reduction_left(b->reduce, before, out, n);
  memcpy(out, before, bytes);
  return rc;
}

int coll_scan(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
              MPI_Op op, bool exclusive)
{
  reduction_t r;
  run_call_t run;
  if (count < 0 || !reduction_of(type, op, HOST_ROOM, &r) ||
      tuned_away(c, exclusive ? SCHEDULE_EXSCAN : SCHEDULE_SCAN, (size_t)count * r.extent))
    return PASS_ON;
  if (count == 0) return MPI_SUCCESS;
  if (in == out) return PASS_ON; /* MPIs refuse that */
  if (in == MPI_IN_PLACE) in = out;
  bool gets = !exclusive || c->rank > 0;
  if (!side_is_buffer(in) || (gets && !side_is_buffer(out))) return PASS_ON;
  if (c->n_hosts == 1) return host_scan(&c->memory, in, out, NULL, (size_t)count, exclusive, &r);
  if (ordered_scan_needed(c, &r)) return ordered_scan(c, in, out, (size_t)count, exclusive, &r);
  if (!c->in_order) return PASS_ON;
  last_ones_speak(c);
  levels_t b = {SCHEDULE_EXSCAN, LEVELS_NO_ROOT, in, NULL, count, r.extent, &r, NULL};
  if (!levels_plan(c, &b, &run)) return PASS_ON;
  size_t bytes = (size_t)count * r.extent;
  char *total = space_take(&c->scratch, 2 * bytes);
  if (!total) return MPI_ERR_NO_MEM;
  run.in = total;
  run.out = total + bytes;
  return scan_hosts(c, &b, &run, exclusive, out);
}
