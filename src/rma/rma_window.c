/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds windows by their handles and numbers. */
#include "rma/rma_window.h"

#include <pthread.h>
#include <stdlib.h>

#include "rma/window_list.h"

int window_locks;

enum { BUCKETS = 256, MOST_WINDOWS = 1 << 14 };

/* A handle that there has been. It is kept when its window is freed, because other threads may be
 * looking along the list; the MPI will use the handle again. */
typedef struct known {
  MPI_Win handle;
  _Atomic(rma_window_t *) window;
  struct known *next;
} known_t;

static _Atomic(known_t *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of changes */
static _Atomic(rma_window_t *) numbered[MOST_WINDOWS];
static _Atomic int n_numbered; /* no window has this number, or a higher one */

static _Atomic(known_t *) *bucket_of(MPI_Win handle)
{
  return &buckets[((uintptr_t)handle * 0x9e3779b97f4a7c15u >> 32) % BUCKETS];
}

static known_t *find(MPI_Win handle)
{
  known_t *k = atomic_load_explicit(bucket_of(handle), memory_order_acquire);
  while (k && k->handle != handle) k = k->next;
  return k;
}

rma_window_t *window_find(MPI_Win handle)
{
  known_t *k = find(handle);
  return LIKELY(k != NULL) ? atomic_load_explicit(&k->window, memory_order_acquire) : NULL;
}

rma_window_t *window_numbered(int number)
{
  return number >= 0 && number < n_numbered ? atomic_load(&numbered[number]) : NULL;
}

bool window_list_number(rma_window_t *w)
{
  int i = 0;
  pthread_mutex_lock(&lock);
  while (i < MOST_WINDOWS && atomic_load(&numbered[i])) i++;
  if (i < MOST_WINDOWS) {
    w->number = i;
    atomic_store(&numbered[i], w);
    if (i >= n_numbered) n_numbered = i + 1;
  }
  pthread_mutex_unlock(&lock);
  return i < MOST_WINDOWS;
}

bool window_list_add(rma_window_t *w)
{
  bool added = true;
  pthread_mutex_lock(&lock);
  known_t *k = find(w->handle);
  if (!k && (added = (k = malloc(sizeof *k)) != NULL)) {
    k->handle = w->handle;
    k->next = *bucket_of(w->handle);
    atomic_init(&k->window, w);
    atomic_store_explicit(bucket_of(w->handle), k, memory_order_release);
  } else if (k) {
    atomic_store_explicit(&k->window, w, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  return added;
}

void window_list_remove(rma_window_t *w)
{
  pthread_mutex_lock(&lock);
  known_t *k = find(w->handle);
  if (k && atomic_load(&k->window) == w) atomic_store(&k->window, NULL);
  if (w->number >= 0) atomic_store(&numbered[w->number], NULL);
  pthread_mutex_unlock(&lock);
}

void windows_each(void (*does)(rma_window_t *w))
{
  for (int i = 0; i < n_numbered; i++) {
    rma_window_t *w = atomic_load(&numbered[i]);
    if (w) does(w);
  }
}
