/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather, scatter and all-gather in two levels. Between hosts, a host's blocks are one. Hosts'
 * ranks may be anywhere in the communicator: then blocks are sorted by host in a buffer of their
 * own. */
#include "coll/block_calls.h"

#include <stdlib.h>
#include <string.h>

#include "coll/coll_levels.h"
#include "coll/coll_sides.h"
#include "coll/host/host_blocks.h"
#include "coll/overlap.h"
#include "coll/tuning/tuned.h"

/* Buffers of a call. They lie one behind the other in the communicator's scratch space, or are the
 * program's own. */
typedef struct buffers {
  char *own;    /* this rank's block */
  char *all;    /* all blocks by rank */
  char *sorted; /* the same by host; `all` if that is the same */
  char *host;   /* those of this host */
  char *next;   /* free space */
} buffers_t;

static bool make_room(coll_comm_t *c, size_t bytes, buffers_t *b)
{
  size_t blocks = 2 * (size_t)c->size + (size_t)c->memory.n + 1;
  *b = (buffers_t){.next = space_take(&c->scratch, blocks * bytes + 64)};
  return b->next != NULL;
}

/* A rank that has all blocks, or gets them, has its host's among them. */
static void take_lists(const coll_comm_t *c, const side_t *of_all, size_t bytes, buffers_t *b)
{
  size_t n = (size_t)c->size * bytes;
  if (!of_all) {
    b->host = space_divide(&b->next, (size_t)c->memory.n * bytes);
    return;
  }
  b->all = of_all->dense ? of_all->of.data : space_divide(&b->next, n);
  b->sorted = c->in_order ? b->all : space_divide(&b->next, n);
  b->host = b->sorted + (size_t)c->first[c->my_host] * bytes;
}

/* What hosts' speakers do with blocks of their hosts. `equal` is the operation if all hosts have as
 * many members, `unequal` if not. `all`: all members of the host get `out`, too, in the end. */
static int between(coll_comm_t *c, schedule_op_t equal, schedule_op_t unequal, int root,
                   const void *in, void *out, size_t bytes, bool all)
{
  levels_t l = {.op = equal, .root = root, .in = in, .out = out, .element = 1};
  schedule_blocks_t *blocks = NULL;
  run_call_t run;
  if (c->n_hosts == 1) return MPI_SUCCESS;
  l.n = (int64_t)((size_t)c->memory.n * bytes);
  if (!c->equal_hosts) {
    blocks = levels_blocks(c, unequal, NULL, bytes);
    if (!blocks) return MPI_ERR_NO_MEM;
    l.op = unequal;
    l.blocks = blocks;
  }
  bool planned = levels_plan(c, &l, &run);
  size_t total = (size_t)c->size * bytes;
  int rc = planned ? MPI_SUCCESS : MPI_ERR_INTERN;
  if (planned && all)
    rc = overlap_or_bcast(c, &run, out, total);
  else if (planned)
    rc = levels_run(c, &run);
  free(blocks);
  return rc;
}

/* This rank's block before the call, packed if it has gaps. In place, it is among the blocks that
 * this rank gets. */
static int take_own(const coll_comm_t *c, const side_t *in, const side_t *out, size_t bytes,
                    buffers_t *b)
{
  const side_t *from = in->in_place ? out : in;
  int block = in->in_place ? c->rank : 0;
  b->own = from->dense ? side_data(from, block) : space_divide(&b->next, bytes);
  return from->dense ? MPI_SUCCESS : side_pack(from, block, b->own);
}

/* All blocks to where the program wants them. */
static int give_all(const coll_comm_t *c, const side_t *out, size_t bytes, const buffers_t *b)
{
  if (b->sorted != b->all) sides_unsort(c, b->sorted, b->all, bytes);
  return out->dense ? MPI_SUCCESS : side_unpack_all(out, c->size, b->all);
}

int coll_gather(coll_comm_t *c, block_data_t from, block_data_t to, int root)
{
  side_t in, out = {0};
  buffers_t b;
  bool is_root = c->rank == root;
  if (root < 0 || root >= c->size || !side_look(from, &in) || (is_root && !side_look(to, &out)) ||
      (in.in_place && !is_root) || out.in_place)
    return PASS_ON;
  size_t bytes = in.in_place ? out.bytes : in.bytes;
  if (tuned_away(c, SCHEDULE_GATHER, bytes)) return PASS_ON;
  if (bytes == 0) return MPI_SUCCESS;
  if (!make_room(c, bytes, &b)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, root);
  take_lists(c, is_root ? &out : NULL, bytes, &b);
  int rc = take_own(c, &in, &out, bytes, &b);
  rc = side_code(rc, host_gather(&c->memory, levels_speaker(c), b.own, b.host, bytes));
  rc = side_code(
      rc, between(c, SCHEDULE_GATHER, SCHEDULE_GATHERV, root, b.host, b.sorted, bytes, false));
  return is_root ? side_code(rc, give_all(c, &out, bytes, &b)) : rc;
}

int coll_allgather(coll_comm_t *c, block_data_t from, block_data_t to)
{
  side_t in, out;
  buffers_t b;
  host_t *h = &c->memory;
  if (!side_look(from, &in) || !side_look(to, &out) || out.in_place) return PASS_ON;
  size_t bytes = out.bytes;
  if (tuned_away(c, SCHEDULE_ALLGATHER, bytes)) return PASS_ON;
  if (bytes == 0) return MPI_SUCCESS;
  if (!make_room(c, bytes, &b)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  take_lists(c, &out, bytes, &b);
  int rc = take_own(c, &in, &out, bytes, &b);
  if (c->n_hosts == 1) {
    rc = side_code(rc, host_gather(h, HOST_EACH, b.own, b.all, bytes));
  } else {
    rc = side_code(rc, host_gather(h, 0, b.own, b.host, bytes));
    rc = side_code(rc, between(c, SCHEDULE_ALLGATHER, SCHEDULE_ALLGATHERV, LEVELS_NO_ROOT, b.host,
                               b.sorted, bytes, true));
  }
  return side_code(rc, give_all(c, &out, bytes, &b));
}

/* All blocks of the root, packed if they have gaps, and by host. */
static int sort_all(const coll_comm_t *c, const side_t *in, size_t bytes, const buffers_t *b)
{
  int rc = in->dense ? MPI_SUCCESS : side_pack_all(in, c->size, b->all);
  if (rc == MPI_SUCCESS && b->sorted != b->all) sides_sort(c, b->all, b->sorted, bytes);
  return rc;
}

int coll_scatter(coll_comm_t *c, block_data_t from, block_data_t to, int root)
{
  side_t in = {0}, out;
  buffers_t b;
  bool is_root = c->rank == root;
  if (root < 0 || root >= c->size || !side_look(to, &out) || (is_root && !side_look(from, &in)) ||
      (out.in_place && !is_root) || in.in_place)
    return PASS_ON;
  size_t bytes = out.in_place ? in.bytes : out.bytes;
  int rc = MPI_SUCCESS;
  if (tuned_away(c, SCHEDULE_SCATTER, bytes)) return PASS_ON;
  if (bytes == 0) return MPI_SUCCESS;
  if (!make_room(c, bytes, &b)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, root);
  take_lists(c, is_root ? &in : NULL, bytes, &b);
  b.own = out.in_place ? NULL : out.dense ? out.of.data : space_divide(&b.next, bytes);
  if (is_root) rc = sort_all(c, &in, bytes, &b);
  rc = side_code(
      rc, between(c, SCHEDULE_SCATTER, SCHEDULE_SCATTERV, root, b.sorted, b.host, bytes, false));
  rc = side_code(rc, host_scatter(&c->memory, levels_speaker(c), b.host, b.own, bytes));
  if (out.in_place || out.dense) return rc;
  return side_code(rc, side_unpack(&out, 0, b.own));
}
