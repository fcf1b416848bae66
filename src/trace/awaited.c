/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows requests in a table by their handles, and records what their completion means. */
#include "trace/awaited.h"

#include <pthread.h>

enum {
  SLOTS = 1 << 15,
  MAX_REQUESTS = SLOTS / 2 /* more at a time aren't followed */
};

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

/* The entry of a handle, or NULL. */
static awaited_t *find(uintptr_t handle)
{
  if (!table || !handle) return NULL;
  for (uint32_t i = home(handle); table[i].handle; i = (i + 1) & (SLOTS - 1))
    if (table[i].handle == handle) return &table[i];
  return NULL;
}

/* Puts an entry in. Returns false if there is no room. */
static bool put(const awaited_t *a)
{
  awaited_t *known = find(a->handle);
  if (!table) table = memory_alloc(SLOTS * sizeof *table);
  if (!table || (!known && n_used == MAX_REQUESTS)) return false;
  if (!known) {
    uint32_t i = home(a->handle);
    while (table[i].handle) i = (i + 1) & (SLOTS - 1);
    known = &table[i];
    n_used++;
  }
  *known = *a;
  return true;
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

void awaited_add(MPI_Request request, uint32_t source, uint32_t sent, bool persistent)
{
  if (source == NOBODY && sent == NOBODY) return;
  const awaited_t a = {(uintptr_t)request, source, source, sent, persistent, !persistent, false};
  lock();
  bool done = put(&a);
  unlock();
  if (!done) phase_lose_request();
}

void awaited_start(MPI_Request request)
{
  lock();
  awaited_t *a = find((uintptr_t)request);
  if (a) {
    a->active = true;
    a->cancelled = false;
    a->source = a->posted;
  }
  unlock();
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
  awaited_t *to = &t->awaited.request[t->awaited.n++];
  lock();
  const awaited_t *a = find((uintptr_t)request);
  if (a && a->active)
    *to = *a;
  else
    to->handle = 0;
  unlock();
}

/* The MPI may reuse the handle of a completed request. */
static void request_ends(uintptr_t handle)
{
  lock();
  awaited_t *a = find(handle);
  if (a && a->persistent)
    a->active = false;
  else if (a)
    take_out(a);
  unlock();
}

/* Whether a receive that the program wanted to cancel was cancelled. If nobody knows: yes. */
static bool was_cancelled(const MPI_Status *status)
{
  int flag = 1;
  if (status) mpi.Test_cancelled(status, &flag);
  return flag;
}

/* Records the steps of a completed request. */
static void take_steps(thread_t *t, const awaited_t *a, bool any, const MPI_Status *status)
{
  if (!a->handle) return;
  request_ends(a->handle);
  uint32_t source = any && a->source != NOBODY ? SPOOL_ANY_RANK : a->source;
  if (!a->cancelled || !was_cancelled(status)) received(t, source);
  if (a->sent != NOBODY) phase_step(t, SPOOL_STEP_SENT, a->sent, 0);
}

void awaited_every(thread_t *t, bool completed, const MPI_Status *statuses)
{
  for (uint32_t i = 0; completed && i < t->awaited.n; i++)
    take_steps(t, &t->awaited.request[i], false, statuses ? &statuses[i] : NULL);
}

/* Whether a call chose among several receives. If so, those that it left are receives of any rank:
 * in another placement, other ones may be left. */
static bool chose(thread_t *t)
{
  uint32_t n_receives = 0;
  awaited_t *request = t->awaited.request;
  for (uint32_t i = 0; i < t->awaited.n; i++)
    n_receives += request[i].handle && request[i].source != NOBODY;
  if (n_receives < 2) return false;
  lock();
  for (uint32_t i = 0; i < t->awaited.n; i++) {
    if (!request[i].handle || request[i].source >= NOBODY) continue;
    awaited_t *a = find(request[i].handle);
    if (a) a->source = SPOOL_ANY_RANK;
  }
  unlock();
  return true;
}

void awaited_one(thread_t *t, bool completed, int index, int first, const MPI_Status *status)
{
  if (!completed || index == MPI_UNDEFINED) return;
  uint32_t i = (uint32_t)(index - first);
  if (i < t->awaited.n) take_steps(t, &t->awaited.request[i], chose(t), status);
}

void awaited_some(thread_t *t, int n, const int *indices, int first, const MPI_Status *statuses)
{
  if (n == MPI_UNDEFINED || n <= 0) return;
  bool any = chose(t);
  for (int k = 0; k < n; k++) {
    uint32_t i = (uint32_t)(indices[k] - first);
    if (i < t->awaited.n)
      take_steps(t, &t->awaited.request[i], any, statuses ? &statuses[k] : NULL);
  }
}
