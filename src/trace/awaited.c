/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows requests in a table by their handles, and records what their completion means. */
#include "trace/awaited.h"

#include <pthread.h>

enum { MAX_REQUESTS = AWAITED_SLOTS / 2 /* more at a time aren't followed */ };

awaited_t awaited_table[AWAITED_SLOTS];
static uint32_t n_used;
static spool_step_t call[AWAITED_CALLS]; /* how collective calls end */
static uint32_t n_calls;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void awaited_lock_slow(void) { pthread_mutex_lock(&mutex); }
void awaited_unlock_slow(void) { pthread_mutex_unlock(&mutex); }

/* The slot of a handle, or the empty slot to put it in. */
static uint32_t slot_of(uintptr_t handle)
{
  uint32_t i = awaited_home(handle);
  while (awaited_table[i].handle && awaited_table[i].handle != handle)
    i = (i + 1) & (AWAITED_SLOTS - 1);
  return i;
}

awaited_t *awaited_find_slow(uintptr_t handle)
{
  awaited_t *a = &awaited_table[slot_of(handle)];
  return a->handle ? a : NULL;
}

/* Empties an entry. Moves entries behind it up if a search would no longer find them. */
static void take_out(awaited_t *entry)
{
  awaited_t *table = awaited_table;
  uint32_t hole = (uint32_t)(entry - table);
  table[hole] = (awaited_t){0};
  n_used--;
  for (uint32_t i = (hole + 1) & (AWAITED_SLOTS - 1); table[i].handle;
       i = (i + 1) & (AWAITED_SLOTS - 1)) {
    uint32_t from_home = (i - awaited_home(table[i].handle)) & (AWAITED_SLOTS - 1);
    if (from_home < ((i - hole) & (AWAITED_SLOTS - 1))) continue;
    table[hole] = table[i];
    table[i] = (awaited_t){0};
    hole = i;
  }
}

/* Forgets requests that are over. */
static void make_room(void)
{
  for (awaited_t *a = awaited_table; a < awaited_table + AWAITED_SLOTS; a++)
    while (a->handle && !a->active && !a->persistent) take_out(a);
}

/* A new entry of a handle; NULL if there is no room. */
static __attribute__((noinline)) awaited_t *put_new(uintptr_t handle)
{
  if (n_used == MAX_REQUESTS) make_room();
  if (n_used == MAX_REQUESTS) return NULL;
  awaited_t *a = &awaited_table[slot_of(handle)];
  n_used++;
  a->handle = handle;
  return a;
}

/* A new or known entry of a handle; NULL if there is no room. */
static awaited_t *put(uintptr_t handle)
{
  awaited_t *a = awaited_find(handle);
  return LIKELY(a != NULL) ? a : put_new(handle);
}

void awaited_add(thread_t *t, MPI_Request request, uint32_t source, uint32_t sent, bool persistent)
{
  if (source == NOBODY && sent == NOBODY) return;
  awaited_lock();
  awaited_t *a = put((uintptr_t)request);
  if (a) {
    a->posted = a->source = source;
    a->sent = sent;
    a->persistent = persistent;
    a->active = !persistent;
    a->cancelled = false;
  }
  awaited_unlock();
  if (!a)
    phase_lose_request();
  else if (!persistent)
    receive_step(t, SPOOL_STEP_POSTED, source);
}

/* The number of such a call. Needs the lock. AWAITED_CALLS: there is no room. */
static uint32_t number_of(const spool_step_t *end)
{
  for (uint32_t i = n_calls; i > 0; i--)
    if (program_same(&call[i - 1], end)) return i - 1;
  if (n_calls == AWAITED_CALLS) return AWAITED_CALLS;
  call[n_calls] = *end;
  return n_calls++;
}

void awaited_add_call(MPI_Request request, const spool_step_t *end)
{
  awaited_lock();
  uint32_t number = number_of(end);
  awaited_t *a = number < AWAITED_CALLS ? put((uintptr_t)request) : NULL;
  if (a)
    *a = (awaited_t){.handle = a->handle,
                     .posted = number,
                     .source = AWAITED_CALL,
                     .sent = NOBODY,
                     .active = true};
  awaited_unlock();
  if (!a) phase_lose_request();
}

void awaited_start(thread_t *t, MPI_Request request)
{
  uint32_t posted = NOBODY;
  awaited_lock();
  awaited_t *a = awaited_find((uintptr_t)request);
  if (a && a->persistent) {
    posted = a->posted;
    a->active = true;
    a->cancelled = false;
    a->source = a->posted;
  }
  awaited_unlock();
  receive_step(t, SPOOL_STEP_POSTED, posted);
}

void awaited_cancel(MPI_Request request)
{
  awaited_lock();
  awaited_t *a = awaited_find((uintptr_t)request);
  if (a) a->cancelled = true;
  awaited_unlock();
}

void awaited_forget(MPI_Request request)
{
  awaited_lock();
  awaited_t *a = awaited_find((uintptr_t)request);
  if (a) take_out(a);
  awaited_unlock();
}

void awaited_more_room(thread_t *t, uint32_t n)
{
  memory_free(t->awaited.request, t->awaited.room * sizeof *t->awaited.request);
  t->awaited.request = memory_alloc(n * sizeof *t->awaited.request);
  t->awaited.room = t->awaited.request ? n : 0;
  if (!t->awaited.request) phase_lose_request();
}

/* The entry of a noted request, or NULL. Another thread may have moved it. */
static inline awaited_t *entry_of(const noted_t *noted)
{
  if (!noted->handle) return NULL;
  return LIKELY(noted->entry->handle == noted->handle) ? noted->entry : awaited_find(noted->handle);
}

/* Whether a receive that the program wanted to cancel was cancelled. If nobody knows: yes. */
static bool was_cancelled(const MPI_Status *status)
{
  int flag = 1;
  if (status) mpi.Test_cancelled(status, &flag);
  return flag;
}

/* Records the steps of a completed request. The MPI may reuse its handle. */
static inline __attribute__((always_inline)) void take_steps(thread_t *t, const noted_t *noted,
                                                             const MPI_Status *status)
{
  awaited_lock();
  awaited_t *a = entry_of(noted);
  uint32_t source = a ? a->source : NOBODY, sent = a ? a->sent : NOBODY;
  const spool_step_t *end = source == AWAITED_CALL ? &call[a->posted] : NULL;
  bool cancelled = a && a->cancelled;
  if (a) a->active = false;
  awaited_unlock();
  if (UNLIKELY(end)) {
    phase_step_of(t, *end);
    return;
  }
  if (!cancelled || !was_cancelled(status)) receive_step(t, SPOOL_STEP_ARRIVED, source);
  if (sent != NOBODY) phase_step(t, SPOOL_STEP_SENT, sent);
}

void awaited_every(thread_t *t, bool completed, const MPI_Status *statuses)
{
  for (uint32_t i = 0; completed && i < t->awaited.n; i++)
    take_steps(t, &t->awaited.request[i], statuses ? &statuses[i] : NULL);
}

static bool is_receive(const awaited_t *a)
{
  return a->source != NOBODY && a->source != AWAITED_CALL;
}

/* A call chose among the noted requests. If several are receives, they are receives of any rank,
 * those that the call left, too: in another placement, other ones may be left. */
static void choose(const thread_t *t)
{
  uint32_t n_receives = 0;
  const noted_t *request = t->awaited.request;
  awaited_lock();
  for (uint32_t i = 0; i < t->awaited.n; i++) {
    const awaited_t *a = entry_of(&request[i]);
    n_receives += a && is_receive(a);
  }
  for (uint32_t i = 0; i < t->awaited.n && n_receives > 1; i++) {
    awaited_t *a = entry_of(&request[i]);
    if (a && is_receive(a)) a->source = SPOOL_ANY_RANK;
  }
  awaited_unlock();
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
