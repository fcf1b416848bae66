/* SPDX-License-Identifier: BSD-3-Clause */
/* What members give, and what they get, of each operation. Blocks of ranks lie in the order of
 * hosts: those of a host's members one behind the other.
 *
 *   operation             a member's input             its result
 *   barrier
 *   bcast                 the root: the data           all others: the data
 *   reduce, allreduce     the vector                   the root, or all: the vector
 *   scan, exscan          the vector                   the vector
 *   reduce-scatter        the vector, in blocks        its block
 *   all-gather            its block                    all blocks
 *   gather                its block                    the root: all blocks
 *   scatter               the root: all blocks         its block
 *   all-to-all            blocks to all                blocks from all
 *
 * With blocks of different sizes a table of these comes first: for gather of the one block, else of
 * all ranks' blocks, int64_t, in elements. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/call.h"

static bool is_bundled(schedule_op_t op)
{
  return op == SCHEDULE_GATHER || op == SCHEDULE_GATHERV || op == SCHEDULE_SCATTER ||
         op == SCHEDULE_SCATTERV || op == SCHEDULE_ALLTOALL || op == SCHEDULE_ALLTOALLV;
}

/* The member that is the root; -1: it is on another host. */
static int root_member(const call_t *c)
{
  int member = c->order.root - c->s->first[c->s->me];
  return member >= 0 && member < c->s->members ? member : -1;
}

int layout_take_call(call_t *c)
{
  const desk_order_t *o = &c->order;
  schedule_op_t op = (schedule_op_t)o->op;
  if (op >= SCHEDULE_OPS || op == SCHEDULE_ALLTOALLW || o->element <= 0 || o->count < 0 ||
      o->root < 0 || o->root >= structure_all(c->s))
    return EINVAL;
  c->bytes = (size_t)o->count * (size_t)o->element;
  if (!schedule_reduces(op)) return 0;
  c->kernel = kernel_find((kernel_op_t)o->operation, (kernel_type_t)o->type);
  return c->kernel ? 0 : EINVAL;
}

bool layout_needs(const call_t *c, int member)
{
  schedule_op_t op = (schedule_op_t)c->order.op;
  if (op != SCHEDULE_BCAST && op != SCHEDULE_SCATTER && op != SCHEDULE_SCATTERV) return true;
  return member == root_member(c);
}

/* All members' vectors into the host's. */
static int reduce_members(call_t *c, size_t skipped)
{
  size_t element = (size_t)c->order.element, n = c->bytes / element;
  c->in = malloc(c->bytes + 1);
  if (!c->in) return ENOMEM;
  memcpy(c->in, c->part[0].in + skipped, c->bytes);
  for (int i = 1; i < c->s->members; i++) c->kernel(c->in, c->part[i].in + skipped, c->in, n);
  return 0;
}

/* Bytes of the result on this host, then a schedule, unless this is the only host. */
static int begin_course(call_t *c, size_t out, schedule_op_t op, int root, int64_t count,
                        const int64_t *host_counts)
{
  if (!call_make_out(c, out)) return ENOMEM;
  if (c->s->hosts > 1) return course_begin(c, op, root, count, host_counts);
  if (c->in && out) memcpy(call_out(c), c->in, out);
  return 0;
}

static int plan_bcast(call_t *c)
{
  int root = root_member(c), host = structure_host_of(c->s, c->order.root);
  int rc = begin_course(c, c->bytes, SCHEDULE_BCAST, host, c->order.count, NULL);
  if (rc == 0 && root >= 0) memcpy(call_out(c), c->part[root].in, c->bytes);
  return rc;
}

static int plan_reduce(call_t *c, schedule_op_t op)
{
  bool has_result = op == SCHEDULE_ALLREDUCE || root_member(c) >= 0;
  int root = op == SCHEDULE_REDUCE ? structure_host_of(c->s, c->order.root) : 0;
  int rc = reduce_members(c, 0);
  return rc ? rc : begin_course(c, has_result ? c->bytes : 0, op, root, c->order.count, NULL);
}

/* The vectors of members lie behind one another in the result; the first one is the sum of the
 * hosts before. */
static int plan_scan(call_t *c)
{
  int rc = reduce_members(c, 0);
  size_t all = (size_t)c->s->members * c->bytes;
  if (rc || !call_make_out(c, all)) return rc ? rc : ENOMEM;
  if (c->s->hosts == 1) return 0;
  return course_begin(c, SCHEDULE_EXSCAN, 0, c->order.count, NULL);
}

/* The elements of the blocks from one place to another. */
static int64_t sum(const int64_t *table, int from, int to)
{
  int64_t all = 0;
  for (int i = from; i < to; i++) all += table[i];
  return all;
}

/* A copy of the table, of which all members have given the same: it may have any alignment. */
static int64_t *table_of(const call_t *c, int n)
{
  int64_t *table = malloc((size_t)n * sizeof *table + 1);
  if (table) memcpy(table, c->part[0].in, (size_t)n * sizeof *table);
  return table;
}

/* Elements of each host's blocks. NULL: memory is out. */
static int64_t *host_counts(const call_t *c, const int64_t *table)
{
  const structure_t *s = c->s;
  int64_t *counts = malloc((size_t)s->hosts * sizeof *counts);
  for (int h = 0; counts && h < s->hosts; h++)
    counts[h] = table ? sum(table, s->first[h], s->first[h + 1])
                      : structure_host_members(s, h) * c->order.count;
  return counts;
}

/* Where members' results begin in the host's, one behind the other. */
static void divide_result(call_t *c, const int64_t *table)
{
  size_t at = 0;
  for (int i = 0; i < c->s->members; i++) {
    int64_t n = table ? table[c->s->first[c->s->me] + i] : c->order.count;
    c->part[i].at = at;
    c->part[i].bytes = (size_t)n * (size_t)c->order.element;
    at += c->part[i].bytes;
  }
}

static int plan_reduce_scatter(call_t *c, bool varied)
{
  structure_t *s = c->s;
  int all = structure_all(s);
  int64_t *table = varied ? table_of(c, all) : NULL, *counts = NULL;
  int rc = varied && !table ? ENOMEM : 0;
  int64_t n = rc ? 0 : varied ? sum(table, 0, all) : all * c->order.count;
  divide_result(c, table);
  c->bytes = (size_t)n * (size_t)c->order.element;
  if (!rc && !(counts = host_counts(c, table))) rc = ENOMEM;
  if (!rc) rc = reduce_members(c, varied ? (size_t)all * sizeof *table : 0);
  if (!rc) {
    size_t out = (size_t)counts[s->me] * (size_t)c->order.element;
    rc = begin_course(c, out, SCHEDULE_REDUCE_SCATTER, 0, counts[s->me], counts);
  }
  free(table);
  free(counts);
  return rc;
}

static int plan_allgather(call_t *c, bool varied)
{
  structure_t *s = c->s;
  int all = structure_all(s);
  size_t element = (size_t)c->order.element, skipped = varied ? (size_t)all * sizeof(int64_t) : 0;
  int64_t *table = varied ? table_of(c, all) : NULL, *counts = NULL;
  int rc = varied && !table ? ENOMEM : 0;
  size_t out = (size_t)(varied && table ? sum(table, 0, all) : all * c->order.count) * element;
  if (!rc && !(counts = host_counts(c, table))) rc = ENOMEM;
  if (!rc && !(c->in = malloc((size_t)counts[s->me] * element + 1))) rc = ENOMEM;
  size_t at = 0;
  for (int i = 0; i < s->members && !rc; i++) {
    size_t bytes = (size_t)(table ? table[s->first[s->me] + i] : c->order.count) * element;
    memcpy(c->in + at, c->part[i].in + skipped, bytes);
    at += bytes;
  }
  bool equal = !varied && s->equal;
  if (!rc)
    rc = begin_course(c, out, equal ? SCHEDULE_ALLGATHER : SCHEDULE_ALLGATHERV, 0, counts[s->me],
                      equal ? NULL : counts);
  free(table);
  free(counts);
  return rc;
}

int layout_plan(call_t *c)
{
  schedule_op_t op = (schedule_op_t)c->order.op;
  if (is_bundled(op)) return bundles_begin(c);
  switch (op) {
  case SCHEDULE_BARRIER:
    return begin_course(c, 0, op, 0, 0, NULL);
  case SCHEDULE_BCAST:
    return plan_bcast(c);
  case SCHEDULE_SCAN:
  case SCHEDULE_EXSCAN:
    return plan_scan(c);
  case SCHEDULE_REDUCE_SCATTER:
  case SCHEDULE_REDUCE_SCATTER_BLOCK:
    return plan_reduce_scatter(c, op == SCHEDULE_REDUCE_SCATTER);
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    return plan_allgather(c, op == SCHEDULE_ALLGATHERV);
  default:
    return plan_reduce(c, op);
  }
}

/* Each member's operands are those of the hosts before, then of the members before it. */
static void end_scan(call_t *c)
{
  size_t n = (size_t)c->order.count;
  bool exclusive = c->order.op == SCHEDULE_EXSCAN, any = c->s->me > 0;
  char *before = c->in; /* the host's sum isn't needed any more */
  if (any) memcpy(before, call_out(c), c->bytes);
  for (int i = 0; i < c->s->members; i++) {
    char *own = call_out(c) + (size_t)i * c->bytes;
    c->part[i].at = (size_t)i * c->bytes;
    c->part[i].bytes = exclusive && !any ? 0 : c->bytes;
    if (exclusive && any) memcpy(own, before, c->bytes);
    if (any)
      c->kernel(before, c->part[i].in, before, n);
    else
      memcpy(before, c->part[i].in, c->bytes);
    if (!exclusive) memcpy(own, before, c->bytes);
    any = true;
  }
}

int layout_end(call_t *c)
{
  schedule_op_t op = (schedule_op_t)c->order.op;
  if (is_bundled(op)) return bundles_end(c);
  if (op == SCHEDULE_SCAN || op == SCHEDULE_EXSCAN) {
    end_scan(c);
    return 0;
  }
  if (op == SCHEDULE_REDUCE_SCATTER || op == SCHEDULE_REDUCE_SCATTER_BLOCK) return 0;
  int root = root_member(c);
  for (int i = 0; i < c->s->members; i++) {
    bool gets = op == SCHEDULE_BCAST ? i != root : op != SCHEDULE_REDUCE || i == root;
    c->part[i].bytes = gets ? c->out_bytes : 0;
  }
  return 0;
}
