/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes and frees windows. All ranks of a window decide alike whether berth serves it. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/process_memory.h"
#include "job/say.h"
#include "rma/allocated.h"
#include "rma/arrivals.h"
#include "rma/bell.h"
#include "rma/copies.h"
#include "rma/epoch.h"
#include "rma/rma_progress.h"
#include "rma/stream.h"
#include "rma/window_list.h"

/* What ranks tell each other first, */
typedef struct hello {
  int64_t fine; /* its arguments are */
  int64_t size, unit, number;
  uint64_t address; /* of MPI_Win_create */
  allocated_place_t place;
  int64_t apart; /* its info lets memory of ranks have gaps between them */
  process_token_t token;
  bell_t bell;
} hello_t;

/* On hosts with more ranks, memory of MPI_Alloc_mem isn't mapped: each rank maps that of each. */
enum { MOST_MAPPED = 64 };

/* and what they need to make a window. */
typedef struct making {
  rma_window_t *w;
  MPI_Comm comm;
  MPI_Info info;
  void *base;
  hello_t own, *all;
  shared_file_t *file; /* of each rank: what it has made for its host, if it leads one */
  size_t *part;        /* of each member of this host */
  window_plan_t plan;
} making_t;

/* --- lists --- */

static rma_window_t *new_window(int n)
{
  rma_window_t *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  *w = (rma_window_t){.size = n, .number = -1, .epoch = 1, .n_posted = -1};
  size_t all = (size_t)n;
  w->target = calloc(all, sizeof *w->target);
  w->host = calloc(7 * all, sizeof *w->host);
  if (!w->target || !w->host) return w;
  w->leader = w->host + all;
  w->started = w->host + 2 * all;
  w->posted = w->host + 3 * all;
  w->memory.rank = w->host + 4 * all;
  w->memory.world = w->host + 5 * all;
  w->posts = (uint32_t *)(w->host + 6 * all);
  return w;
}

static void free_window(rma_window_t *w)
{
  if (!w) return;
  for (int i = 0; w->target && i < w->size; i++) {
    copies_free(w->target[i].copies);
    stream_free(w, w->target[i].stream);
    if (w->target[i].mapped) munmap(w->target[i].mapped, w->target[i].mapped_bytes);
  }
  arrivals_free(w->arrivals);
  window_memory_unmap(&w->memory);
  free(w->target);
  free(w->host);
  free(w);
}

/* Ranks of MPI_COMM_WORLD, and the hosts. False: one isn't in it. */
static bool find_ranks(making_t *m)
{
  rma_window_t *w = m->w;
  int *own = w->started, *world = w->posted; /* not needed yet */
  for (int i = 0; i < w->size; i++) own[i] = i;
  if (mpi.Comm_group(m->comm, &w->group) != MPI_SUCCESS ||
      mpi.Group_translate_ranks(w->group, w->size, own, rma_job.world, world) != MPI_SUCCESS)
    return false;
  for (int i = 0; i < w->size; i++) {
    if (world[i] == MPI_UNDEFINED) return false;
    w->target[i].world = world[i];
    w->target[i].member = -1;
    int k = 0, host = rma_job.hosts.host[world[i]];
    while (k < w->n_hosts && rma_job.hosts.host[world[w->leader[k]]] != host) k++;
    if (k == w->n_hosts) w->leader[w->n_hosts++] = i;
    w->host[i] = k;
  }
  w->my_host = w->host[w->rank];
  for (int i = 0; i < w->size; i++) {
    if (w->host[i] != w->my_host) continue;
    if (i == w->rank) w->memory.me = w->memory.n;
    w->target[i].member = w->memory.n;
    w->memory.world[w->memory.n] = world[i];
    w->memory.rank[w->memory.n++] = i;
  }
  return true;
}

/* --- memory --- */

static bool has_own_memory(const rma_window_t *w)
{
  return w->flavor == MPI_WIN_FLAVOR_ALLOCATE || w->flavor == MPI_WIN_FLAVOR_SHARED;
}

/* Parts of MPI_Win_allocate_shared follow one another unless a rank's info says otherwise. */
static void plan_memory(making_t *m)
{
  rma_window_t *w = m->w;
  bool apart = w->flavor != MPI_WIN_FLAVOR_SHARED;
  for (int i = 0; i < w->size; i++) apart |= m->all[i].apart != 0;
  for (int i = 0; i < w->memory.n; i++) m->part[i] = (size_t)m->all[w->memory.rank[i]].size;
  m->plan = (window_plan_t){.n = w->memory.n,
                            .ranks = w->size,
                            .dynamic = w->flavor == MPI_WIN_FLAVOR_DYNAMIC,
                            .inboxes = w->flavor == MPI_WIN_FLAVOR_CREATE && w->n_hosts == 1,
                            .part = has_own_memory(w) ? m->part : NULL,
                            .together = !apart};
}

/* A leader makes it, and all of the host map it. */
static bool share_memory(making_t *m)
{
  rma_window_t *w = m->w;
  size_t data;
  shared_file_t own = {.file = -1};
  int reason = 0;
  if (w->leader[w->my_host] == w->rank &&
      !shared_file_new("berth-rma", window_memory_bytes(&m->plan, &data), &own))
    reason = errno;
  bool met = mpi.Allgather(&own, sizeof own, mpi.byte, m->file, sizeof own, mpi.byte, m->comm) ==
             MPI_SUCCESS;
  const shared_file_t *file = &m->file[w->leader[w->my_host]];
  bool mapped = met && file->file >= 0 && window_memory_map(&w->memory, &m->plan, file);
  if (reason == 0 && file->file >= 0) reason = errno;
  if (mapped) w->memory.member[w->memory.me].process = (int)getpid();
  uint64_t able = mapped, all = 0; /* the file stays open until all have it */
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, m->comm);
  shared_file_close(&own);
  if (!mapped && reason) {
    errno = reason;
    say_line("rank %d: cannot share memory on its host: %m; the MPI serves this window",
             rma_job.rank);
  }
  return all;
}

/* --- the other ranks --- */

/* Whether this rank can read the memory of the next one of its host. */
static bool can_copy(const making_t *m)
{
  const window_memory_t *h = &m->w->memory;
  if (!rma_job.settings.one_copy) return false;
  return h->n == 1 || process_memory_try(&m->all[h->rank[(h->me + 1) % h->n]].token);
}

/* Maps another rank's memory of MPI_Alloc_mem. */
static void map_allocated(rma_target_t *t, const allocated_place_t *p)
{
  void *mapped = shared_file_map(&p->file, p->bytes, p->bytes);
  if (!mapped) return;
  t->mapped = mapped;
  t->mapped_bytes = p->bytes;
  t->memory = (char *)mapped + p->offset;
  t->way = WAY_MEMORY;
}

static void fill_targets(making_t *m, bool copies)
{
  rma_window_t *w = m->w;
  for (int i = 0; i < w->size; i++) {
    rma_target_t *t = &w->target[i];
    const hello_t *h = &m->all[i];
    t->size = (uint64_t)h->size;
    t->unit = h->unit;
    t->window = (int)h->number;
    t->address = h->address;
    if (rma_job.threads) bell_learn(t->world, &h->bell);
    t->way = t->member < 0 ? WAY_MESSAGE : copies ? WAY_COPY : WAY_MESSAGE;
    if (w->memory.data && t->member >= 0) {
      t->memory = w->memory.data + window_memory_part(&m->plan, t->member);
      t->way = WAY_MEMORY;
    }
    bool is_other = t->member >= 0 && i != w->rank;
    if (is_other && h->place.file.file >= 0 && w->memory.n <= MOST_MAPPED &&
        rma_job.settings.one_copy)
      map_allocated(t, &h->place);
    w->messages |= t->way == WAY_MESSAGE && i != w->rank;
  }
  rma_target_t *self = &w->target[w->rank];
  self->way = WAY_MEMORY;
  if (!w->memory.data) self->memory = m->base;
}

/* The window of the MPI's, for the handle. Open MPI 4.1 allocates windows of one rank in any job,
 * but as Debian configures it, it makes them in no other way. */
static bool make_handle(making_t *m)
{
  void *unused;
  return mpi.Win_allocate(0, 1, m->info, rma_job.alone, &unused, &m->w->handle) == MPI_SUCCESS;
}

/* Whether all ranks are. */
static bool all_are(bool able, MPI_Comm comm)
{
  uint64_t own = able, all = 0;
  return mpi.Allreduce(&own, &all, 1, mpi.uint64, mpi.min, comm) == MPI_SUCCESS && all;
}

/* Whether they all have what a window needs; after that they can make it. */
static bool meet(making_t *m)
{
  rma_window_t *w = m->w;
  int rc =
      mpi.Allgather(&m->own, sizeof m->own, mpi.byte, m->all, sizeof m->own, mpi.byte, m->comm);
  if (rc != MPI_SUCCESS) return false;
  for (int i = 0; i < w->size; i++)
    if (!m->all[i].fine) return false;
  return true;
}

static bool make(making_t *m)
{
  rma_window_t *w = m->w;
  if (!meet(m)) return false;
  plan_memory(m);
  if (w->flavor == MPI_WIN_FLAVOR_SHARED && w->n_hosts > 1) return false;
  if (!share_memory(m)) return false;
  bool copies = all_are(can_copy(m), m->comm);
  fill_targets(m, copies);
  bool able = make_handle(m);
  w->messages = !all_are(!w->messages, m->comm);
  if (w->messages) able = able && rma_job.threads && arrivals_new(w) && stream_begin();
  if (all_are(able, m->comm) && window_list_add(w)) return true;
  if (w->handle != mpi.win_null) mpi.Win_free(&w->handle);
  return false;
}

/* Whether an info has the key, with the value "true". */
static bool is_true(MPI_Info info, const char *key)
{
  char value[8] = "";
  int there = 0;
  if (info == mpi.info_null) return false;
  mpi.Info_get(info, key, sizeof value - 1, value, &there);
  return there && strcmp(value, "true") == 0;
}

/* Lets the MPI say what is wrong with a communicator, or serve what berth doesn't. */
static bool is_ordinary(MPI_Comm comm, int *size, int *rank)
{
  int between = 0;
  return may_be_comm(comm) && comm != mpi.comm_null &&
         mpi.Comm_test_inter(comm, &between) == MPI_SUCCESS && !between &&
         mpi.Comm_size(comm, size) == MPI_SUCCESS && mpi.Comm_rank(comm, rank) == MPI_SUCCESS;
}

/* The thread looks through all windows while it has the lock: not at this one any more. */
static void forget(rma_window_t *w)
{
  progress_lock();
  window_list_remove(w);
  progress_unlock();
}

int window_make(int flavor, void **base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                MPI_Win *out)
{
  int n, rank;
  if (!rma_job.ready || !is_ordinary(comm, &n, &rank)) return PASS_ON;
  making_t m = {.comm = comm, .info = info, .base = *base};
  size_t all = (size_t)n;
  rma_window_t *w = m.w = new_window(n);
  m.all = calloc(all, sizeof *m.all);
  m.file = calloc(all, sizeof *m.file);
  m.part = calloc(all, sizeof *m.part);
  bool able = w && w->target && w->host && m.all && m.file && m.part;
  if (able) {
    w->handle = mpi.win_null;
    w->flavor = flavor;
    w->rank = rank;
    able = find_ranks(&m) && window_list_number(w);
    m.own = (hello_t){.fine = size >= 0 && unit > 0 && unit <= INT32_MAX,
                      .size = size,
                      .unit = unit,
                      .number = w->number,
                      .address = (uint64_t)(uintptr_t)*base,
                      .place = {.file = {.file = -1}},
                      .apart = is_true(info, "alloc_shared_noncontig"),
                      .token = process_token()};
    if (flavor == MPI_WIN_FLAVOR_CREATE && m.own.fine)
      m.own.place = allocated_find(*base, (size_t)size);
    if (rma_job.threads) m.own.bell = *bell_own();
  }
  able = all_are(able, comm) && make(&m);
  rma_count(able ? RMA_WINDOWS : RMA_WINDOWS_PASSED);
  if (able) {
    if (w->memory.data) *base = w->target[rank].memory;
    *out = w->handle;
  } else {
    if (w && w->number >= 0) forget(w);
    free_window(w);
  }
  free(m.all);
  free(m.file);
  free(m.part);
  return able ? MPI_SUCCESS : PASS_ON;
}

int window_free(rma_window_t *w, MPI_Win *handle)
{
  epoch_barrier(w);
  int rc = mpi.Win_free(handle); /* functions that the program has attached may still use it */
  forget(w);
  mpi.Group_free(&w->group);
  free_window(w);
  return rc;
}
