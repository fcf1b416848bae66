/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/agents/requests.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"

enum { BUCKETS = 1024, TAGS = 32768, LOOKS = 1 << 12 };

typedef struct entry {
  MPI_Request handle;
  MPI_Comm comm;
  agent_call_t call;
  int tag, code;
  bool persistent, active;
  struct entry *next; /* in its bucket */
  struct entry *next_active, **from;
} entry_t;

_Atomic int requests_known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry_t *bucket[BUCKETS], *first_active;
static MPI_Comm self; /* of this rank alone */
static bool tag_used[TAGS];
static int last_tag;
static MPI_Op *freed; /* operations that the program has freed, and calls need */
static size_t n_freed, cap_freed;
static _Atomic int failed; /* requests whose code the program hasn't heard */

void requests_begin(void)
{
  if (!coll_agents.active) return;
  mpi.Comm_dup(mpi.comm_self, &self);
}

void requests_end(void)
{
  if (coll_agents.active) mpi.Comm_free(&self);
}

static entry_t **find(MPI_Request handle)
{
  uint64_t h = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;
  entry_t **at = &bucket[h >> 54];
  while (*at && (*at)->handle != handle) at = &(*at)->next;
  return at;
}

/* One that no request has. -1: there is none. */
static int take_tag(void)
{
  for (int i = 0; i < TAGS; i++) {
    last_tag = (last_tag + 1) % TAGS;
    if (!tag_used[last_tag]) {
      tag_used[last_tag] = true;
      return last_tag;
    }
  }
  return -1;
}

static bool is_needed(MPI_Op op)
{
  for (int i = 0; i < BUCKETS; i++)
    for (const entry_t *e = bucket[i]; e; e = e->next)
      if (e->call.folds && e->call.of.op == op) return true;
  return false;
}

bool requests_keep_op(MPI_Op op)
{
  pthread_mutex_lock(&lock);
  bool kept = is_needed(op) && ARRAY_ADD(&freed, &n_freed, &cap_freed, op);
  pthread_mutex_unlock(&lock);
  return kept;
}

static void free_ops(void)
{
  size_t kept = 0;
  for (size_t i = 0; i < n_freed; i++) {
    if (is_needed(freed[i]))
      freed[kept++] = freed[i];
    else
      mpi.Op_free(&freed[i]);
  }
  n_freed = kept;
}

static void remove_entry(entry_t *e)
{
  entry_t **at = find(e->handle);
  *at = e->next;
  requests_known--;
  failed -= e->code != MPI_SUCCESS;
  if (e->persistent) coll_comm_call_over(e->call.c);
  agent_call_drop(&e->call);
  tag_used[e->tag] = false;
  free(e);
  if (n_freed > 0) free_ops();
}

static void activate(entry_t *e)
{
  e->active = true;
  e->next_active = first_active;
  e->from = &first_active;
  if (first_active) first_active->from = &e->next_active;
  first_active = e;
}

/* The request completes. The program hears of a failure when it completes it. */
static void settle(entry_t *e, int code)
{
  e->code = code;
  failed += code != MPI_SUCCESS;
  mpi.Send(NULL, 0, mpi.byte, 0, e->tag, self);
  if (!e->persistent && code == MPI_SUCCESS) remove_entry(e);
}

/* The call has ended, or never will. */
static void complete(entry_t *e)
{
  *e->from = e->next_active;
  if (e->next_active) e->next_active->from = e->from;
  e->active = false;
  settle(e, agent_call_end(&e->call));
}

/* A rank with very many calls under way waits until one of them is over. */
static void wait_for_channel(void)
{
  for (int turn = 0; !agents_have_channel() && !coll_agents.broken; turn++) {
    double looked = wait_now();
    requests_look();
    wait_turn(turn, WAIT_NOBODY, looked);
  }
}

int requests_run(agent_call_t *call)
{
  wait_for_channel();
  int rc = agent_call_begin(call);
  if (rc != MPI_SUCCESS) return rc;
  agent_call_wait(call);
  return agent_call_end(call);
}

/* The MPI's request of an entry. Returns its code. */
static int make_request(entry_t *e)
{
  e->tag = take_tag();
  if (e->tag < 0) return MPI_ERR_OTHER;
  int rc = agent_call_keep(&e->call);
  if (rc == MPI_SUCCESS)
    rc = e->persistent ? mpi.Recv_init(NULL, 0, mpi.byte, 0, e->tag, self, &e->handle)
                       : mpi.Irecv(NULL, 0, mpi.byte, 0, e->tag, self, &e->handle);
  if (rc == MPI_SUCCESS) return rc;
  agent_call_drop(&e->call);
  tag_used[e->tag] = false;
  return rc;
}

static void list_entry(entry_t *e)
{
  entry_t **at = find(e->handle);
  e->next = *at;
  *at = e;
  requests_known++;
}

static void begin(entry_t *e)
{
  int rc = agent_call_begin(&e->call);
  if (rc == MPI_SUCCESS)
    activate(e);
  else
    settle(e, rc);
}

int requests_add(const agent_call_t *call, MPI_Comm comm, bool persistent, MPI_Request *out)
{
  entry_t *e = calloc(1, sizeof *e);
  if (!e) return MPI_ERR_NO_MEM;
  *e = (entry_t){.call = *call, .comm = comm, .persistent = persistent};
  if (persistent)
    e->call.order.stream = ++call->c->agent.streams;
  else
    wait_for_channel();
  pthread_mutex_lock(&lock);
  int rc = make_request(e);
  if (rc == MPI_SUCCESS) {
    *out = e->handle;
    list_entry(e);
    if (persistent)
      call->c->agent.under_way++;
    else
      begin(e);
  } else {
    free(e);
  }
  pthread_mutex_unlock(&lock);
  return rc;
}

int requests_start(MPI_Request handle)
{
  int rc = MPI_SUCCESS;
  wait_for_channel();
  pthread_mutex_lock(&lock);
  entry_t *e = *find(handle);
  if (e && e->persistent && !e->active) {
    rc = agent_call_begin(&e->call);
    if (rc == MPI_SUCCESS) activate(e);
  }
  MPI_Comm comm = rc == MPI_SUCCESS ? mpi.comm_null : e->comm;
  pthread_mutex_unlock(&lock);
  if (rc != MPI_SUCCESS) mpi.Comm_call_errhandler(comm, rc);
  return rc;
}

void requests_look(void)
{
  static _Atomic unsigned looks;
  if (++looks % LOOKS == 0) agents_live();
  pthread_mutex_lock(&lock);
  for (entry_t *e = first_active, *next; e; e = next) {
    next = e->next_active;
    if (agent_call_over(&e->call) || coll_agents.broken) complete(e);
  }
  pthread_mutex_unlock(&lock);
}

bool requests_under_way(int n, const MPI_Request *handles)
{
  bool any = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; handles && i < n && !any; i++) {
    const entry_t *e = *find(handles[i]);
    any = e && e->active;
  }
  pthread_mutex_unlock(&lock);
  return any;
}

static void wait_for_request(MPI_Request handle)
{
  agent_call_t call;
  pthread_mutex_lock(&lock);
  const entry_t *e = *find(handle);
  bool waits = e && e->active;
  if (waits) call = e->call;
  pthread_mutex_unlock(&lock);
  if (!waits) return;
  agent_call_wait(&call);
  pthread_mutex_lock(&lock);
  entry_t *now = *find(handle);
  if (now && now->active) complete(now);
  pthread_mutex_unlock(&lock);
}

void requests_wait(int n, const MPI_Request *handles)
{
  for (int i = 0; handles && i < n; i++) wait_for_request(handles[i]);
}

void requests_forget(MPI_Request handle)
{
  wait_for_request(handle);
  pthread_mutex_lock(&lock);
  entry_t *e = *find(handle);
  if (e) remove_entry(e);
  pthread_mutex_unlock(&lock);
}

int requests_code(int n, const MPI_Request *handles)
{
  MPI_Comm comm = mpi.comm_null;
  int rc = MPI_SUCCESS;
  if (failed == 0) return rc;
  pthread_mutex_lock(&lock);
  for (int i = 0; handles && i < n; i++) {
    entry_t *e = *find(handles[i]);
    if (!e || e->active || e->code == MPI_SUCCESS) continue;
    if (rc == MPI_SUCCESS) rc = e->code;
    comm = e->comm;
    e->code = MPI_SUCCESS;
    failed--;
    if (!e->persistent) remove_entry(e);
  }
  pthread_mutex_unlock(&lock);
  if (rc != MPI_SUCCESS) mpi.Comm_call_errhandler(comm, rc);
  return rc;
}
