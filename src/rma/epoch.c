/* SPDX-License-Identifier: BSD-3-Clause */
/* Post, start, complete and wait; lock, flush and unlock (Zhao 2012, sections 3.1.2 and 3.2). Where
 * memory is shared, an origin waits for the target only when it accesses it. Messages come with
 * what their epoch is, and wait at the target until it is open; so an origin waits for nothing. */
#include "rma/epoch.h"

#include <sched.h>

#include "job/job_wait.h"
#include "rma/arrivals.h"
#include "rma/copies.h"
#include "rma/inbox.h"
#include "rma/rma_error.h"
#include "rma/rma_progress.h"
#include "rma/stream.h"

static int sync_error(const char *found, const char *expected)
{
  return error_code(MPI_ERR_RMA_SYNC, "found %s, expected %s", found, expected);
}

static window_member_t *member_of(const rma_window_t *w, const rma_target_t *t)
{
  return &w->memory.member[t->member];
}

static window_member_t *own_member(const rma_window_t *w)
{
  return &w->memory.member[w->memory.me];
}

/* Ends what isn't sent or copied yet at one target. */
static int flush_target(rma_window_t *w, int target, stream_end_t end)
{
  rma_target_t *t = &w->target[target];
  if (t->way == WAY_MESSAGE) return stream_end(w, target, end);
  return end == STREAM_COMPLETE ? copies_end(w, t, INBOX_COMPLETE) : copies_flush(w, t);
}

/* --- whether a target is open --- */

static wait_word_t *pair(const rma_window_t *w, wait_word_t *words, int target, int origin)
{
  return &words[(size_t)target * (size_t)w->memory.n + (size_t)origin];
}

/* A target that has come to the last fence may not have left it. */
static void wait_for_inbox(const rma_window_t *w, const rma_target_t *t)
{
  const inbox_t *inbox = inbox_of(&w->memory, t->member, inbox_of_fence(w->barriers));
  if (inbox) inbox_wait(inbox);
}

static int open_target(rma_window_t *w, int target)
{
  rma_target_t *t = &w->target[target];
  bool shares = t->way != WAY_MESSAGE;
  if (shares && (t->lock != LOCK_NONE || w->access == ACCESS_LOCKED_ALL)) wait_for_inbox(w, t);
  if (t->lock != LOCK_NONE) { /* taken by epoch_lock if memory is shared */
  } else if (w->access == ACCESS_LOCKED_ALL) {
    if (shares && !t->held && !w->access_unchecked) {
      bool others = __atomic_load_n(&window_locks, __ATOMIC_RELAXED) > 0;
      window_lock_take(&member_of(w, t)->lock, window_lock_use(false, others), t->member);
      t->held = true;
    }
  } else if (w->access == ACCESS_STARTED && t->started) {
    if (shares && !w->access_unchecked)
      wait_for(pair(w, w->memory.post, t->member, w->memory.me), t->starts, t->member);
  } else if (w->access == ACCESS_STARTED) {
    return sync_error("a target that MPI_Win_start didn't name", "one of its group");
  } else if (w->fenced && !w->fence_left && w->locked == 0) {
    w->used = true;
    if (shares) wait_for(&member_of(w, t)->opened, w->fences, t->member);
  } else {
    return sync_error("no epoch in which this rank may access the target",
                      "one of a fence, MPI_Win_start or MPI_Win_lock");
  }
  t->ready = w->epoch;
  return MPI_SUCCESS;
}

int epoch_open(rma_window_t *w, int target)
{
  rma_target_t *t = &w->target[target];
  if (!rma_job.threads) return open_target(w, target);
  while (atomic_exchange(&t->opening, true)) sched_yield();
  int rc = t->ready == w->epoch ? MPI_SUCCESS : open_target(w, target);
  atomic_store(&t->opening, false);
  return rc;
}

/* --- post, start, complete, wait --- */

/* Ranks of a group in the window. */
static int list_group(const rma_window_t *w, MPI_Group group, int *list, int *n)
{
  int own[64], rc = mpi.Group_size(group, n);
  if (rc != MPI_SUCCESS) return rc;
  if (*n > w->size)
    return error_code(MPI_ERR_GROUP, "found a group of %d ranks, expected at most %d, the window's",
                      *n, w->size);
  for (int at = 0; at < *n && rc == MPI_SUCCESS; at += 64) {
    int some = *n - at < 64 ? *n - at : 64;
    for (int i = 0; i < some; i++) own[i] = at + i;
    rc = mpi.Group_translate_ranks(group, some, own, w->group, list + at);
  }
  for (int i = 0; i < *n && rc == MPI_SUCCESS; i++)
    if (list[i] == MPI_UNDEFINED)
      rc = error_code(MPI_ERR_GROUP, "found a group with ranks that the window hasn't");
  return rc;
}

int epoch_start(rma_window_t *w, MPI_Group group, int assertion)
{
  if (w->access != ACCESS_NONE || w->locked > 0)
    return error_raise(w->handle, sync_error("another access epoch that is open", "none"));
  int rc = list_group(w, group, w->started, &w->n_started);
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  w->access = ACCESS_STARTED;
  w->fence_left = true;
  w->access_unchecked = assertion & MPI_MODE_NOCHECK;
  w->epoch++;
  for (int i = 0; i < w->n_started; i++) {
    rma_target_t *t = &w->target[w->started[i]];
    t->started = true;
    t->starts++;
  }
  return MPI_SUCCESS;
}

int epoch_complete(rma_window_t *w)
{
  if (w->access != ACCESS_STARTED)
    return error_raise(w->handle, sync_error("no MPI_Win_start before", "one"));
  int rc = MPI_SUCCESS;
  for (int i = 0; i < w->n_started; i++) {
    rma_target_t *t = &w->target[w->started[i]];
    int done = flush_target(w, w->started[i], STREAM_COMPLETE);
    if (t->way != WAY_MESSAGE)
      wait_set(pair(w, w->memory.complete, t->member, w->memory.me), t->starts);
    if (rc == MPI_SUCCESS) rc = done;
  }
  for (int i = 0; i < w->n_started; i++) {
    int done = stream_wait(w, w->started[i], true);
    if (rc == MPI_SUCCESS) rc = done;
    w->target[w->started[i]].started = false;
  }
  w->access = ACCESS_NONE;
  w->epoch++;
  return rc == MPI_SUCCESS ? rc : error_raise(w->handle, rc);
}

int epoch_post(rma_window_t *w, MPI_Group group)
{
  int n;
  if (w->n_posted >= 0)
    return error_raise(w->handle, sync_error("another exposure epoch that is open", "none"));
  int rc = list_group(w, group, w->posted, &n);
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  w->n_posted = n;
  arrivals_lock(w);
  for (int i = 0; i < n; i++) w->posts[w->posted[i]]++;
  arrivals_unlock(w);
  for (int i = 0; i < n; i++) {
    const rma_target_t *t = &w->target[w->posted[i]];
    if (t->member >= 0)
      wait_set(pair(w, w->memory.post, w->memory.me, t->member), w->posts[w->posted[i]]);
  }
  if (w->messages) arrivals_opened(w);
  return MPI_SUCCESS;
}

/* Whether an origin of the exposure epoch has completed. */
static bool has_completed(void *context)
{
  const progress_of_t *of = context;
  rma_window_t *w = of->w;
  int origin = of->rank;
  const rma_target_t *t = &w->target[origin];
  if (t->way == WAY_MESSAGE) return arrivals_completed(w, origin, w->posts[origin]);
  return wait_word_over(pair(w, w->memory.complete, w->memory.me, t->member), w->posts[origin]);
}

static int end_exposure(rma_window_t *w)
{
  inbox_t *inbox = inbox_of(&w->memory, w->memory.me, INBOX_COMPLETE);
  int rc = inbox ? inbox_empty(inbox, own_member(w)) : MPI_SUCCESS;
  w->n_posted = -1;
  rma_count(RMA_EXPOSURES);
  return rc == MPI_SUCCESS ? rc : error_raise(w->handle, rc);
}

int epoch_wait(rma_window_t *w)
{
  if (w->n_posted < 0) return error_raise(w->handle, sync_error("no MPI_Win_post before", "one"));
  for (int i = 0; i < w->n_posted; i++) {
    int origin = w->posted[i];
    const rma_target_t *t = &w->target[origin];
    if (t->way == WAY_MESSAGE)
      progress_until(has_completed, &(progress_of_t){w, origin}, t->world);
    else
      wait_for(pair(w, w->memory.complete, w->memory.me, t->member), w->posts[origin], t->member);
  }
  return end_exposure(w);
}

int epoch_test(rma_window_t *w, int *flag)
{
  *flag = 0;
  if (w->n_posted < 0) return error_raise(w->handle, sync_error("no MPI_Win_post before", "one"));
  if (w->messages) progress_poll();
  for (int i = 0; i < w->n_posted; i++)
    if (!has_completed(&(progress_of_t){w, w->posted[i]})) return MPI_SUCCESS;
  *flag = 1;
  return end_exposure(w);
}

/* --- locks --- */

static int check_target(const rma_window_t *w, int target)
{
  if (target >= 0 && target < w->size) return MPI_SUCCESS;
  return error_code(MPI_ERR_RANK, "found target rank %d, expected one from 0 to %d", target,
                    w->size - 1);
}

static lock_kind_t kind_of(int kind, int assertion)
{
  if (assertion & MPI_MODE_NOCHECK) return LOCK_UNCHECKED;
  return kind == MPI_LOCK_EXCLUSIVE ? LOCK_EXCLUSIVE : LOCK_SHARED;
}

/* A lock that is asked for later than another one may not be taken before it: ranks that take
 * several in the same order would wait for each other. */
static int take_earlier(rma_window_t *w)
{
  for (int i = 0; i < w->size && w->locked > 0; i++) {
    rma_target_t *t = &w->target[i];
    if (t->way != WAY_MESSAGE || t->granted || t->lock == LOCK_NONE || t->lock == LOCK_UNCHECKED)
      continue;
    int rc = stream_end(w, i, STREAM_LOCK), done = stream_wait(w, i, false);
    if (rc != MPI_SUCCESS || done != MPI_SUCCESS) return rc == MPI_SUCCESS ? done : rc;
    t->granted = true;
  }
  return MPI_SUCCESS;
}

int epoch_lock(rma_window_t *w, int kind, int target, int assertion)
{
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  int rc = check_target(w, target);
  if (rc == MPI_SUCCESS && kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED)
    rc = error_code(MPI_ERR_LOCKTYPE,
                    "found lock type %d, expected MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE", kind);
  if (rc == MPI_SUCCESS && w->access != ACCESS_NONE)
    rc = sync_error("another access epoch that is open", "none");
  if (rc == MPI_SUCCESS && w->target[target].lock != LOCK_NONE)
    rc = sync_error("a target that this rank has locked", "one that it hasn't");
  if (rc == MPI_SUCCESS && w->fenced && w->used)
    rc = sync_error("operations since the last fence", "a fence with MPI_MODE_NOSUCCEED before");
  if (rc == MPI_SUCCESS) rc = take_earlier(w);
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  rma_target_t *t = &w->target[target];
  t->granted = false;
  w->fence_left = true;
  t->lock = kind_of(kind, assertion);
  t->held = t->way != WAY_MESSAGE && t->lock != LOCK_UNCHECKED;
  bool others = __atomic_fetch_add(&window_locks, 1, __ATOMIC_RELAXED) > 0;
  if (t->held)
    window_lock_take(&member_of(w, t)->lock, window_lock_use(t->lock == LOCK_EXCLUSIVE, others),
                     t->member);
  t->ready = WINDOW_CLOSED;
  __atomic_fetch_add(&w->locked, 1, __ATOMIC_RELAXED);
  rma_count(RMA_LOCKS);
  return MPI_SUCCESS;
}

/* Hosts whose messages wait for the lock at the rank are told. */
static void release(rma_window_t *w, rma_target_t *t, bool exclusive)
{
  if (window_lock_release(&member_of(w, t)->lock, exclusive)) progress_ring(t->world);
}

int epoch_unlock(rma_window_t *w, int target)
{
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  int rc = check_target(w, target);
  if (rc == MPI_SUCCESS && w->target[target].lock == LOCK_NONE)
    rc = sync_error("a target that this rank hasn't locked", "one that it has");
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  rma_target_t *t = &w->target[target];
  rc = flush_target(w, target, STREAM_UNLOCK);
  if (t->way == WAY_MESSAGE) {
    int done = stream_wait(w, target, false);
    if (rc == MPI_SUCCESS) rc = done;
  } else if (t->held) {
    release(w, t, t->lock == LOCK_EXCLUSIVE);
  }
  t->lock = LOCK_NONE;
  t->held = false;
  t->ready = WINDOW_CLOSED;
  __atomic_fetch_sub(&w->locked, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&window_locks, 1, __ATOMIC_RELAXED);
  return rc == MPI_SUCCESS ? rc : error_raise(w->handle, rc);
}

int epoch_lock_all(rma_window_t *w, int assertion)
{
  if (w->access != ACCESS_NONE || w->locked > 0)
    return error_raise(w->handle, sync_error("another access epoch that is open", "none"));
  if (w->fenced && w->used)
    return error_raise(w->handle, sync_error("operations since the last fence",
                                             "a fence with MPI_MODE_NOSUCCEED before"));
  w->access = ACCESS_LOCKED_ALL;
  w->fence_left = true;
  w->access_unchecked = assertion & MPI_MODE_NOCHECK;
  w->epoch++;
  rma_count(RMA_LOCKS);
  int rc = epoch_open(w, w->rank); /* its own memory it may use at once */
  __atomic_fetch_add(&window_locks, 1, __ATOMIC_RELAXED);
  return rc;
}

int epoch_unlock_all(rma_window_t *w)
{
  int rc = MPI_SUCCESS;
  if (w->access != ACCESS_LOCKED_ALL)
    return error_raise(w->handle, sync_error("no MPI_Win_lock_all before", "one"));
  for (int i = 0; i < w->size; i++) {
    int done = flush_target(w, i, STREAM_UNLOCK);
    if (rc == MPI_SUCCESS) rc = done;
  }
  for (int i = 0; i < w->size; i++) {
    rma_target_t *t = &w->target[i];
    int done = stream_wait(w, i, false);
    if (rc == MPI_SUCCESS) rc = done;
    if (t->held && t->way != WAY_MESSAGE) release(w, t, false);
    t->held = false;
  }
  w->access = ACCESS_NONE;
  w->epoch++;
  __atomic_fetch_sub(&window_locks, 1, __ATOMIC_RELAXED);
  return rc == MPI_SUCCESS ? rc : error_raise(w->handle, rc);
}

/* --- flush --- */

static int flush_one(rma_window_t *w, int target, bool local)
{
  int rc = flush_target(w, target, local ? STREAM_NOW : STREAM_ACKNOWLEDGE);
  int done = stream_wait(w, target, local);
  return rc == MPI_SUCCESS ? done : rc;
}

int epoch_flush(rma_window_t *w, int target, bool local)
{
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  int rc = target == EPOCH_ALL ? MPI_SUCCESS : check_target(w, target);
  bool open = w->access == ACCESS_LOCKED_ALL;
  if (rc == MPI_SUCCESS && !open)
    open = target == EPOCH_ALL ? w->locked > 0 : w->target[target].lock != LOCK_NONE;
  if (rc == MPI_SUCCESS && !open)
    rc = sync_error("no epoch of MPI_Win_lock or MPI_Win_lock_all", "one");
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  if (target != EPOCH_ALL) {
    rc = flush_one(w, target, local);
  } else {
    for (int i = 0; i < w->size; i++) {
      int done = flush_target(w, i, local ? STREAM_NOW : STREAM_ACKNOWLEDGE);
      if (rc == MPI_SUCCESS) rc = done;
    }
    for (int i = 0; i < w->size; i++) {
      int done = stream_wait(w, i, local);
      if (rc == MPI_SUCCESS) rc = done;
    }
  }
  atomic_thread_fence(memory_order_seq_cst);
  return rc == MPI_SUCCESS ? rc : error_raise(w->handle, rc);
}

int epoch_sync(rma_window_t *w)
{
  atomic_thread_fence(memory_order_seq_cst);
  if (w->messages) progress_poll();
  return MPI_SUCCESS;
}

/* --- fence --- */

int epoch_all_closed(const rma_window_t *w)
{
  if (w->access == ACCESS_NONE && w->locked == 0 && w->n_posted < 0) return MPI_SUCCESS;
  return sync_error(
      w->n_posted >= 0 ? "an exposure epoch that is open" : "an access epoch that is open", "none");
}

int epoch_fence(rma_window_t *w, int assertion)
{
  int rc = epoch_all_closed(w);
  if (rc == MPI_SUCCESS && w->fenced && !(assertion & MPI_MODE_NOPRECEDE)) rc = epoch_barrier(w);
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  w->fenced = !(assertion & MPI_MODE_NOSUCCEED);
  w->used = w->fence_left = false;
  w->epoch++;
  arrivals_lock(w);
  w->fences++;
  arrivals_unlock(w);
  wait_set(&own_member(w)->opened, w->fences);
  if (w->messages) arrivals_opened(w);
  rma_count(RMA_FENCES);
  return MPI_SUCCESS;
}
