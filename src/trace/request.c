/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows what persistent send requests send when they are started. */
#include <pthread.h>

#include "trace/request.h"

typedef struct entry {
  uintptr_t handle; /* 0: empty. No MPI has such a handle for a persistent request */
  started_t what;
} entry_t;

static entry_t *entries;
static size_t n_slots, n_used;
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

static size_t home(uintptr_t handle)
{
  return ((uint64_t)handle * 0x9e3779b97f4a7c15u >> 32) & (n_slots - 1);
}

/* The slot of a handle, or the empty slot to put it in. */
static entry_t *slot(uintptr_t handle)
{
  size_t i = home(handle);
  while (entries[i].handle && entries[i].handle != handle) i = (i + 1) & (n_slots - 1);
  return &entries[i];
}

static bool make_room(void)
{
  if (n_used * 2 < n_slots) return true;
  entry_t *old = entries;
  size_t n_old = n_slots, n_new = n_slots ? n_slots * 2 : 256;
  entry_t *bigger = memory_alloc(n_new * sizeof *bigger);
  if (!bigger) return false;
  entries = bigger;
  n_slots = n_new;
  for (size_t i = 0; i < n_old; i++)
    if (old[i].handle) *slot(old[i].handle) = old[i];
  memory_free(old, n_old * sizeof *old);
  return true;
}

void request_add(MPI_Request request, started_t what)
{
  lock();
  if (make_room()) {
    entry_t *e = slot((uintptr_t)request);
    if (e->handle)
      plan_free(e->what.plan);
    else
      n_used++;
    *e = (entry_t){(uintptr_t)request, what};
  } else {
    plan_free(what.plan);
  }
  unlock();
}

bool request_find(MPI_Request request, started_t *what)
{
  lock();
  const entry_t *e = n_slots ? slot((uintptr_t)request) : NULL;
  bool found = e && e->handle;
  if (found) *what = e->what;
  unlock();
  return found;
}

/* Empties a slot. Moves entries behind it up if a search would no longer find them. */
static void empty(size_t hole)
{
  plan_free(entries[hole].what.plan);
  entries[hole].handle = 0;
  n_used--;
  for (size_t i = (hole + 1) & (n_slots - 1); entries[i].handle; i = (i + 1) & (n_slots - 1)) {
    size_t from_home = (i - home(entries[i].handle)) & (n_slots - 1);
    if (from_home < ((i - hole) & (n_slots - 1))) continue;
    entries[hole] = entries[i];
    entries[i].handle = 0;
    hole = i;
  }
}

void request_remove(MPI_Request request)
{
  lock();
  entry_t *e = n_slots ? slot((uintptr_t)request) : NULL;
  if (e && e->handle) empty((size_t)(e - entries));
  unlock();
}
