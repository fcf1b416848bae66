/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all. Hosts' members exchange blocks in their memory. Between hosts, short blocks of equal
 * size go together: one message from each host to each other. Long blocks, and those of different
 * sizes, go from rank to rank, at any time to few hosts. */
#include "coll/pair_calls.h"

#include <math.h>
#include <string.h>

#include "coll/coll_levels.h"
#include "coll/host/host_blocks.h"
#include "coll/host/host_exchange.h"
#include "coll/tuning/tuned.h"
#include "schedule/two_levels/two_levels_limits.h"

enum { UNDER_WAY = 256 * 1024 }; /* bytes that a rank may have sent which others haven't received */

/* The two sides of a call, and memory for what isn't in the program's. */
typedef struct exchange {
  side_t in, out;
  host_lists_t host;
  MPI_Datatype made; /* type_null: none */
} exchange_t;

/* One host: equal blocks without gaps, apart. */
static int alltoall_host(coll_comm_t *c, const exchange_t *x)
{
  size_t bytes = x->out.bytes, all = (size_t)c->size * bytes;
  bool packs = x->in.in_place || !x->in.dense;
  const side_t *from = x->in.in_place ? &x->out : &x->in;
  char *room = space_take(&c->scratch, 2 * all);
  if (!room) return MPI_ERR_NO_MEM;
  char *in = packs ? room : from->of.data, *out = x->out.dense ? x->out.of.data : room + all;
  int rc = packs ? side_pack_all(from, c->size, in) : MPI_SUCCESS;
  rc = side_code(rc, host_alltoall(&c->memory, in, out, bytes));
  return x->out.dense ? rc : side_code(rc, side_unpack_all(&x->out, c->size, out));
}

/* The messages that a speaker sends: for each host, from each member to each of its members. `from`
 * has each member's blocks, by host. */
static void fill(const coll_comm_t *c, const char *from, char *to, size_t bytes)
{
  size_t members = (size_t)c->memory.n, all = (size_t)c->size;
  for (int k = 0; k < c->n_hosts; k++) {
    size_t first = (size_t)c->first[k], n = (size_t)c->first[k + 1] - first;
    for (size_t i = 0; i < members; i++)
      memcpy(to + (members * first + i * n) * bytes, from + (i * all + first) * bytes, n * bytes);
  }
}

/* The other way round: `from` has for each host, from each of its members, a block to each member
 * of this one. */
static void spread(const coll_comm_t *c, const char *from, char *to, size_t bytes)
{
  size_t members = (size_t)c->memory.n, all = (size_t)c->size;
  for (size_t rank = 0; rank < all; rank++)
    for (size_t i = 0; i < members; i++)
      memcpy(to + (i * all + rank) * bytes, from + (rank * members + i) * bytes, bytes);
}

/* The blocks that hosts exchange; free them. NULL: out of memory. */
static schedule_blocks_t *host_pairs(const coll_comm_t *c, size_t bytes)
{
  size_t n = (size_t)c->n_hosts;
  int64_t *counts = malloc(n * n * sizeof *counts);
  for (size_t i = 0; counts && i < n * n; i++) {
    int from = c->first[i / n + 1] - c->first[i / n], to = c->first[i % n + 1] - c->first[i % n];
    counts[i] = (int64_t)from * to * (int64_t)bytes;
  }
  schedule_blocks_t *blocks =
      counts ? schedule_blocks_new(SCHEDULE_ALLTOALLV, c->n_hosts, counts) : NULL;
  free(counts);
  return blocks;
}

/* Speakers exchange one message for each pair of hosts. */
static int between(coll_comm_t *c, const char *in, char *out, size_t bytes)
{
  levels_t l = {.root = LEVELS_NO_ROOT, .in = in, .out = out, .element = 1};
  run_call_t run;
  schedule_blocks_t *blocks = c->equal_hosts ? NULL : host_pairs(c, bytes);
  if (!c->equal_hosts && !blocks) return MPI_ERR_NO_MEM;
  l.op = c->equal_hosts ? SCHEDULE_ALLTOALL : SCHEDULE_ALLTOALLV;
  l.n = (int64_t)((size_t)c->memory.n * (size_t)c->memory.n * bytes);
  l.blocks = blocks;
  int rc = levels_plan(c, &l, &run) ? levels_run(c, &run) : MPI_ERR_INTERN;
  free(blocks);
  return rc;
}

static int alltoall_together(coll_comm_t *c, const exchange_t *x)
{
  host_t *h = &c->memory;
  size_t bytes = x->out.bytes, all = (size_t)c->size * bytes;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  size_t host = levels_speaks(c) ? all * (size_t)h->n : 0;
  char *own = space_take(&c->scratch, 2 * all + 2 * host);
  if (!own) return MPI_ERR_NO_MEM;
  char *sorted = own + all, *members = sorted + all, *messages = members + host;
  int rc = side_pack_all(x->in.in_place ? &x->out : &x->in, c->size, c->in_order ? sorted : own);
  if (!c->in_order) sides_sort(c, own, sorted, bytes);
  rc = side_code(rc, host_gather(h, 0, sorted, members, all));
  if (host) fill(c, members, messages, bytes);
  rc = side_code(rc, between(c, messages, members, bytes));
  if (host) spread(c, members, messages, bytes);
  rc = side_code(rc, host_scatter(h, 0, messages, sorted, all));
  if (!c->in_order) sides_unsort(c, sorted, own, bytes);
  return side_code(rc, side_unpack_all(&x->out, c->size, c->in_order ? sorted : own));
}

/* In place, blocks are sent from a copy, one behind the other. Their elements have a type of their
 * own if they had gaps. */
static int copy_input(coll_comm_t *c, exchange_t *x)
{
  size_t all = 0;
  int64_t *at = (int64_t *)(void *)space_take(&c->lists, (size_t)c->size * sizeof *at);
  if (!at) return MPI_ERR_NO_MEM;
  for (int r = 0; r < c->size; r++) {
    at[r] = (int64_t)all;
    all += (size_t)side_count(&x->out, r);
  }
  char *copy = space_take(&c->scratch, all * x->out.size);
  if (!copy) return MPI_ERR_NO_MEM;
  int rc = MPI_SUCCESS;
  for (int r = 0; r < c->size; r++)
    rc = side_code(rc, side_pack(&x->out, r, copy + (size_t)at[r] * x->out.size));
  x->in = x->out;
  x->in.of.data = copy;
  x->in.of.displs = (amounts_t){.wide = at};
  x->in.extent = (int64_t)x->in.size;
  x->in.dense = true;
  if (x->out.dense || rc != MPI_SUCCESS) return rc;
  rc = mpi.Type_contiguous((int)x->in.size, mpi.packed, &x->made);
  if (rc == MPI_SUCCESS) rc = mpi.Type_commit(&x->made);
  x->in.of.type = x->made;
  return rc;
}

/* Blocks of this host's members that the program's types don't hold without gaps are packed. */
static int exchange_in_host(coll_comm_t *c, exchange_t *x)
{
  host_t *h = &c->memory;
  const int *member = c->by_host + c->first[c->my_host];
  size_t need = 0, at = 0;
  int rc = MPI_SUCCESS;
  for (int i = 0; i < h->n; i++) {
    x->host.give[i] = (host_block_t){side_data(&x->in, member[i]), side_bytes(&x->in, member[i])};
    x->host.get[i] = (host_block_t){side_data(&x->out, member[i]), side_bytes(&x->out, member[i])};
    need += (x->in.dense ? 0 : x->host.give[i].bytes) + (x->out.dense ? 0 : x->host.get[i].bytes);
  }
  char *packed = space_take(&c->packed, need);
  if (!packed) return MPI_ERR_NO_MEM;
  for (int i = 0; i < h->n && !x->in.dense; at += x->host.give[i++].bytes) {
    x->host.give[i].data = packed + at;
    rc = side_code(rc, side_pack(&x->in, member[i], packed + at));
  }
  for (int i = 0; i < h->n && !x->out.dense; at += x->host.get[i++].bytes)
    x->host.get[i].data = packed + at;
  rc = side_code(rc, host_exchange(h, &x->host));
  for (int i = 0; i < h->n && !x->out.dense; i++)
    rc = side_code(rc, side_unpack(&x->out, member[i], x->host.get[i].data));
  return rc;
}

/* Receives from the ranks of a host. */
static int receive_from(coll_comm_t *c, const side_t *s, int host)
{
  int rc = MPI_SUCCESS;
  for (int i = c->first[host]; i < c->first[host + 1] && rc == MPI_SUCCESS; i++) {
    int r = c->by_host[i];
    if (side_bytes(s, r) > 0)
      rc = run_receive(&c->run, r, side_data(s, r), side_count(s, r), s->of.type);
  }
  return rc;
}

/* Sends to them. */
static int send_to(coll_comm_t *c, const side_t *s, int host)
{
  int rc = MPI_SUCCESS, first = c->first[host], n = c->first[host + 1] - first;
  for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
    int r = c->by_host[first + (c->memory.me + i) % n]; /* not all first to the same */
    size_t bytes = side_bytes(s, r);
    if (bytes == 0) continue;
    rc = run_wait_sent(&c->run, r, bytes < UNDER_WAY ? UNDER_WAY - bytes : 0);
    if (rc == MPI_SUCCESS)
      rc = run_send(&c->run, r, side_data(s, r), side_count(s, r), s->of.type, bytes);
  }
  return rc;
}

/* Any blocks. Each rank sends to one host after the other, to the next one first. It receives at
 * the same time from the hosts before it, in the same order: so whoever waits until its messages
 * are received waits for no one who waits for it. */
static int exchange_directly(coll_comm_t *c, exchange_t *x)
{
  int rc = MPI_SUCCESS, n = c->n_hosts;
  for (int k = 1; k < n; k++) {
    rc = side_code(rc, receive_from(c, &x->out, (c->my_host - k + n) % n));
    if (rc == MPI_SUCCESS) rc = send_to(c, &x->in, (c->my_host + k) % n);
    if (k == 1) rc = side_code(rc, exchange_in_host(c, x));
  }
  if (n == 1) return exchange_in_host(c, x);
  return side_code(rc, run_finish(&c->run, c->rank));
}

static int exchange(coll_comm_t *c, exchange_t *x)
{
  x->made = mpi.type_null;
  if (!host_lists(&c->memory, &x->host)) return MPI_ERR_NO_MEM;
  int rc = x->in.in_place ? copy_input(c, x) : MPI_SUCCESS;
  rc = side_code(rc, exchange_directly(c, x));
  if (x->made != mpi.type_null) mpi.Type_free(&x->made);
  return rc;
}

/* Whether blocks go in one message for each pair of hosts. */
static bool goes_together(const coll_comm_t *c, size_t bytes)
{
  double half = !c->choice || c->choice->direct ? coll_job.half : INFINITY;
  return !(c->choice && c->choice->direct) &&
         two_levels_together(c->largest, c->size, (int64_t)bytes, half);
}

int coll_alltoall(coll_comm_t *c, block_data_t from, block_data_t to)
{
  exchange_t x;
  if (!side_look(from, &x.in) || !side_look(to, &x.out) || x.out.in_place ||
      c->largest > HOST_EXCHANGERS)
    return PASS_ON;
  size_t bytes = x.out.bytes;
  if (tuned_away(c, SCHEDULE_ALLTOALL, bytes)) return PASS_ON;
  if (bytes == 0) return MPI_SUCCESS;
  if (c->n_hosts == 1) return alltoall_host(c, &x);
  return goes_together(c, bytes) ? alltoall_together(c, &x) : exchange(c, &x);
}

int coll_alltoallv(coll_comm_t *c, block_data_t from, block_data_t to)
{
  exchange_t x;
  if (c->largest > HOST_EXCHANGERS || !side_look_all(from, c->size, &x.in) ||
      !side_look_all(to, c->size, &x.out) || x.out.in_place)
    return PASS_ON;
  return exchange(c, &x);
}
