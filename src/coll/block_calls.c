/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather, scatter and all-gather in two levels. Between hosts, a host's blocks are one. Hosts'
 * ranks may be anywhere in the communicator: then blocks are sorted by host in a buffer of their
 * own. */
#include "coll/block_calls.h"

#include <stdlib.h>
#include <string.h>

#include "coll/coll_levels.h"
#include "coll/host_blocks.h"
#include "coll/packing.h"

/* One side of a call: the blocks that this rank has or gets. */
typedef struct side {
  block_data_t of;
  size_t bytes; /* of a block */
  size_t size;  /* of an element */
  bool dense, in_place;
} side_t;

/* False: the MPI refuses it. */
static bool look(block_data_t of, side_t *out)
{
  *out = (side_t){.of = of, .in_place = of.data == MPI_IN_PLACE};
  if (out->in_place) return true;
  if (of.count < 0 || !reduction_layout(of.type, &out->size, &out->dense)) return false;
  out->bytes = (size_t)of.count * out->size;
  return of.data || !out->dense || out->bytes == 0;
}

/* The place of a rank's block if they are sorted by host. */
static size_t sorted_place(const coll_comm_t *c, int rank)
{
  return (size_t)(c->first[c->host[rank]] + c->within[rank]);
}

static void sort_blocks(const coll_comm_t *c, const char *from, char *to, size_t bytes)
{
  for (int r = 0; r < c->size; r++)
    memcpy(to + sorted_place(c, r) * bytes, from + (size_t)r * bytes, bytes);
}

static void unsort_blocks(const coll_comm_t *c, const char *from, char *to, size_t bytes)
{
  for (int r = 0; r < c->size; r++)
    memcpy(to + (size_t)r * bytes, from + sorted_place(c, r) * bytes, bytes);
}

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

static char *take(buffers_t *b, size_t bytes)
{
  char *taken = b->next;
  b->next += (bytes + 15) / 16 * 16;
  return taken;
}

/* A rank that has all blocks, or gets them, has its host's among them. */
static void take_lists(const coll_comm_t *c, const side_t *of_all, size_t bytes, buffers_t *b)
{
  size_t n = (size_t)c->size * bytes;
  if (!of_all) {
    b->host = take(b, (size_t)c->memory.n * bytes);
    return;
  }
  b->all = of_all->dense ? of_all->of.data : take(b, n);
  b->sorted = c->in_order ? b->all : take(b, n);
  b->host = b->sorted + (size_t)c->first[c->my_host] * bytes;
}

/* The blocks of hosts, if each rank has n elements; free them. NULL: memory is out. */
static schedule_blocks_t *host_blocks(const coll_comm_t *c, schedule_op_t op, size_t n)
{
  int64_t *counts = malloc((size_t)c->n_hosts * sizeof *counts);
  for (int k = 0; counts && k < c->n_hosts; k++)
    counts[k] = (int64_t)((size_t)(c->first[k + 1] - c->first[k]) * n);
  schedule_blocks_t *blocks = counts ? schedule_blocks_new(op, c->n_hosts, counts) : NULL;
  free(counts);
  return blocks;
}

/* What hosts' speakers do with blocks of their hosts. `equal` is the operation if all hosts have as
 * many members, `unequal` if not. */
static int between(coll_comm_t *c, schedule_op_t equal, schedule_op_t unequal, int root,
                   const void *in, void *out, size_t bytes)
{
  levels_t l = {.op = equal, .root = root, .in = in, .out = out, .element = 1};
  schedule_blocks_t *blocks = NULL;
  run_call_t run;
  if (c->n_hosts == 1) return MPI_SUCCESS;
  l.n = (int64_t)((size_t)c->memory.n * bytes);
  if (!c->equal_hosts) {
    blocks = host_blocks(c, unequal, bytes);
    if (!blocks) return MPI_ERR_NO_MEM;
    l.op = unequal;
    l.blocks = blocks;
  }
  int rc = levels_plan(c, &l, &run) ? levels_run(c, &run) : MPI_ERR_INTERN;
  free(blocks);
  return rc;
}

static int first_code(int a, int b) { return a == MPI_SUCCESS ? b : a; }

/* This rank's block before the call, packed if it has gaps. In place, it is among the blocks that
 * this rank gets. */
static int take_own(const coll_comm_t *c, const side_t *in, const side_t *out, size_t bytes,
                    buffers_t *b)
{
  const side_t *from = in->in_place ? out : in;
  char *data = from->of.data;
  if (in->in_place) {
    MPI_Count low, extent;
    int rc = mpi.Type_get_extent_x(from->of.type, &low, &extent);
    if (rc != MPI_SUCCESS) return rc;
    data += c->rank * from->of.count * extent;
  }
  b->own = from->dense ? data : take(b, bytes);
  return from->dense ? MPI_SUCCESS
                     : packing_move(b->own, data, from->of.count, from->of.type, from->size, false);
}

/* All blocks to where the program wants them. */
static int give_all(const coll_comm_t *c, const side_t *out, size_t bytes, const buffers_t *b)
{
  if (b->sorted != b->all) unsort_blocks(c, b->sorted, b->all, bytes);
  return out->dense ? MPI_SUCCESS
                    : packing_move(b->all, out->of.data, c->size * out->of.count, out->of.type,
                                   out->size, true);
}

int coll_gather(coll_comm_t *c, block_data_t from, block_data_t to, int root)
{
  side_t in, out = {0};
  buffers_t b;
  bool is_root = c->rank == root;
  if (root < 0 || root >= c->size || !look(from, &in) || (is_root && !look(to, &out)) ||
      (in.in_place && !is_root) || out.in_place)
    return PASS_ON;
  size_t bytes = in.in_place ? out.bytes : in.bytes;
  if (bytes == 0) return MPI_SUCCESS;
  if (!make_room(c, bytes, &b)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, root);
  take_lists(c, is_root ? &out : NULL, bytes, &b);
  int rc = take_own(c, &in, &out, bytes, &b);
  rc = first_code(rc, host_gather(&c->memory, levels_speaker(c), b.own, b.host, bytes));
  rc = first_code(rc, between(c, SCHEDULE_GATHER, SCHEDULE_GATHERV, root, b.host, b.sorted, bytes));
  return is_root ? first_code(rc, give_all(c, &out, bytes, &b)) : rc;
}

/* Blocks of all ranks are reduced on each host, then each host's blocks between hosts. */
static int reduce_by_host(coll_comm_t *c, const char *in, char *out, size_t n, const reduction_t *r,
                          const run_call_t *run, char *room)
{
  size_t block = n * r->extent, all = block * (size_t)c->size;
  char *reduced = room, *sorted = c->in_order ? reduced : room + all, *host = room + 2 * all;
  run_call_t own = *run;
  own.in = sorted;
  own.out = host;
  int rc = host_reduce(&c->memory, 0, in, reduced, n * (size_t)c->size, r);
  if (levels_speaks(c) && sorted != reduced) sort_blocks(c, reduced, sorted, block);
  rc = first_code(rc, levels_run(c, &own));
  return first_code(rc, host_scatter(&c->memory, 0, host, out, block));
}

int coll_reduce_block(coll_comm_t *c, const void *in, void *out, int64_t count, MPI_Datatype type,
                      MPI_Op op)
{
  reduction_t r;
  run_call_t run;
  levels_t l = {.op = SCHEDULE_REDUCE_SCATTER, .root = LEVELS_NO_ROOT};
  if (count < 0 || !reduction_of(type, op, HOST_ROOM, &r)) return PASS_ON;
  if (count == 0) return MPI_SUCCESS;
  if (!in || !out) return PASS_ON;
  size_t block = (size_t)count * r.extent, all = block * (size_t)c->size;
  schedule_blocks_t *blocks = c->n_hosts > 1 ? host_blocks(c, l.op, (size_t)count) : NULL;
  if (c->n_hosts > 1 && !blocks) return MPI_ERR_NO_MEM;
  l.blocks = blocks;
  l.element = r.extent;
  l.reduce = &r;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  int rc = c->n_hosts > 1 && !levels_plan(c, &l, &run) ? PASS_ON : MPI_SUCCESS;
  /* In place, the input would be overwritten while others read it. */
  size_t between = c->n_hosts > 1 ? 3 * all : 0, copy = in == MPI_IN_PLACE ? all : 0;
  char *room = rc == MPI_SUCCESS ? space_take(&c->scratch, between + copy + 1) : NULL;
  if (rc == MPI_SUCCESS && !room) rc = MPI_ERR_NO_MEM;
  if (rc == MPI_SUCCESS && copy) in = memcpy(room + between, out, all);
  if (rc == MPI_SUCCESS)
    rc = c->n_hosts > 1 ? reduce_by_host(c, in, out, (size_t)count, &r, &run, room)
                        : host_reduce_block(&c->memory, in, out, (size_t)count, &r);
  free(blocks);
  return rc;
}

int coll_allgather(coll_comm_t *c, block_data_t from, block_data_t to)
{
  side_t in, out;
  buffers_t b;
  host_t *h = &c->memory;
  if (!look(from, &in) || !look(to, &out) || out.in_place) return PASS_ON;
  size_t bytes = out.bytes;
  if (bytes == 0) return MPI_SUCCESS;
  if (!make_room(c, bytes, &b)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  take_lists(c, &out, bytes, &b);
  int rc = take_own(c, &in, &out, bytes, &b);
  if (c->n_hosts == 1) {
    rc = first_code(rc, host_gather(h, HOST_EACH, b.own, b.all, bytes));
  } else {
    rc = first_code(rc, host_gather(h, 0, b.own, b.host, bytes));
    rc = first_code(rc, between(c, SCHEDULE_ALLGATHER, SCHEDULE_ALLGATHERV, LEVELS_NO_ROOT, b.host,
                                b.sorted, bytes));
    rc = first_code(rc, host_bcast(h, 0, b.sorted, (size_t)c->size * bytes));
  }
  return first_code(rc, give_all(c, &out, bytes, &b));
}

/* All blocks of the root, packed if they have gaps, and by host. */
static int sort_all(const coll_comm_t *c, const side_t *in, size_t bytes, const buffers_t *b)
{
  int rc = in->dense ? MPI_SUCCESS
                     : packing_move(b->all, in->of.data, c->size * in->of.count, in->of.type,
                                    in->size, false);
  if (rc == MPI_SUCCESS && b->sorted != b->all) sort_blocks(c, b->all, b->sorted, bytes);
  return rc;
}

int coll_scatter(coll_comm_t *c, block_data_t from, block_data_t to, int root)
{
  side_t in = {0}, out;
  buffers_t b;
  bool is_root = c->rank == root;
  if (root < 0 || root >= c->size || !look(to, &out) || (is_root && !look(from, &in)) ||
      (out.in_place && !is_root) || in.in_place)
    return PASS_ON;
  size_t bytes = out.in_place ? in.bytes : out.bytes;
  int rc = MPI_SUCCESS;
  if (bytes == 0) return MPI_SUCCESS;
  if (!make_room(c, bytes, &b)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, root);
  take_lists(c, is_root ? &in : NULL, bytes, &b);
  b.own = out.in_place ? NULL : out.dense ? out.of.data : take(&b, bytes);
  if (is_root) rc = sort_all(c, &in, bytes, &b);
  rc = first_code(rc,
                  between(c, SCHEDULE_SCATTER, SCHEDULE_SCATTERV, root, b.sorted, b.host, bytes));
  rc = first_code(rc, host_scatter(&c->memory, levels_speaker(c), b.host, b.own, bytes));
  if (out.in_place || out.dense) return rc;
  return first_code(rc,
                    packing_move(b.own, out.of.data, out.of.count, out.of.type, out.size, true));
}
