/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather, scatter and all-gather of blocks of different sizes, in two levels. In a gather and a
 * scatter only the root knows all sizes: speakers of other hosts ask their members. */
#include "coll/varied_calls.h"

#include <string.h>

#include "coll/coll_levels.h"
#include "coll/host/host_exchange.h"
#include "coll/overlap.h"
#include "coll/tuning/tuned.h"

/* Numbers and blocks of a call. */
typedef struct lists {
  host_lists_t host;
  size_t *n, *at; /* bytes by rank; where they are by host (sides_places). 0 at first */
} lists_t;

static bool take_lists(coll_comm_t *c, lists_t *l)
{
  size_t size = (size_t)c->size, bytes = (2 * size + 1) * sizeof *l->n;
  l->n = (size_t *)(void *)space_take(&c->lists, bytes);
  if (!l->n || !host_lists(&c->memory, &l->host)) return false;
  memset(l->n, 0, bytes);
  l->at = l->n + size;
  return true;
}

/* The sizes of all ranks' blocks. Returns the bytes of all. */
static size_t measure(const coll_comm_t *c, const side_t *s, lists_t *l)
{
  for (int r = 0; r < c->size; r++) l->n[r] = side_bytes(s, r);
  sides_places(c, l->n, l->at);
  return l->at[c->size];
}

/* The sizes of this host's members' blocks, which each member knows of its own: the speaker gets
 * them as if all hosts had no more. Returns the bytes of all. */
static size_t ask_members(coll_comm_t *c, size_t own, lists_t *l)
{
  host_t *h = &c->memory;
  size_t *at = l->at + c->first[c->my_host];
  if (h->n == 1) return at[1] = own;
  uint32_t step = host_begin(h);
  if (!levels_speaks(c)) host_put(h, step, &own, sizeof own);
  for (int i = 0; levels_speaks(c) && i < h->n; i++) {
    size_t n = own;
    if (i != h->me) host_get(h, i, step, &n, sizeof n);
    at[i + 1] = at[i] + n;
  }
  host_end(h);
  return levels_speaks(c) ? at[h->n] : 0;
}

/* The blocks of this host in memory that begins with the host's first one. */
static void list_members(const coll_comm_t *c, const lists_t *l, char *first, host_block_t *to)
{
  const size_t *at = l->at + c->first[c->my_host];
  for (int i = 0; i < c->memory.n; i++)
    to[i] = (host_block_t){first + (at[i] - at[0]), at[i + 1] - at[i]};
}

/* The blocks of this host where the program has them, if they have no gaps; else in `sorted`. */
static void list_placed(const coll_comm_t *c, const side_t *s, const lists_t *l, char *sorted,
                        host_block_t *to)
{
  const int first = c->first[c->my_host], *member = c->by_host + first;
  list_members(c, l, sorted + l->at[first], to);
  for (int i = 0; s->dense && i < c->memory.n; i++) to[i].data = side_data(s, member[i]);
}

/* Whether list_placed has a rank's block where the program has it. */
static bool is_placed(const coll_comm_t *c, const side_t *s, int rank)
{
  return s->dense && c->host[rank] == c->my_host;
}

/* Between hosts, bytes of a host go in one message. */
static int host_message(coll_comm_t *c, const lists_t *l, int host, char *all, bool sends)
{
  const size_t *at = l->at + c->first[host];
  size_t bytes = l->at[c->first[host + 1]] - at[0];
  return bytes ? run_bytes(&c->run, c->peer[host], all + at[0], bytes, sends) : MPI_SUCCESS;
}

/* This rank's block before the call, packed if its type has gaps. */
static int take_own(coll_comm_t *c, const side_t *s, int rank, host_block_t *out)
{
  size_t bytes = side_bytes(s, rank);
  *out = (host_block_t){side_data(s, rank), bytes};
  if (s->dense || bytes == 0) return MPI_SUCCESS;
  out->data = space_take(&c->packed, bytes);
  return out->data ? side_pack(s, rank, out->data) : MPI_ERR_NO_MEM;
}

/* Blocks of all ranks to where the program wants them, but for one, and those that are there if
 * `placed`. */
static int unpack_all(const coll_comm_t *c, const side_t *out, const lists_t *l, char *sorted,
                      bool placed, int skipped)
{
  int rc = MPI_SUCCESS;
  for (int i = 0; i < c->size; i++) {
    int rank = c->by_host[i];
    if (rank != skipped && !(placed && is_placed(c, out, rank)))
      rc = side_code(rc, side_unpack(out, rank, sorted + l->at[i]));
  }
  return rc;
}

/* The root: its host's members by memory, other hosts by messages. */
static int gather_at_root(coll_comm_t *c, const side_t *in, const side_t *out, lists_t *l)
{
  host_block_t own = {0};
  char *sorted = space_take(&c->scratch, measure(c, out, l));
  if (!sorted) return MPI_ERR_NO_MEM;
  int rc = in->in_place ? MPI_SUCCESS : take_own(c, in, 0, &own);
  for (int host = 0; host < c->n_hosts; host++)
    if (host != c->my_host) rc = side_code(rc, host_message(c, l, host, sorted, false));
  list_placed(c, out, l, sorted, l->host.get);
  if (in->in_place) l->host.get[c->memory.me].bytes = 0;
  l->host.give[c->memory.me] = own;
  rc = side_code(rc, host_exchange(&c->memory, &l->host));
  if (c->n_hosts > 1) rc = side_code(rc, run_finish(&c->run, c->rank));
  return side_code(rc, unpack_all(c, out, l, sorted, true, in->in_place ? c->rank : -1));
}

/* All others. */
static int gather_from(coll_comm_t *c, const side_t *in, int root, lists_t *l)
{
  bool roots_host = c->host[root] == c->my_host;
  host_block_t own = {0};
  int rc = take_own(c, in, 0, &own);
  size_t bytes = roots_host ? 0 : ask_members(c, own.bytes, l);
  char *sorted = space_take(&c->scratch, bytes);
  if (!sorted) return MPI_ERR_NO_MEM;
  l->host.give[levels_speaker(c)] = own;
  if (levels_speaks(c)) list_members(c, l, sorted, l->host.get);
  rc = side_code(rc, host_exchange(&c->memory, &l->host));
  if (bytes == 0) return rc;
  rc = side_code(rc, run_bytes(&c->run, root, sorted, bytes, true));
  return side_code(rc, run_finish(&c->run, root));
}

int coll_gatherv(coll_comm_t *c, block_data_t from, block_data_t to, int root)
{
  side_t in, out;
  lists_t l;
  bool is_root = c->rank == root;
  if (root < 0 || root >= c->size || c->largest > HOST_EXCHANGERS || !side_look(from, &in) ||
      (is_root && (!side_look_all(to, c->size, &out) || out.in_place)) || (in.in_place && !is_root))
    return PASS_ON;
  if (!take_lists(c, &l)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, root);
  return is_root ? gather_at_root(c, &in, &out, &l) : gather_from(c, &in, root, &l);
}

static int scatter_at_root(coll_comm_t *c, const side_t *in, const side_t *out, lists_t *l)
{
  int rc = MPI_SUCCESS, me = c->memory.me;
  char *sorted = space_take(&c->scratch, measure(c, in, l));
  if (!sorted) return MPI_ERR_NO_MEM;
  for (int i = 0; i < c->size; i++)
    if (!is_placed(c, in, c->by_host[i]))
      rc = side_code(rc, side_pack(in, c->by_host[i], sorted + l->at[i]));
  for (int host = 0; host < c->n_hosts; host++)
    if (host != c->my_host) rc = side_code(rc, host_message(c, l, host, sorted, true));
  list_placed(c, in, l, sorted, l->host.give);
  host_block_t own = l->host.give[me];
  l->host.give[me].bytes = 0;
  rc = side_code(rc, host_exchange(&c->memory, &l->host));
  if (!out->in_place && own.bytes) rc = side_code(rc, side_unpack(out, 0, own.data));
  return c->n_hosts > 1 ? side_code(rc, run_finish(&c->run, c->rank)) : rc;
}

static int scatter_to(coll_comm_t *c, const side_t *out, int root, lists_t *l)
{
  bool roots_host = c->host[root] == c->my_host;
  size_t own = side_bytes(out, 0), bytes = roots_host ? 0 : ask_members(c, own, l);
  char *sorted = space_take(&c->scratch, bytes), *packed = space_take(&c->packed, own);
  int rc = MPI_SUCCESS;
  if (!sorted || !packed) return MPI_ERR_NO_MEM;
  if (bytes) {
    rc = run_bytes(&c->run, root, sorted, bytes, false);
    rc = side_code(rc, run_finish(&c->run, root));
  }
  if (levels_speaks(c)) list_members(c, l, sorted, l->host.give);
  l->host.get[levels_speaker(c)] = (host_block_t){out->dense ? out->of.data : packed, own};
  rc = side_code(rc, host_exchange(&c->memory, &l->host));
  return out->dense ? rc : side_code(rc, side_unpack(out, 0, packed));
}

int coll_scatterv(coll_comm_t *c, block_data_t from, block_data_t to, int root)
{
  side_t in, out;
  lists_t l;
  bool is_root = c->rank == root;
  if (root < 0 || root >= c->size || c->largest > HOST_EXCHANGERS || !side_look(to, &out) ||
      (is_root && (!side_look_all(from, c->size, &in) || in.in_place)) ||
      (out.in_place && !is_root))
    return PASS_ON;
  if (!take_lists(c, &l)) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, root);
  return is_root ? scatter_at_root(c, &in, &out, &l) : scatter_to(c, &out, root, &l);
}

/* Hosts exchange the blocks of all their members; then each host's members get all. */
static int allgather_hosts(coll_comm_t *c, const lists_t *l, char *sorted)
{
  const size_t *own = l->at + c->first[c->my_host];
  schedule_blocks_t *blocks = levels_blocks(c, SCHEDULE_ALLGATHERV, l->n, 0);
  if (!blocks) return MPI_ERR_NO_MEM;
  run_call_t run;
  levels_t b = {SCHEDULE_ALLGATHERV, LEVELS_NO_ROOT, sorted + own[0], sorted, 0, 1, NULL, blocks};
  int rc =
      levels_plan(c, &b, &run) ? overlap_or_bcast(c, &run, sorted, l->at[c->size]) : MPI_ERR_INTERN;
  free(blocks);
  return rc;
}

int coll_allgatherv(coll_comm_t *c, block_data_t from, block_data_t to)
{
  side_t in, out;
  lists_t l;
  host_block_t own;
  host_t *h = &c->memory;
  if (c->largest > HOST_EXCHANGERS || !side_look(from, &in) || !side_look_all(to, c->size, &out) ||
      out.in_place)
    return PASS_ON;
  if (!take_lists(c, &l)) return MPI_ERR_NO_MEM;
  size_t all = measure(c, &out, &l);
  if (tuned_away(c, SCHEDULE_ALLGATHERV, all / (size_t)c->size)) return PASS_ON;
  if (all == 0) return MPI_SUCCESS;
  char *sorted = space_take(&c->scratch, all);
  if (!sorted) return MPI_ERR_NO_MEM;
  levels_choose_speakers(c, LEVELS_NO_ROOT);
  int rc = in.in_place ? take_own(c, &out, c->rank, &own) : take_own(c, &in, 0, &own);
  bool one = c->n_hosts == 1;
  for (int i = 0; i < h->n; i++)
    if (one || i == levels_speaker(c)) l.host.give[i] = own;
  if (one)
    list_placed(c, &out, &l, sorted, l.host.get);
  else if (levels_speaks(c))
    list_members(c, &l, sorted + l.at[c->first[c->my_host]], l.host.get);
  if (one && in.in_place && out.dense) l.host.get[h->me].bytes = 0;
  rc = side_code(rc, host_exchange(h, &l.host));
  if (!one) rc = side_code(rc, allgather_hosts(c, &l, sorted));
  return side_code(rc, unpack_all(c, &out, &l, sorted, one, in.in_place ? c->rank : -1));
}
