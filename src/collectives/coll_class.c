/* SPDX-License-Identifier: BSD-3-Clause */
#include "collectives/coll_class.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "collectives/coll_blocks.h"
#include "collectives/coll_groups.h"
#include "pattern/phase_find.h"
#include "schedule/schedule_round.h"

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
    {"MPI_Alltoallv", SCHEDULE_ALLTOALLV, A_BLOCK_A_RANK},
    {"MPI_Allgatherv", SCHEDULE_ALLGATHERV, ONE_BLOCK},
    {"MPI_Gatherv", SCHEDULE_GATHERV, ONE_BLOCK},
    {"MPI_Scatterv", SCHEDULE_SCATTERV, ONE_BLOCK},
    {"MPI_Reduce_scatter", SCHEDULE_REDUCE_SCATTER, A_BLOCK_A_RANK},
    {"MPI_Alltoallw", SCHEDULE_ALLTOALLW, A_BLOCK_A_RANK},
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

/* The line of an operation, and how it is called: MPI_Ibcast and MPI_Bcast_init are MPI_Bcast. -1:
 * there is none. */
static int operation_of(const char *name, schedule_way_t *way)
{
  char own[64];
  schedule_op_t op;
  if (strncmp(name, "MPI_", 4) != 0 || strlen(name) >= sizeof own) return -1;
  snprintf(own, sizeof own, "%s", name + 4);
  own[0] = (char)tolower((unsigned char)own[0]);
  if (!schedule_op_find_call(own, &op, way)) return -1;
  for (int i = 0; i < N_OPERATIONS; i++)
    if (operations[i].op == op) return i;
  return -1;
}

int coll_comm_size(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *found = pattern_comm(p, comm);
  return found ? (int)found->n_ranks : comm == 0 ? berth_pattern_ranks(p) : 0;
}

const int *coll_comm_ranks(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *found = pattern_comm(p, comm);
  return found ? found->ranks : NULL;
}

/* Whether a communicator is of two groups. Rules and algorithms are those of one. */
static bool is_between_groups(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *found = pattern_comm(p, comm);
  return found && found->border > 0;
}

/* Fills a class; free its blocks. False: there is no schedule for such operations, a file has a
 * root outside of the communicator or more bytes than all its ranks may have, or there is no
 * memory. */
static bool class_of(const berth_pattern_t *p, const berth_coll_t *coll, coll_class_t *out,
                     bool *no_memory)
{
  schedule_way_t way = SCHEDULE_BLOCKING;
  int i = operation_of(coll->op, &way), size = coll_comm_size(p, coll->comm);
  coll_blocks_t blocks;
  *no_memory = false;
  if (i < 0 || size < 1 || coll->root >= size || is_between_groups(p, coll->comm)) return false;
  const berth_phase_t *phase = pattern_phase(p, coll->phase);
  uint64_t block = coll->bytes / (operations[i].blocks == A_BLOCK_A_RANK ? (uint64_t)size : 1);
  if (!coll_blocks_of(p, coll, operations[i].op, size, block, phase ? phase->repeats : 1, &blocks,
                      no_memory))
    return false;
  schedule_call_t call = {.op = operations[i].op,
                          .size = size,
                          .root = coll->root < 0 ? 0 : coll->root,
                          .count = blocks.count,
                          .blocks = blocks.blocks,
                          .commutative = !coll->uncommutative};
  *out = (coll_class_t){.phase = coll->phase,
                        .comm = coll->comm,
                        .op = coll->op,
                        .request = {.call = call,
                                    .element = blocks.element,
                                    .in_place = coll->in_place,
                                    .user_operation = coll->user_operation,
                                    .way = way},
                        .blocks = blocks.blocks,
                        .calls = coll->count,
                        .site = coll->site};
  return true;
}

/* --- order --- */

/* Calls of the same size; those with blocks of one size come first. */
static int blocks_order(const void *a, const void *b)
{
  const coll_class_t *x = a, *y = b;
  if (!x->blocks || !y->blocks) return ORDER(!y->blocks, !x->blocks);
  size_t size = (size_t)x->request.call.size, row = size + 1;
  bool pairs = schedule_block_kind(x->request.call.op) == SCHEDULE_PAIR_BLOCKS;
  return memcmp(x->blocks->begin, y->blocks->begin, (pairs ? size : 1) * row * sizeof(int64_t));
}

ORDER_BY(by_kind, coll_class_t,
         RISING(phase) RISING(request.call.op) RISING(request.way) RISING(request.call.size)
             RISING(request.call.count) RISING(request.element) RISING(request.call.root)
                 RISING(request.in_place) RISING(request.user_operation)
                     RISING(request.call.commutative) BY(blocks_order))
ORDER_BY(call_order, coll_class_t, BY(by_kind) RISING(comm) RISING(more))

int coll_kind_order(const void *a, const void *b) { return by_kind(a, b); }

int coll_classes_mark(coll_class_t *c, size_t n, berth_pattern_t *p, berth_error_t *err)
{
  size_t n_colls;
  bool lost = false;
  const berth_coll_t *colls = berth_pattern_colls(p, &n_colls);
  qsort(c, n, sizeof *c, call_order);
  for (size_t i = 0; i < n_colls && !lost; i++) {
    coll_class_t own;
    if (!class_of(p, &colls[i], &own, &lost)) continue;
    const coll_class_t *found = bsearch(&own, c, n, sizeof *c, call_order);
    if (found && found->included) berth_pattern_set_included(p, i, found->included);
    free(own.blocks);
  }
  return lost ? no_memory(err) : BERTH_OK;
}

/* --- classes --- */

static size_t merge(coll_class_t *c, size_t n)
{
  size_t kept = 0;
  qsort(c, n, sizeof *c, call_order);
  for (size_t i = 0; i < n; i++) {
    uint64_t *calls = kept > 0 ? &c[kept - 1].calls : NULL;
    if (!calls || call_order(&c[kept - 1], &c[i]) != 0) {
      c[kept++] = c[i];
      continue;
    }
    free(c[i].blocks);
    c[kept - 1].more_sites |= c[i].site != c[kept - 1].site;
    if (__builtin_add_overflow(*calls, c[i].calls, calls))
      *calls = UINT64_MAX; /* more than a pattern holds: refused as the repeats of a phase */
  }
  return kept;
}

/* Fails if the pattern has more blocks than fit. */
static int check_blocks(const berth_pattern_t *p, berth_error_t *err)
{
  size_t n_colls, n = 0;
  const berth_coll_t *colls = berth_pattern_colls(p, &n_colls);
  for (size_t i = 0; i < n_colls && n <= SCHEDULE_MOST_MESSAGES; i++) {
    schedule_way_t way;
    int k = operation_of(colls[i].op, &way);
    if (k >= 0)
      n += coll_blocks_number(&colls[i], operations[k].op, coll_comm_size(p, colls[i].comm));
  }
  if (n <= SCHEDULE_MOST_MESSAGES) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING,
                    "collective operations: found more than %d blocks of different sizes, expected "
                    "at most as many",
                    SCHEDULE_MOST_MESSAGES);
}

void coll_classes_free(coll_class_t *c, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!c[i].more) free(c[i].blocks);
  free(c);
}

/* Fills the classes of all calls, merged. */
static int find_classes(const berth_pattern_t *p, coll_class_t *c, size_t *n, berth_error_t *err)
{
  size_t n_colls;
  bool lost = false;
  const berth_coll_t *colls = berth_pattern_colls(p, &n_colls);
  for (size_t i = 0; i < n_colls && !lost; i++) *n += class_of(p, &colls[i], &c[*n], &lost);
  if (lost) return no_memory(err);
  *n = merge(c, *n);
  return BERTH_OK;
}

coll_class_t *coll_classes(const berth_pattern_t *p, size_t *n, berth_error_t *err)
{
  size_t n_colls;
  *n = 0;
  if (check_blocks(p, err)) return NULL;
  berth_pattern_colls(p, &n_colls);
  coll_class_t *c = malloc((n_colls + 1) * sizeof *c);
  if (!c) return no_memory_null(err);
  if (!find_classes(p, c, n, err)) {
    c = coll_groups_make(p, c, n);
    return c ? c : no_memory_null(err);
  }
  coll_classes_free(c, *n);
  *n = 0;
  return NULL;
}
