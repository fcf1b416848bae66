/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a communicator has, and makes it before one of the communicator's first calls. Its
 * ranks make it together: they see the same members on the same hosts, and they serve its calls
 * only if each of them could map its host's memory.
 *
 * To set it up takes as long as three or four short calls. So a communicator that is freed after a
 * few of them isn't set up. One that makes more has lost as much time as its set-up takes, at most.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/agents/agents.h"
#include "coll/coll.h"
#include "coll/coll_tags.h"
#include "coll/tuning/tuned.h"
#include "job/process_memory.h"

enum { LONG_CALL = 32 * 1024 }; /* bytes */

static int keyval = MPI_KEYVAL_INVALID;
/* Rises when a communicator is freed, because its handle may come back, or isn't served after all.
 */
static _Atomic unsigned epoch = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static coll_comm_t *comms;

static void release(coll_comm_t *c)
{
  if (c->agent.open) agents_close(c);
  c->agent.open = false;
  host_unmap(&c->memory);
  tag_release(c->run.own_tag);
  run_clear(&c->run);
  tuned_detach(c);
  space_t *spaces[] = {&c->scratch, &c->lists, &c->packed, &c->ordered, &c->copy, &c->numbers};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) space_free(spaces[i]);
  free(c->world); /* and all lists behind it */
  c->world = NULL;
  c->served = false;
}

/* The program has freed it, and no call is under way. */
static void end_comm(coll_comm_t *c)
{
  release(c);
  free(c);
}

static int copy_nothing(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}

static int delete_comm(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  coll_comm_t *c = attribute;
  atomic_fetch_add(&epoch, 1);
  pthread_mutex_lock(&lock);
  *c->from = c->next;
  if (c->next) c->next->from = c->from;
  c->agent.freed = true;
  bool over = c->agent.under_way == 0;
  pthread_mutex_unlock(&lock);
  if (over) end_comm(c);
  return MPI_SUCCESS;
}

void coll_comm_call_over(coll_comm_t *c)
{
  pthread_mutex_lock(&lock);
  bool over = --c->agent.under_way == 0 && c->agent.freed;
  pthread_mutex_unlock(&lock);
  if (over) end_comm(c);
}

void coll_comms_begin(void) { mpi.Comm_create_keyval(copy_nothing, delete_comm, &keyval, NULL); }

void coll_comms_end(void)
{
  atomic_fetch_add(&epoch, 1);
  pthread_mutex_lock(&lock);
  for (coll_comm_t *c = comms; c; c = c->next) release(c);
  pthread_mutex_unlock(&lock);
}

bool coll_comms_each(bool (*does)(coll_comm_t *c))
{
  bool done = true;
  pthread_mutex_lock(&lock);
  for (coll_comm_t *c = comms; c; c = c->next) done &= !c->served || does(c);
  pthread_mutex_unlock(&lock);
  return done;
}

/* The lists, in one piece of memory. */
static bool allocate(coll_comm_t *c)
{
  size_t n = (size_t)c->size;
  int *list = calloc(9 * n + 1, sizeof *list);
  if (!list) return false;
  c->world = list;
  c->host = list + n;
  c->within = list + 2 * n;
  c->leader = list + 3 * n;
  c->peer = list + 4 * n;
  c->member = list + 5 * n;
  c->by_host = list + 6 * n;
  c->tag = list + 7 * n;
  c->first = list + 8 * n;
  return true;
}

/* The world ranks of all members. False: one isn't in MPI_COMM_WORLD. */
static bool list_world(coll_comm_t *c, MPI_Comm handle)
{
  MPI_Group group;
  int *own = c->host, outside = 0; /* to be filled later */
  if (mpi.Comm_group(handle, &group) != MPI_SUCCESS) return false;
  for (int i = 0; i < c->size; i++) own[i] = i;
  int rc = mpi.Group_translate_ranks(group, c->size, own, coll_job.world, c->world);
  mpi.Group_free(&group);
  for (int i = 0; rc == MPI_SUCCESS && i < c->size; i++) outside |= c->world[i] == MPI_UNDEFINED;
  return rc == MPI_SUCCESS && !outside;
}

/* Numbers hosts by their lowest members. `number` has room for each rank of the job. */
static void number_hosts(coll_comm_t *c, int *number)
{
  for (int i = 0; i < coll_job.n; i++) number[i] = -1;
  for (int i = 0; i < c->size; i++) {
    int *n = &number[coll_job.hosts.host[c->world[i]]];
    if (*n < 0) *n = c->n_hosts++;
    c->host[i] = *n;
  }
}

/* By the first place of the host's members in the groups' order. */
static int compare_hosts(const void *a, const void *b, void *first)
{
  const int *place = first;
  return place[*(const int *)a] - place[*(const int *)b];
}

/* Numbers them by the groups. `number` has room for three numbers of each rank of the job. */
static void order_hosts(coll_comm_t *c, int *number)
{
  int *first = number, *order = number + coll_job.n, *now = order + coll_job.n;
  for (int k = 0; k < c->n_hosts; k++) {
    first[k] = coll_job.n;
    order[k] = k;
  }
  for (int i = 0; i < c->size; i++) {
    int place = coll_job.hosts.groups.place[c->world[i]];
    if (place < first[c->host[i]]) first[c->host[i]] = place;
  }
  qsort_r(order, (size_t)c->n_hosts, sizeof *order, compare_hosts, first);
  for (int k = 0; k < c->n_hosts; k++) now[order[k]] = k;
  for (int i = 0; i < c->size; i++) c->host[i] = now[c->host[i]];
}

static void number_members(coll_comm_t *c)
{
  c->in_order = true;
  for (int k = 0; k < c->n_hosts; k++) c->leader[k] = -1;
  for (int i = 0; i < c->size; i++) {
    int host = c->host[i];
    if (c->leader[host] < 0) c->leader[host] = i;
    c->in_order &= i == 0 || host == c->host[i - 1] || host == c->host[i - 1] + 1;
    c->within[i] = c->peer[host]++;
  }
  c->equal_hosts = true;
  for (int k = 0; k < c->n_hosts; k++) {
    c->first[k + 1] = c->first[k] + c->peer[k];
    c->equal_hosts &= c->peer[k] == c->peer[0];
    if (c->peer[k] > c->largest) c->largest = c->peer[k];
  }
  for (int i = 0; i < c->size; i++) c->by_host[c->first[c->host[i]] + c->within[i]] = i;
  c->my_host = c->host[c->rank];
  c->memory.me = c->within[c->rank];
  c->memory.n = 0;
  for (int i = 0; i < c->size; i++)
    if (c->host[i] == c->my_host) c->member[c->memory.n++] = c->world[i];
  c->memory.rank = c->member;
}

static bool find_hosts(coll_comm_t *c)
{
  int *number = malloc(3 * (size_t)coll_job.n * sizeof *number);
  if (!number) return false;
  number_hosts(c, number);
  if (coll_job.hosts.groups.place) order_hosts(c, number);
  free(number);
  number_members(c);
  return true;
}

/* Whether all ranks can go on, and see the same members and hosts. */
static bool agree(bool able, uint64_t digest, MPI_Comm handle)
{
  uint64_t own[3] = {able, digest, ~digest}, least[3];
  int rc = mpi.Allreduce(own, least, 3, mpi.uint64, mpi.min, handle);
  return rc == MPI_SUCCESS && least[0] && least[1] == ~least[2];
}

/* FNV-1a of what decisions depend on. */
static uint64_t digest_of(const coll_comm_t *c)
{
  const int numbers[] = {c->size, c->n_hosts, c->in_order};
  const int *lists[] = {numbers, c->world, c->host, c->within};
  uint64_t digest = 0xcbf29ce484222325u;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < (k ? c->size : 3); i++)
      digest = (digest ^ (uint32_t)lists[k][i]) * 0x100000001b3u;
  return digest;
}

/* In the first communicator whose memory can't be shared. */
static void say_why(void)
{
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&said))
    say_line("rank %d: cannot share memory on its host: %m; the MPI serves these calls",
             coll_job.rank);
}

/* What each rank tells the others. */
typedef struct hello {
  shared_file_t file; /* the memory that a leader has made for its host */
  process_token_t reader;
  int64_t tag;
  int64_t structure; /* of a leader: its number at the host's agent; -1: none */
} hello_t;

/* Maps the memory of the host, which its leader has made. */
static bool map_memory(coll_comm_t *c, const hello_t *all, bool leads)
{
  host_t *h = &c->memory;
  const shared_file_t *from = &all[c->leader[c->my_host]].file;
  if (h->n == 1) return true;
  bool mapped = from->file >= 0 && host_map(h, from);
  if (!mapped && (leads || from->file >= 0)) say_why();
  return mapped;
}

/* Whether all ranks have a tag. */
static bool list_tags(coll_comm_t *c, const hello_t *all)
{
  bool all_have = true;
  for (int i = 0; i < c->size; i++) {
    c->tag[i] = (int)all[i].tag;
    all_have &= all[i].tag >= 0;
  }
  c->run.comm = coll_job.own;
  c->run.world = c->world;
  c->run.tag = c->tag;
  return all_have;
}

/* All hosts' numbers of this communicator to the own agent. */
static bool meet_agents(coll_comm_t *c, const hello_t *all)
{
  if (!coll_agents.active) return false;
  uint32_t *numbers = (uint32_t *)(void *)c->peer; /* not needed yet, and as many */
  for (int k = 0; k < c->n_hosts; k++) {
    if (all[c->leader[k]].structure < 0) return false;
    numbers[k] = (uint32_t)all[c->leader[k]].structure;
  }
  c->agent.number = numbers[c->my_host];
  return c->memory.me != 0 || agents_peers(c, numbers);
}

/* All ranks tell each other what they need to know. A leader keeps its file open until all of its
 * host have mapped it. `all` has room for each rank's. */
static bool meet(coll_comm_t *c, hello_t *all, MPI_Comm handle)
{
  host_t *h = &c->memory;
  bool leads = h->me == 0 && h->n > 1;
  c->run.own_tag = tag_take();
  hello_t own = {{.file = -1}, process_token(), c->run.own_tag, -1};
  if (coll_agents.active && h->me == 0 && agents_open(c, &c->agent.number))
    own.structure = c->agent.number;
  int reason = leads && !host_memory_new(h->n, &own.file) ? errno : 0;
  bool met =
      mpi.Allgather(&own, sizeof own, mpi.byte, all, sizeof own, mpi.byte, handle) == MPI_SUCCESS;
  if (reason) errno = reason;
  bool ready = met && map_memory(c, all, leads) && list_tags(c, all);
  int next = c->by_host[c->first[c->my_host] + (h->me + 1) % h->n];
  bool can_read =
      met && coll_job.settings.one_copy && (h->n == 1 || process_memory_try(&all[next].reader));
  const uint64_t able[3] = {ready, can_read, met && meet_agents(c, all)};
  uint64_t all_able[3] = {0, 0, 0};
  int rc = mpi.Allreduce(able, all_able, 3, mpi.uint64, mpi.min, handle);
  shared_file_close(&own.file);
  h->one_copy = all_able[1];
  c->agent.open = all_able[0] && all_able[2];
  return rc == MPI_SUCCESS && all_able[0];
}

static bool set_up(coll_comm_t *c, MPI_Comm handle)
{
  hello_t *all = malloc((size_t)c->size * sizeof *all);
  bool able = all && allocate(c) && list_world(c, handle) && find_hosts(c) && tuned_attach(c);
  bool ready = agree(able, able ? digest_of(c) : 0, handle) && meet(c, all, handle);
  free(all);
  return ready;
}

/* Communicators between two groups go to the MPI. Results are reproducible, and measured, only from
 * the first call on. */
static int first_call(MPI_Comm handle)
{
  const coll_settings_t *s = &coll_job.settings;
  int between = 0;
  mpi.Comm_test_inter(handle, &between);
  if (between) return 0;
  return handle == mpi.comm_world || s->reproducible ? 1 : s->first_call;
}

static coll_comm_t *make(MPI_Comm handle)
{
  coll_comm_t *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->run.own_tag = -1;
  chain_own_begin();
  mpi.Comm_size(handle, &c->size);
  mpi.Comm_rank(handle, &c->rank);
  c->early = first_call(handle);
  pthread_mutex_lock(&lock);
  c->next = comms;
  c->from = &comms;
  if (comms) comms->from = &c->next;
  comms = c;
  pthread_mutex_unlock(&lock);
  mpi.Comm_set_attr(handle, keyval, c);
  chain_own_end();
  return c;
}

coll_comm_t *coll_find(MPI_Comm handle)
{
  static __thread struct {
    MPI_Comm handle;
    coll_comm_t *comm;
    unsigned epoch;
  } last;
  if (UNLIKELY(!coll_job.ready)) return NULL;
  unsigned now = atomic_load_explicit(&epoch, memory_order_relaxed);
  if (LIKELY(last.epoch == now && last.handle == handle)) return last.comm;
  if (!may_be_comm(handle) || handle == mpi.comm_null) return NULL;
  coll_comm_t *c = NULL;
  int found = 0;
  if (mpi.Comm_get_attr(handle, keyval, &c, &found) != MPI_SUCCESS) return NULL;
  if (!found) c = make(handle);
  last.handle = handle;
  last.comm = c && (c->served || c->early) ? c : NULL;
  last.epoch = now;
  return last.comm;
}

coll_comm_t *coll_start(coll_comm_t *c, MPI_Comm handle, size_t bytes)
{
  if (--c->early > 0 && bytes < LONG_CALL) return NULL;
  c->early = 0;
  chain_own_begin();
  c->served = set_up(c, handle);
  if (!c->served) {
    release(c);
    atomic_fetch_add(&epoch, 1);
  }
  chain_own_end();
  return c->served ? c : NULL;
}

void coll_open(MPI_Comm handle)
{
  if (!coll_agents.active || handle == mpi.comm_null) return;
  coll_comm_t *c = coll_find(handle);
  if (c && c->early) coll_start(c, handle, SIZE_MAX);
}
