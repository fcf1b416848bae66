/* SPDX-License-Identifier: BSD-3-Clause */
#include "collectives/coll_class.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/phase_find.h"

/* What a pattern's `bytes` are, in blocks of the schedule. */
typedef enum blocks { ONE_BLOCK, A_BLOCK_A_RANK } blocks_t;

static const struct {
  const char *name;
  schedule_op_t op;
  blocks_t blocks;
} operations[] = {
    {"MPI_Barrier", SCHEDULE_BARRIER, ONE_BLOCK},
    {"MPI_Bcast", SCHEDULE_BCAST, ONE_BLOCK},
    {"MPI_Reduce", SCHEDULE_REDUCE, ONE_BLOCK},
    {"MPI_Allreduce", SCHEDULE_ALLREDUCE, ONE_BLOCK},
    {"MPI_Gather", SCHEDULE_GATHER, ONE_BLOCK},
    {"MPI_Scatter", SCHEDULE_SCATTER, ONE_BLOCK},
    {"MPI_Allgather", SCHEDULE_ALLGATHER, ONE_BLOCK},
    {"MPI_Alltoall", SCHEDULE_ALLTOALL, A_BLOCK_A_RANK},
    {"MPI_Reduce_scatter_block", SCHEDULE_REDUCE_SCATTER_BLOCK, A_BLOCK_A_RANK},
    {"MPI_Scan", SCHEDULE_SCAN, ONE_BLOCK},
    {"MPI_Exscan", SCHEDULE_EXSCAN, ONE_BLOCK},
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

static int operation_of(const char *name)
{
  for (int i = 0; i < N_OPERATIONS; i++)
    if (strcmp(operations[i].name, name) == 0) return i;
  return -1;
}

static int64_t element_of(uint64_t bytes)
{
  int64_t element = 8;
  while (bytes % (uint64_t)element) element /= 2;
  return element;
}

/* 0: the pattern doesn't say what the communicator is. */
static int size_of(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *found = pattern_comm(p, comm);
  return found ? (int)found->n_ranks : comm == 0 ? berth_pattern_ranks(p) : 0;
}

const int *coll_comm_ranks(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *found = pattern_comm(p, comm);
  return found ? found->ranks : NULL;
}

/* False: there is no schedule for such operations, or a file has a root outside of the communicator
 * or more bytes than all its ranks may have. */
static bool class_of(const berth_pattern_t *p, const berth_coll_t *coll, coll_class_t *out)
{
  int i = operation_of(coll->op), size = size_of(p, coll->comm);
  if (i < 0 || size < 1 || coll->root >= size) return false;
  uint64_t block = coll->bytes / (operations[i].blocks == A_BLOCK_A_RANK ? (uint64_t)size : 1);
  if (block > BERTH_MAX_AMOUNT / (uint64_t)size) return false;
  int64_t element = element_of(block);
  schedule_call_t call = {.op = operations[i].op,
                          .size = size,
                          .root = coll->root < 0 ? 0 : coll->root,
                          .count = (int64_t)block / element,
                          .commutative = true};
  *out = (coll_class_t){.phase = coll->phase,
                        .comm = coll->comm,
                        .op = operations[i].name,
                        .request = {call, element},
                        .calls = coll->count};
  return true;
}

/* --- order --- */

ORDER_BY(kind_order, coll_class_t,
         RISING(phase) RISING(request.call.op) RISING(request.call.size) RISING(request.call.count)
             RISING(request.element) RISING(request.call.root))
ORDER_BY(call_order, coll_class_t, BY(kind_order) RISING(comm))
ORDER_BY(beside_order, coll_class_t, BY(kind_order) RISING(calls) RISING(comm))
ORDER_BY(group_order, coll_class_t, RISING(group) RISING(comm))

void coll_classes_mark(coll_class_t *c, size_t n, berth_pattern_t *p)
{
  size_t n_colls;
  coll_class_t own;
  const berth_coll_t *colls = berth_pattern_colls(p, &n_colls);
  qsort(c, n, sizeof *c, call_order);
  for (size_t i = 0; i < n_colls; i++) {
    if (!class_of(p, &colls[i], &own)) continue;
    const coll_class_t *found = bsearch(&own, c, n, sizeof *c, call_order);
    if (found && found->included) berth_pattern_set_included(p, i);
  }
}

/* --- classes --- */

static size_t merge(coll_class_t *c, size_t n)
{
  size_t kept = 0;
  qsort(c, n, sizeof *c, call_order);
  for (size_t i = 0; i < n; i++) {
    uint64_t *calls = kept > 0 ? &c[kept - 1].calls : NULL;
    if (!calls || call_order(&c[kept - 1], &c[i]) != 0)
      c[kept++] = c[i];
    else if (__builtin_add_overflow(*calls, c[i].calls, calls))
      *calls = UINT64_MAX; /* more than a pattern holds: refused as the repeats of a phase */
  }
  return kept;
}

/* Whether the communicator has no rank that the group has; then it gets the communicator's. */
static bool joins(const berth_pattern_t *p, const coll_class_t *c, int group, int *group_of_rank)
{
  const int *ranks = coll_comm_ranks(p, c->comm);
  int n = c->request.call.size;
  for (int r = 0; r < n; r++)
    if (group_of_rank[ranks ? ranks[r] : r] == group) return false;
  for (int r = 0; r < n; r++) group_of_rank[ranks ? ranks[r] : r] = group;
  return true;
}

/* Puts each class into the first group of its kind, and with as many calls, that it may join. */
static void find_groups(const berth_pattern_t *p, coll_class_t *c, size_t n, int *group_of_rank)
{
  int group = -1;
  for (size_t i = 0; i < n; i++) {
    if (c[i].group >= 0) continue;
    group++;
    for (size_t k = i; k < n && kind_order(&c[k], &c[i]) == 0 && c[k].calls == c[i].calls; k++)
      if (c[k].group < 0 && joins(p, &c[k], group, group_of_rank)) c[k].group = group;
  }
}

static void group(const berth_pattern_t *p, coll_class_t *c, size_t n, int *group_of_rank)
{
  for (int r = 0; r < berth_pattern_ranks(p); r++) group_of_rank[r] = -1;
  for (size_t i = 0; i < n; i++) c[i].group = -1;
  qsort(c, n, sizeof *c, beside_order);
  find_groups(p, c, n, group_of_rank);
  qsort(c, n, sizeof *c, group_order);
}

coll_class_t *coll_classes(const berth_pattern_t *p, size_t *n, berth_error_t *err)
{
  size_t n_colls;
  const berth_coll_t *colls = berth_pattern_colls(p, &n_colls);
  coll_class_t *c = malloc((n_colls + 1) * sizeof *c);
  int *group_of_rank = malloc((size_t)berth_pattern_ranks(p) * sizeof *group_of_rank);
  *n = 0;
  if (!c || !group_of_rank) {
    free(c);
    free(group_of_rank);
    return no_memory(err), NULL;
  }
  for (size_t i = 0; i < n_colls; i++) *n += class_of(p, &colls[i], &c[*n]);
  *n = merge(c, *n);
  group(p, c, *n, group_of_rank);
  free(group_of_rank);
  return c;
}
