/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows requests in a table by their handles, and records what their completion means. */
#include "trace/awaited.h"

#include <pthread.h>

enum {
  SLOTS = 1 << 15,
  MAX_REQUESTS = SLOTS / 2 /* more at a time aren't followed */
};

/* What a program waits for with a request. Ranks are world ranks; NOBODY: none. */
typedef struct awaited {
  uintptr_t handle; /* 0: empty */
  uint32_t posted;  /* the source, or SPOOL_ANY_RANK */
  uint32_t source;  /* the same, or SPOOL_ANY_RANK if it was one of several to choose from */
  uint32_t sent;    /* destination of a send that it waits for */
  bool persistent, active, cancelled;
} awaited_t;

static awaited_t *table; /* NULL before the first request */
static uint32_t n_used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Only MPI_THREAD_MULTIPLE lets two threads in at once. */
static void lock(void)
{
  if (tracer.multiple) pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
  if (tracer.multiple) pthread_mutex_unlock(&mutex);
}

static uint32_t home(uintptr_t handle)
{
  return (uint32_t)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 32) & (SLOTS - 1);
}

/* The slot of a handle, or the empty slot to put it in. */
static uint32_t slot_of(uintptr_t handle)
{
  uint32_t i = home(handle);
  while (table[i].handle && table[i].handle != handle) i = (i + 1) & (SLOTS - 1);
  return i;
}

/* The entry of a handle, or NULL. */
static awaited_t *find(uintptr_t handle)
{
  awaited_t *a = table && handle ? &table[slot_of(handle)] : NULL;
  return a && a->handle ? a : NULL;
}

/* A new or known entry of a handle; NULL if there is no room. */
static awaited_t *put(uintptr_t handle)
{
  if (UNLIKELY(!table)) table = memory_alloc(SLOTS * sizeof *table);
  if (UNLIKELY(!table)) return NULL;
  awaited_t *a = &table[slot_of(handle)];
  if (!a->handle && n_used == MAX_REQUESTS) return NULL;
  n_used += !a->handle;
  a->handle = handle;
  return a;
}

/* Empties an entry. Moves entries behind it up if a search would no longer find them. */
static void take_out(awaited_t *entry)
{
  uint32_t hole = (uint32_t)(entry - table);
  table[hole].handle = 0;
  n_used--;
  for (uint32_t i = (hole + 1) & (SLOTS - 1); table[i].handle; i = (i + 1) & (SLOTS - 1)) {
    uint32_t from_home = (i - home(table[i].handle)) & (SLOTS - 1);
    if (from_home < ((i - hole) & (SLOTS - 1))) continue;
    table[hole] = table[i];
    table[i].handle = 0;
    hole = i;
  }
}

void awaited_add(thread_t *t, MPI_Request request, uint32_t source, uint32_t sent, bool persistent)
{
  if (source == NOBODY && sent == NOBODY) return;
  lock();
  awaited_t *a = put((uintptr_t)request);
  if (a) {
    a->posted = a->source = source;
    a->sent = sent;
    a->persistent = persistent;
    a->active = !persistent;
    a->cancelled = false;
  }
  unlock();
  if (!a)
    phase_lose_request();
  else if (!persistent)
    receive_step(t, SPOOL_STEP_POSTED, source);
}

void awaited_start(thread_t *t, MPI_Request request)
{
  uint32_t posted = NOBODY;
  lock();
  awaited_t *a = find((uintptr_t)request);
  if (a) {
    posted = a->posted;
    a->active = true;
    a->cancelled = false;
    a->source = a->posted;
  }
  unlock();
  receive_step(t, SPOOL_STEP_POSTED, posted);
}

void awaited_cancel(MPI_Request request)
{
  lock();
  awaited_t *a = find((uintptr_t)request);
  if (a) a->cancelled = true;
  unlock();
}

void awaited_forget(MPI_Request request)
{
  lock();
  awaited_t *a = find((uintptr_t)request);
  if (a) take_out(a);
  unlock();
}

void awaited_begin(thread_t *t, int n)
{
  t->awaited.n = 0;
  if (n <= 0 || (uint32_t)n <= t->awaited.room) return;
  memory_free(t->awaited.request, t->awaited.room * sizeof *t->awaited.request);
  t->awaited.request = memory_alloc((uint32_t)n * sizeof *t->awaited.request);
  t->awaited.room = t->awaited.request ? (uint32_t)n : 0;
  if (!t->awaited.request) phase_lose_request();
}

void awaited_look(thread_t *t, MPI_Request request)
{
  if (t->awaited.n == t->awaited.room) return;
  noted_t *to = &t->awaited.request[t->awaited.n++];
  lock();
  const awaited_t *a = find((uintptr_t)request);
  to->handle = a && a->active ? a->handle : 0;
  to->slot = a ? (uint32_t)(a - table) : 0;
  unlock();
}

/* The entry of a noted request, or NULL. */
static awaited_t *entry_of(const noted_t *noted)
{
  if (!noted->handle) return NULL;
  awaited_t *a = &table[noted->slot];
  return LIKELY(a->handle == noted->handle) ? a : find(noted->handle);
}

/* Whether a receive that the program wanted to cancel was cancelled. If nobody knows: yes. */
static bool was_cancelled(const MPI_Status *status)
{
  int flag = 1;
  if (status) mpi.Test_cancelled(status, &flag);
  return flag;
}

/* Records the steps of a completed request. The MPI may reuse its handle. */
static void take_steps(thread_t *t, const noted_t *noted, const MPI_Status *status)
{
  lock();
  awaited_t *a = entry_of(noted);
  uint32_t source = a ? a->source : NOBODY, sent = a ? a->sent : NOBODY;
  bool cancelled = a && a->cancelled;
  if (a && a->persistent)
    a->active = false;
  else if (a)
    take_out(a);
  unlock();
  if (!cancelled || !was_cancelled(status)) receive_step(t, SPOOL_STEP_ARRIVED, source);
  if (sent != NOBODY) phase_step(t, SPOOL_STEP_SENT, sent, 0);
}

void awaited_every(thread_t *t, bool completed, const MPI_Status *statuses)
{
  for (uint32_t i = 0; completed && i < t->awaited.n; i++)
    take_steps(t, &t->awaited.request[i], statuses ? &statuses[i] : NULL);
}

/* A call chose among the noted requests. If several are receives, they are receives of any rank,
 * those that the call left, too: in another placement, other ones may be left. */
static void choose(const thread_t *t)
{
  uint32_t n_receives = 0;
  const noted_t *request = t->awaited.request;
  lock();
  for (uint32_t i = 0; i < t->awaited.n; i++) {
    const awaited_t *a = entry_of(&request[i]);
    n_receives += a && a->source != NOBODY;
  }
  for (uint32_t i = 0; i < t->awaited.n && n_receives > 1; i++) {
    awaited_t *a = entry_of(&request[i]);
    if (a && a->source != NOBODY) a->source = SPOOL_ANY_RANK;
  }
  unlock();
}

void awaited_one(thread_t *t, bool completed, int index, int first, const MPI_Status *status)
{
  if (!completed || index == MPI_UNDEFINED) return;
  uint32_t i = (uint32_t)(index - first);
  choose(t);
  if (i < t->awaited.n) take_steps(t, &t->awaited.request[i], status);
}

void awaited_some(thread_t *t, int n, const int *indices, int first, const MPI_Status *statuses)
{
  if (n == MPI_UNDEFINED || n <= 0) return;
  choose(t);
  for (int k = 0; k < n; k++) {
    uint32_t i = (uint32_t)(indices[k] - first);
    if (i < t->awaited.n) take_steps(t, &t->awaited.request[i], statuses ? &statuses[k] : NULL);
  }
}
