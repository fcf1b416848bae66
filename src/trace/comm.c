/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps ranks of communicators to ranks of MPI_COMM_WORLD, and keeps what it found in attributes. */
#include <string.h>

#include "trace/record.h"

enum { COMM_PLACES = 256, MOST_GRIDS = 16 };

static comm_t *known[COMM_PLACES]; /* by hash; access needs the lock */
static uint32_t n_known;
static spool_block_t *comm_block;
static MPI_Group world_group;

/* Attributes aren't copied. Open MPI 4.1 also copies them in MPI_Comm_create_group, which has
 * other members, and a duplicate's topology may have another order. */
static int copy_nothing(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
  (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}

/* The MPI may reuse the handle for another communicator. */
static int delete_attribute(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
  (void)comm, (void)keyval, (void)attribute, (void)extra;
  atomic_fetch_add(&tracer.comm_epoch, 1);
  return MPI_SUCCESS;
}

static size_t topology_bytes(uint32_t n) { return sizeof(neighbours_t) + n * sizeof(uint32_t); }

static int delete_topology(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
  (void)comm, (void)keyval, (void)extra;
  neighbours_t *to = attribute;
  atomic_fetch_add(&tracer.comm_epoch, 1);
  memory_free(to, topology_bytes(to->n + to->n_from));
  return MPI_SUCCESS;
}

void comm_setup(void)
{
  mpi.Comm_create_keyval(copy_nothing, delete_topology, &tracer.topology_keyval, NULL);
  mpi.Comm_create_keyval(copy_nothing, delete_attribute, &tracer.comm_keyval, NULL);
  mpi.Comm_group(tracer.comm, &world_group);
}

void comm_cleanup(void)
{
  mpi.Group_free(&world_group);
  mpi.Comm_free_keyval(&tracer.topology_keyval);
  mpi.Comm_free_keyval(&tracer.comm_keyval);
}

/* Writes the world ranks of a group's members and frees the group. *outside says that one isn't
 * in MPI_COMM_WORLD. */
static bool list_group(MPI_Group group, int n, uint32_t *list, bool *outside)
{
  size_t size = (size_t)n * sizeof(int);
  int *members = memory_alloc(size + 1);
  bool done = members != NULL;
  for (int i = 0; done && i < n; i++) members[i] = i;
  done =
      done && mpi.Group_translate_ranks(group, n, members, world_group, (int *)list) == MPI_SUCCESS;
  for (int i = 0; done && i < n; i++) {
    if ((int)list[i] != MPI_UNDEFINED) continue;
    list[i] = NOWHERE;
    *outside = true;
  }
  memory_free(members, size + 1);
  mpi.Group_free(&group);
  return done;
}

/* Lists the members of the own group and, for intercommunicators, of the remote one. The group
 * with the smaller first rank comes first, so that both sides have the same list. */
static bool list_members(comm_t *c, MPI_Comm handle)
{
  int n_local = (int)c->n_local, n_remote = c->inter ? (int)c->n_dest : 0;
  MPI_Group local, remote;
  c->n_list = (uint32_t)(n_local + n_remote);
  c->list = memory_alloc(((size_t)c->n_list + 1) * sizeof *c->list);
  if (!c->list || mpi.Comm_group(handle, &local) != MPI_SUCCESS) return false;
  if (!list_group(local, n_local, c->list, &c->outside)) return false;
  if (!c->inter) return true;
  if (mpi.Comm_remote_group(handle, &remote) != MPI_SUCCESS) return false;
  c->dest_at = c->n_local;
  if (!list_group(remote, n_remote, c->list + n_local, &c->outside)) return false;
  if (c->list[0] <= c->list[n_local]) return true;
  uint32_t *swapped = memory_alloc(((size_t)c->n_list + 1) * sizeof *swapped);
  if (!swapped) return false;
  memcpy(swapped, c->list + n_local, (size_t)n_remote * sizeof *swapped);
  memcpy(swapped + n_remote, c->list, (size_t)n_local * sizeof *swapped);
  memory_free(c->list, ((size_t)c->n_list + 1) * sizeof *c->list);
  c->list = swapped;
  c->dest_at = 0;
  c->own_at = c->n_dest;
  return true;
}

/* Ranks of the group that is listed first. */
static uint32_t n_first(const comm_t *c) { return c->own_at ? c->n_dest : c->n_local; }

static void hash_members(comm_t *c)
{
  uint64_t a = (c->n_list | (uint64_t)c->inter << 32) * 0xff51afd7ed558ccdu + n_first(c), b = ~a;
  for (uint32_t i = 0; i < c->n_list; i++) {
    a = (a ^ c->list[i]) * 0x9e3779b97f4a7c15u;
    a ^= a >> 29;
    b = (b + c->list[i]) * 0xd6e8feb86659fd93u;
    b ^= b >> 32;
  }
  c->hash[0] = a;
  c->hash[1] = b;
}

static bool is_world(const comm_t *c)
{
  if (c->inter || c->n_list != tracer.ranks) return false;
  for (uint32_t i = 0; i < c->n_list; i++)
    if (c->list[i] != i) return false;
  return true;
}

static bool same_comm(const comm_t *a, const comm_t *b)
{
  return a->n_list == b->n_list && a->inter == b->inter && a->dest_at == b->dest_at &&
         a->n_dest == b->n_dest && memcmp(a->list, b->list, a->n_list * sizeof *a->list) == 0;
}

/* Writes the communicator's record. Its first member lists the members. In small communicators
 * every member does, so that a trace survives the loss of the first one. */
static bool write_comm(const comm_t *c)
{
  bool listed = c->n_list <= 256 || c->list[0] == tracer.rank;
  size_t n = listed ? c->n_list : 0;
  size_t bytes = (sizeof(spool_comm_t) + n * sizeof(uint32_t) + 7) / 8 * 8;
  spool_comm_t *r = memory_room(&comm_block, SPOOL_COMMS, bytes);
  if (!r) return false;
  *r = (spool_comm_t){.id = c->id,
                      .bytes = (uint32_t)bytes,
                      .n_ranks = c->n_list,
                      .n_listed = (uint32_t)n,
                      .hash = {c->hash[0], c->hash[1]},
                      .border = c->inter ? n_first(c) : 0};
  memcpy(r->ranks, c->list, n * sizeof *r->ranks);
  memory_publish(comm_block, bytes);
  return true;
}

/* Returns the known communicator with these members, or keeps the new one. */
static comm_t *keep(comm_t *c)
{
  tracer_lock();
  comm_t **place = &known[c->hash[0] % COMM_PLACES], *k = *place;
  while (k && !same_comm(k, c)) k = k->next;
  if (!k) {
    c->id = is_world(c) ? 0 : ++n_known;
    c->everyone = !c->inter && !c->outside && c->n_list == tracer.ranks;
    if (c->id && !c->outside && !write_comm(c))
      c->outside = true; /* no room: its calls count as lost */
    c->next = *place;
    *place = k = c;
  }
  tracer_unlock();
  return k;
}

static void discard(comm_t *c)
{
  if (c->list) memory_free(c->list, ((size_t)c->n_list + 1) * sizeof *c->list);
  memory_free(c, sizeof *c);
}

static comm_t *make(MPI_Comm handle)
{
  comm_t *c = memory_alloc(sizeof *c);
  int inter = 0, n_local = 0, n_remote = 0;
  if (!c) return NULL;
  MPI_Group remote;
  bool ok = mpi.Comm_test_inter(handle, &inter) == MPI_SUCCESS &&
            mpi.Comm_size(handle, &n_local) == MPI_SUCCESS &&
            mpi.Comm_rank(handle, &c->rank) == MPI_SUCCESS;
  if (ok && inter && mpi.Comm_remote_group(handle, &remote) == MPI_SUCCESS) {
    mpi.Group_size(remote, &n_remote);
    mpi.Group_free(&remote);
  }
  c->inter = inter != 0;
  c->n_local = (uint32_t)n_local;
  c->n_dest = (uint32_t)(inter ? n_remote : n_local);
  if (!ok || !list_members(c, handle)) {
    discard(c);
    return NULL;
  }
  hash_members(c);
  comm_t *k = keep(c);
  if (k != c) discard(c);
  return k;
}

comm_t *comm_find(thread_t *t, MPI_Comm handle)
{
  unsigned epoch = atomic_load_explicit(&tracer.comm_epoch, memory_order_acquire);
  if (UNLIKELY(t->comm_epoch != epoch)) {
    memset(t->comms, 0, sizeof t->comms);
    memset(t->topologies, 0, sizeof t->topologies);
    t->comm_epoch = epoch;
  }
  unsigned slot = handle_slot((uintptr_t)handle);
  if (LIKELY(t->comms[slot].comm && t->comms[slot].handle == handle)) return t->comms[slot].comm;
  if (handle == mpi.comm_null || !may_be_comm(handle)) return NULL;
  comm_t *c = NULL;
  int found = 0;
  if (mpi.Comm_get_attr(handle, tracer.comm_keyval, &c, &found) != MPI_SUCCESS) return NULL;
  if (!found) {
    c = make(handle);
    if (!c || mpi.Comm_set_attr(handle, tracer.comm_keyval, c) != MPI_SUCCESS) return c;
  }
  t->comms[slot].handle = handle;
  t->comms[slot].comm = c;
  return c;
}

void comm_spawned(thread_t *t, MPI_Comm comm, int root, MPI_Comm inter)
{
  const comm_t *c = comm_find(t, comm);
  const comm_t *started = c && c->rank == root ? comm_find(t, inter) : NULL;
  if (started) add_missed(&missed()->spawned, started->n_dest);
}

/* Reads the grid of a communicator; false if it has none, or too many dimensions. */
static bool read_grid(MPI_Comm handle, spool_grid_t *grid)
{
  int n = 0, dims[SPOOL_GRID_DIMS], periodic[SPOOL_GRID_DIMS], place[SPOOL_GRID_DIMS];
  if (mpi.Cartdim_get(handle, &n) != MPI_SUCCESS || n < 1 || n > SPOOL_GRID_DIMS ||
      mpi.Cart_get(handle, n, dims, periodic, place) != MPI_SUCCESS)
    return false;
  grid->n_dims = (uint32_t)n;
  for (int d = 0; d < n; d++) {
    grid->dims[d] = (uint32_t)dims[d];
    grid->periodic |= (uint32_t)(periodic[d] != 0) << d;
  }
  return true;
}

void comm_grid_made(thread_t *t, MPI_Comm handle)
{
  static spool_block_t *block;
  static spool_grid_t kept[MOST_GRIDS];
  static int n_kept;
  spool_grid_t grid = {0};
  if (tracer.rank != 0) return;
  const comm_t *c = comm_find(t, handle);
  if (!c || c->id != 0 || !read_grid(handle, &grid)) return;
  tracer_lock();
  int i = 0;
  while (i < n_kept && memcmp(&kept[i], &grid, sizeof grid) != 0) i++;
  if (i == n_kept && i < MOST_GRIDS && memory_add(&block, SPOOL_GRIDS, &grid, sizeof grid))
    kept[n_kept++] = grid;
  tracer_unlock();
}

/* The lengths of a rank's lists of neighbours: that of the destinations in [0], of the sources in
 * [1]. */
static void count_neighbours(MPI_Comm handle, int kind, int rank, int n[2])
{
  int weighted;
  if (kind == MPI_DIST_GRAPH) mpi.Dist_graph_neighbors_count(handle, &n[1], &n[0], &weighted);
  if (kind == MPI_GRAPH) mpi.Graph_neighbors_count(handle, rank, &n[0]);
  if (kind == MPI_CART && mpi.Cartdim_get(handle, &n[0]) == MPI_SUCCESS) n[0] *= 2;
  if (kind != MPI_DIST_GRAPH) n[1] = n[0];
}

/* MPI wants room for the weights, too. */
static bool list_dist_graph(MPI_Comm handle, const int n[2], int *list)
{
  size_t size = (size_t)(n[0] > n[1] ? n[0] : n[1]) * sizeof(int);
  int *in = memory_alloc(size + 1), *out = memory_alloc(size + 1);
  bool listed =
      in && out &&
      mpi.Dist_graph_neighbors(handle, n[1], list + n[0], in, n[0], list, out) == MPI_SUCCESS;
  memory_free(in, size + 1);
  memory_free(out, size + 1);
  return listed;
}

/* The neighbours' ranks in the communicator, or MPI_PROC_NULL. */
static bool list_neighbours(MPI_Comm handle, int kind, int rank, const int n[2], int *list)
{
  if (kind == MPI_DIST_GRAPH) return list_dist_graph(handle, n, list);
  if (kind == MPI_GRAPH && mpi.Graph_neighbors(handle, rank, n[0], list) != MPI_SUCCESS)
    return false;
  for (int i = 0; kind == MPI_CART && i < n[0] / 2; i++)
    if (mpi.Cart_shift(handle, i, 1, &list[2 * i], &list[2 * i + 1]) != MPI_SUCCESS) return false;
  memcpy(list + n[0], list, (size_t)n[0] * sizeof *list);
  return true;
}

static neighbours_t *make_neighbours(const comm_t *c, MPI_Comm handle)
{
  int kind = MPI_UNDEFINED, n[2] = {0, 0};
  if (mpi.Topo_test(handle, &kind) != MPI_SUCCESS) return NULL;
  count_neighbours(handle, kind, c->rank, n);
  const uint32_t both = (uint32_t)(n[0] + n[1]);
  neighbours_t *to = memory_alloc(topology_bytes(both));
  if (!to) return NULL;
  to->n = (uint32_t)n[0];
  to->n_from = (uint32_t)n[1];
  bool listed = list_neighbours(handle, kind, c->rank, n, (int *)to->dst);
  for (uint32_t i = 0; i < both; i++) {
    int rank = listed ? (int)to->dst[i] : MPI_PROC_NULL;
    to->dst[i] = rank < 0 ? NOBODY : comm_world_rank(c, (uint32_t)rank);
  }
  return to;
}

const neighbours_t *comm_neighbours(thread_t *t, const comm_t *c, MPI_Comm handle)
{
  static const neighbours_t none;
  unsigned slot = handle_slot((uintptr_t)handle);
  if (LIKELY(t->topologies[slot].to && t->topologies[slot].handle == handle))
    return t->topologies[slot].to;
  neighbours_t *to = NULL;
  int found = 0;
  if (mpi.Comm_get_attr(handle, tracer.topology_keyval, &to, &found) != MPI_SUCCESS) return &none;
  if (!found) {
    to = make_neighbours(c, handle);
    if (!to) return &none;
    if (mpi.Comm_set_attr(handle, tracer.topology_keyval, to) != MPI_SUCCESS) {
      memory_free(to, topology_bytes(to->n + to->n_from));
      return &none;
    }
  }
  t->topologies[slot].handle = handle;
  t->topologies[slot].to = to;
  return to;
}

uint16_t comm_op_flags(MPI_Op op)
{
  const MPI_Op built_in[] = {mpi.sum,    mpi.max,    mpi.min,    mpi.prod, mpi.land,
                             mpi.band,   mpi.lor,    mpi.bor,    mpi.lxor, mpi.bxor,
                             mpi.maxloc, mpi.minloc, mpi.op_null};
  for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
    if (op == built_in[i]) return 0;
  int commutes = 1;
  mpi.Op_commutative(op, &commutes);
  return (uint16_t)(SPOOL_COLL_USER | (commutes ? 0 : SPOOL_COLL_UNCOMMUTATIVE));
}
