/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce-scatter in two levels: each host reduces all blocks, then hosts reduce and exchange blocks
 * of all their members, then each member gets its own. */
#include "coll/reduced_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "coll/coll_levels.h"
#include "coll/host/host_exchange.h"
#include "coll/ordered_calls.h"
#include "coll/overlap.h"
#include "coll/tuning/tuned.h"

/* Where blocks are, in elements. */
typedef struct layout {
  const size_t *first; /* of each rank's block, and the number of all: size + 1 numbers */
  size_t *n;           /* of each rank's block */
  size_t *sorted;      /* as sides_places says */
} layout_t;

/* False: out of memory. */
static bool lay_out(coll_comm_t *c, const size_t *first, layout_t *l)
{
  size_t size = (size_t)c->size;
  l->first = first;
  l->n = (size_t *)(void *)space_take(&c->packed, (2 * size + 1) * sizeof *l->n);
  if (!l->n) return false;
  l->sorted = l->n + size;
  for (size_t r = 0; r < size; r++) l->n[r] = first[r + 1] - first[r];
  sides_places(c, l->n, l->sorted);
  return true;
}

/* Each member gets its block of the host's blocks, which the speaker has. */
static int hand_out(coll_comm_t *c, const layout_t *l, size_t extent, char *blocks, char *out)
{
  host_t *h = &c->memory;
  host_lists_t lists;
  const size_t *own = l->sorted + c->first[c->my_host];
  if (!host_lists(h, &lists)) return MPI_ERR_NO_MEM;
  lists.get[levels_speaker(c)] = (host_block_t){out, l->n[c->rank] * extent};
  for (int i = 0; levels_speaks(c) && i < h->n; i++)
    lists.give[i] =
        (host_block_t){blocks + (own[i] - own[0]) * extent, (own[i + 1] - own[i]) * extent};
  return host_exchange(h, &lists);
}

/* `room` is for three times all blocks. */
static int reduce_by_host(coll_comm_t *c, const char *in, char *out, const layout_t *l,
                          const reduction_t *r, const run_call_t *run, char *room)
{
  size_t n = l->first[c->size], all = n * r->extent;
  char *reduced = room, *sorted = c->in_order ? reduced : room + all, *host = room + 2 * all;
  run_call_t own = *run;
  own.in = sorted;
  own.out = host;
  if (overlap_wanted(c, run)) {
    const overlap_blocks_t blocks = {l->first, l->sorted};
    int rc = overlap_run(
        c, &own, &(overlap_t){in, r, c->in_order ? NULL : &blocks, NULL, (int64_t)n, false});
    return side_code(rc, hand_out(c, l, r->extent, host, out));
  }
  int rc = host_reduce(&c->memory, 0, in, reduced, n, r);
  for (int i = 0; levels_speaks(c) && sorted != reduced && i < c->size; i++) {
    int k = c->by_host[i];
    memcpy(sorted + l->sorted[i] * r->extent, reduced + l->first[k] * r->extent,
           l->n[k] * r->extent);
  }
  rc = side_code(rc, levels_run(c, &own));
  return side_code(rc, hand_out(c, l, r->extent, host, out));
}

int coll_reduce_blocks_of(coll_comm_t *c, const void *in, void *out, const size_t *first,
                          const reduction_t *r)
{
  layout_t l;
  run_call_t run;
  levels_t b = {.op = SCHEDULE_REDUCE_SCATTER, .root = LEVELS_NO_ROOT, .element = r->extent};
  if (c->n_hosts == 1) return host_reduce_blocks(&c->memory, in, out, first, r);
  if (!lay_out(c, first, &l)) return MPI_ERR_NO_MEM;
  schedule_blocks_t *blocks = levels_blocks(c, b.op, l.n, 0);
  if (!blocks) return MPI_ERR_NO_MEM;
  b.blocks = blocks;
  b.reduce = r;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  int rc = levels_plan(c, &b, &run) ? MPI_SUCCESS : PASS_ON;
  char *room = rc == MPI_SUCCESS ? space_take(&c->scratch, 3 * first[c->size] * r->extent) : NULL;
  if (rc == MPI_SUCCESS) rc = room ? reduce_by_host(c, in, out, &l, r, &run, room) : MPI_ERR_NO_MEM;
  free(blocks);
  return rc;
}

/* Where each rank's block begins, and the number of all elements. NULL: out of memory; a list that
 * ends with SIZE_MAX: the MPI refuses the counts. */
static size_t *list_blocks(coll_comm_t *c, amounts_t counts, int64_t count)
{
  size_t *first = (size_t *)(void *)space_take(&c->numbers, ((size_t)c->size + 1) * sizeof *first);
  if (!first) return NULL;
  first[0] = 0;
  for (int r = 0; r < c->size; r++) {
    int64_t n = amounts_there(counts) ? amounts_of(counts, r) : count;
    if (n < 0) {
      first[c->size] = SIZE_MAX;
      break;
    }
    first[r + 1] = first[r] + (size_t)n;
  }
  return first;
}

static int reduce_blocks(coll_comm_t *c, const void *in, void *out, amounts_t counts, int64_t count,
                         MPI_Datatype type, MPI_Op op)
{
  reduction_t r;
  if (c->largest > HOST_EXCHANGERS || !reduction_of(type, op, HOST_ROOM, &r)) return PASS_ON;
  const size_t *first = list_blocks(c, counts, count);
  if (!first) return MPI_ERR_NO_MEM;
  size_t n = first[c->size];
  if (n == SIZE_MAX || tuned_away(c, SCHEDULE_REDUCE_SCATTER, n * r.extent / (size_t)c->size))
    return PASS_ON;
  if (n == 0) return MPI_SUCCESS;
  bool gets = first[c->rank + 1] > first[c->rank];
  if (!in || out == MPI_IN_PLACE || (!out && (in == MPI_IN_PLACE || gets))) return PASS_ON;
  /* In place, the input would be overwritten while others read it. */
  if (in == MPI_IN_PLACE) {
    char *copy = space_take(&c->copy, n * r.extent);
    if (!copy) return MPI_ERR_NO_MEM;
    in = memcpy(copy, out, n * r.extent);
  }
  return ordered_needed(c, &r, n, true) ? ordered_blocks(c, in, out, first, &r)
                                        : coll_reduce_blocks_of(c, in, out, first, &r);
}

int coll_reduce_scatter(coll_comm_t *c, const void *in, void *out, amounts_t counts,
                        MPI_Datatype type, MPI_Op op)
{
  return amounts_there(counts) ? reduce_blocks(c, in, out, counts, 0, type, op) : PASS_ON;
}

int coll_reduce_block(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                      MPI_Op op)
{
  const amounts_t none = {NULL, NULL};
  return reduce_blocks(c, in, out, none, count, type, op);
}
