/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce-scatter in two levels: each host reduces all blocks, then hosts reduce and exchange blocks
 * of all their members, then each member gets its own. */
#include "coll/reduced_blocks.h"

#include <string.h>

#include "coll/coll_levels.h"
#include "coll/host_exchange.h"

/* Where blocks are, in elements. */
typedef struct layout {
  size_t *first;  /* of each rank's block, and the number of all: size + 1 numbers */
  size_t *n;      /* of each rank's block */
  size_t *sorted; /* as sides_places says */
} layout_t;

static size_t layout_size(const coll_comm_t *c)
{
  return (3 * (size_t)c->size + 2) * sizeof(size_t);
}

/* `room` has layout_size bytes. False: the MPI refuses the counts. */
static bool lay_out(const coll_comm_t *c, amounts_t counts, int64_t count, char *room, layout_t *l)
{
  size_t *first = (size_t *)(void *)room, size = (size_t)c->size;
  *l = (layout_t){first, first + size + 1, first + 2 * size + 1};
  l->first[0] = 0;
  for (int r = 0; r < c->size; r++) {
    int64_t n = amounts_there(counts) ? amounts_of(counts, r) : count;
    if (n < 0) return false;
    l->n[r] = (size_t)n;
    l->first[r + 1] = l->first[r] + (size_t)n;
  }
  sides_places(c, l->n, l->sorted);
  return true;
}

/* Each member gets its block of the host's blocks, which the speaker has. */
static int hand_out(coll_comm_t *c, const layout_t *l, size_t extent, char *blocks, char *out)
{
  host_t *h = &c->memory;
  host_block_t *give = calloc(2 * (size_t)h->n, sizeof *give), *get = give + h->n;
  const size_t *own = l->sorted + c->first[c->my_host];
  if (!give) return MPI_ERR_NO_MEM;
  get[levels_speaker(c)] = (host_block_t){out, l->n[c->rank] * extent};
  for (int i = 0; levels_speaks(c) && i < h->n; i++)
    give[i] = (host_block_t){blocks + (own[i] - own[0]) * extent, (own[i + 1] - own[i]) * extent};
  int rc = host_exchange(h, give, get);
  free(give);
  return rc;
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
  int rc = host_reduce(&c->memory, 0, in, reduced, n, r);
  for (int i = 0; levels_speaks(c) && sorted != reduced && i < c->size; i++) {
    int k = c->by_host[i];
    memcpy(sorted + l->sorted[i] * r->extent, reduced + l->first[k] * r->extent,
           l->n[k] * r->extent);
  }
  rc = side_code(rc, levels_run(c, &own));
  return side_code(rc, hand_out(c, l, r->extent, host, out));
}

static int reduce_blocks(coll_comm_t *c, const void *in, void *out, amounts_t counts, int64_t count,
                         MPI_Datatype type, MPI_Op op)
{
  reduction_t r;
  layout_t l;
  run_call_t run;
  char *room = space_take(&c->lists, layout_size(c));
  if (!room) return MPI_ERR_NO_MEM;
  if (c->largest > HOST_EXCHANGERS || !reduction_of(type, op, HOST_ROOM, &r) ||
      !lay_out(c, counts, count, room, &l))
    return PASS_ON;
  size_t all = l.first[c->size] * r.extent;
  if (all == 0) return MPI_SUCCESS;
  if (!in || (!out && (in == MPI_IN_PLACE || l.n[c->rank] > 0))) return PASS_ON;
  levels_t b = {.op = SCHEDULE_REDUCE_SCATTER, .root = LEVELS_NO_ROOT, .element = r.extent};
  schedule_blocks_t *blocks = c->n_hosts > 1 ? levels_blocks(c, b.op, l.n, 0) : NULL;
  if (c->n_hosts > 1 && !blocks) return MPI_ERR_NO_MEM;
  b.blocks = blocks;
  b.reduce = &r;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  int rc = c->n_hosts > 1 && !levels_plan(c, &b, &run) ? PASS_ON : MPI_SUCCESS;
  /* In place, the input would be overwritten while others read it. */
  size_t between = c->n_hosts > 1 ? 3 * all : 0, copy = in == MPI_IN_PLACE ? all : 0;
  room = rc == MPI_SUCCESS ? space_take(&c->scratch, between + copy) : NULL;
  if (rc == MPI_SUCCESS && !room) rc = MPI_ERR_NO_MEM;
  if (rc == MPI_SUCCESS && copy) in = memcpy(room + between, out, all);
  if (rc == MPI_SUCCESS)
    rc = c->n_hosts > 1 ? reduce_by_host(c, in, out, &l, &r, &run, room)
                        : host_reduce_blocks(&c->memory, in, out, l.first, &r);
  free(blocks);
  return rc;
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
