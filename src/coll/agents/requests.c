/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/agents/requests.h"

#include <pthread.h>
#include <stdlib.h>

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
static int next_tag;

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

static void remove_entry(entry_t *e)
{
  entry_t **at = find(e->handle);
  *at = e->next;
  requests_known--;
  if (e->persistent) coll_comm_call_over(e->call.c);
  agent_call_drop(&e->call);
  free(e);
}

static void activate(entry_t *e)
{
  e->active = true;
  e->next_active = first_active;
  e->from = &first_active;
  if (first_active) first_active->from = &e->next_active;
  first_active = e;
}

/* The call has ended, or never will: the request completes. */
static void complete(entry_t *e)
{
  *e->from = e->next_active;
  if (e->next_active) e->next_active->from = e->from;
  e->active = false;
  e->code = agent_call_end(&e->call);
  mpi.Send(NULL, 0, mpi.byte, 0, e->tag, self);
  if (!e->persistent && e->code == MPI_SUCCESS) remove_entry(e);
}

int requests_add(const agent_call_t *call, MPI_Comm comm, bool persistent, MPI_Request *out)
{
  entry_t *e = calloc(1, sizeof *e);
  if (!e) return MPI_ERR_NO_MEM;
  e->call = *call;
  int kept = agent_call_keep(&e->call);
  e->comm = comm;
  e->persistent = persistent;
  if (persistent) e->call.order.stream = ++call->c->agent.streams;
  pthread_mutex_lock(&lock);
  e->tag = next_tag++ % TAGS;
  int rc = kept != MPI_SUCCESS ? kept
           : persistent        ? mpi.Recv_init(NULL, 0, mpi.byte, 0, e->tag, self, &e->handle)
                               : mpi.Irecv(NULL, 0, mpi.byte, 0, e->tag, self, &e->handle);
  if (rc == MPI_SUCCESS) {
    entry_t **at = find(e->handle);
    e->next = *at;
    *at = e;
    requests_known++;
    *out = e->handle;
    if (persistent) call->c->agent.under_way++;
    int begun = persistent ? MPI_SUCCESS : agent_call_begin(&e->call);
    if (!persistent && begun == MPI_SUCCESS) {
      activate(e);
    } else if (!persistent) {
      e->code = begun; /* the program hears of it when it completes the request */
      mpi.Send(NULL, 0, mpi.byte, 0, e->tag, self);
    }
  } else {
    agent_call_drop(&e->call);
    free(e);
  }
  pthread_mutex_unlock(&lock);
  return rc;
}

int requests_start(MPI_Request handle)
{
  int rc = MPI_SUCCESS;
  pthread_mutex_lock(&lock);
  entry_t *e = *find(handle);
  if (e && e->persistent && !e->active) {
    rc = agent_call_begin(&e->call);
    if (rc == MPI_SUCCESS) activate(e);
  }
  pthread_mutex_unlock(&lock);
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
  for (int i = 0; i < n && !any; i++) {
    const entry_t *e = *find(handles[i]);
    any = e && e->active;
  }
  pthread_mutex_unlock(&lock);
  return any;
}

void requests_wait(MPI_Request handle)
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

void requests_forget(MPI_Request handle)
{
  requests_wait(handle);
  pthread_mutex_lock(&lock);
  entry_t *e = *find(handle);
  if (e) remove_entry(e);
  pthread_mutex_unlock(&lock);
}

int requests_code(int n, const MPI_Request *handles, int before)
{
  MPI_Comm comm = mpi.comm_null;
  int rc = before;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < n; i++) {
    entry_t *e = *find(handles[i]);
    if (!e || e->active || e->code == MPI_SUCCESS) continue;
    if (rc == MPI_SUCCESS) rc = e->code;
    comm = e->comm;
    e->code = MPI_SUCCESS;
    if (!e->persistent) remove_entry(e);
  }
  pthread_mutex_unlock(&lock);
  if (comm != mpi.comm_null) mpi.Comm_call_errhandler(comm, rc);
  return rc;
}
