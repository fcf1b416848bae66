/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracks the epochs of one-sided operations on windows.
 *
 * A window's state is an attribute of it, which MPI_Win_free deletes. It is made with the
 * window, because its number identifies the window at all members. */
#include "trace/window.h"

#include <string.h>

static spool_block_t *window_block;
static uint32_t n_windows;

static int copy_attribute(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
  (void)win, (void)keyval, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}

/* The MPI may reuse the handle for another window. */
static int delete_attribute(MPI_Win win, int keyval, void *attribute, void *extra)
{
  (void)win, (void)keyval, (void)extra;
  window_t *w = attribute;
  atomic_fetch_add(&tracer.window_epoch, 1);
  memory_free(w->locks, w->comm->n_dest * sizeof *w->locks);
  memory_free(w, sizeof *w);
  return MPI_SUCCESS;
}

void window_setup(void)
{
  mpi.Win_create_keyval(copy_attribute, delete_attribute, &tracer.window_keyval, NULL);
}

void window_cleanup(void) { mpi.Win_free_keyval(&tracer.window_keyval); }

/* Writes the window's record. Returns its identity; 0 if there is no room. */
static uint32_t describe(comm_t *c)
{
  tracer_lock();
  const spool_window_t r = {.id = n_windows + 1, .comm = c->id, .number = c->n_windows++};
  bool written = memory_add(&window_block, SPOOL_WINDOWS, &r, sizeof r);
  n_windows += written;
  tracer_unlock();
  return written ? r.id : 0;
}

void window_made(thread_t *t, MPI_Comm comm, MPI_Win win)
{
  comm_t *c = comm_find(t, comm);
  window_t *w = c ? memory_alloc(sizeof *w) : NULL;
  if (!w) return;
  w->comm = c;
  w->id = c->outside ? 0 : describe(c);
  if (mpi.Win_set_attr(win, tracer.window_keyval, w) != MPI_SUCCESS) memory_free(w, sizeof *w);
}

window_t *window_find_slow(thread_t *t, MPI_Win handle)
{
  unsigned epoch = atomic_load_explicit(&tracer.window_epoch, memory_order_acquire);
  if (t->window_epoch != epoch) {
    memset(t->windows, 0, sizeof t->windows);
    t->window_epoch = epoch;
  }
  window_t *w = NULL;
  int found = 0;
  if (handle == mpi.win_null || !may_be_win(handle)) return NULL;
  if (mpi.Win_get_attr(handle, tracer.window_keyval, &w, &found) != MPI_SUCCESS || !found)
    return NULL;
  unsigned slot = handle_slot((uintptr_t)handle);
  t->windows[slot].handle = handle;
  t->windows[slot].window = w;
  return w;
}

static uint64_t open_epoch(window_t *w) { return atomic_fetch_add(&w->opened, 1) + 1; }

void window_open(thread_t *t, MPI_Win win, spool_sync_t how)
{
  window_t *w = window_find(t, win);
  if (w) w->open[how] = open_epoch(w);
}

void window_close(thread_t *t, MPI_Win win, spool_sync_t how)
{
  window_t *w = window_find(t, win);
  if (w) w->open[how] = 0;
}

/* The epochs of locks, one per target; NULL if memory is out. */
static _Atomic uint64_t *locks_of(window_t *w)
{
  if (w->locks) return w->locks;
  tracer_lock();
  if (!w->locks) w->locks = memory_alloc(w->comm->n_dest * sizeof *w->locks);
  tracer_unlock();
  return w->locks;
}

void window_lock(thread_t *t, MPI_Win win, int target)
{
  window_t *w = window_find(t, win);
  _Atomic uint64_t *locks = w && target >= 0 ? locks_of(w) : NULL;
  if (locks && (uint32_t)target < w->comm->n_dest) locks[target] = open_epoch(w);
}

void window_unlock(thread_t *t, MPI_Win win, int target)
{
  window_t *w = window_find(t, win);
  _Atomic uint64_t *locks = w ? w->locks : NULL;
  if (locks && target >= 0 && (uint32_t)target < w->comm->n_dest) locks[target] = 0;
}
