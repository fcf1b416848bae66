/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a fence's epoch. Each rank learns how many messages it has to expect: hosts add up
 * what their ranks have sent, and exchange the sums in a reduce-scatter (Zhao 2012, section 3.1.1).
 * Messages say which fence they are of, and wait at a target that isn't there yet. So nobody has to
 * come to a second synchronisation, not even if operations were sent before the fence. */
#include <stdlib.h>

#include "job/job_wait.h"
#include "rma/arrivals.h"
#include "rma/copies.h"
#include "rma/epoch.h"
#include "rma/inbox.h"
#include "rma/rma_progress.h"
#include "rma/stream.h"

/* Adds what this rank has sent since the last fence to the host's sums. */
static void add_sent(rma_window_t *w, uint32_t fence)
{
  _Atomic uint32_t *sum = w->memory.sent + (fence % 2) * (size_t)w->size;
  for (int i = 0; i < w->size; i++) {
    uint32_t sent = stream_sent(&w->target[i]);
    if (sent) atomic_fetch_add(&sum[i], sent);
  }
}

/* Takes the host's sums, and empties them for the fence after the next one. */
static void take_sums(rma_window_t *w, uint32_t fence, uint32_t *to)
{
  _Atomic uint32_t *sum = w->memory.sent + (fence % 2) * (size_t)w->size;
  for (int i = 0; i < w->size; i++) to[i] = atomic_exchange(&sum[i], 0);
}

static bool all_came(void *window) { return arrivals_all_came(window); }

/* What a host's leader does when all of its ranks are here. */
static int exchange(rma_window_t *w, uint32_t fence)
{
  uint32_t *sums = malloc((size_t)w->size * sizeof *sums);
  if (!sums) return MPI_ERR_NO_MEM;
  take_sums(w, fence, sums);
  int rc = w->n_hosts > 1 ? arrivals_exchange(w, fence, sums) : MPI_SUCCESS;
  uint32_t *expected = w->memory.expected + (fence % 2) * (size_t)w->memory.n;
  for (int i = 0; i < w->memory.n; i++) expected[i] = sums[w->memory.rank[i]];
  free(sums);
  return rc;
}

/* Does what others have left to this rank, and takes what it has asked others for. */
static int empty_inboxes(rma_window_t *w, uint32_t fence)
{
  const window_memory_t *m = &w->memory;
  int which = inbox_of_fence(fence);
  inbox_t *inbox = inbox_of(m, m->me, which);
  if (!inbox) return MPI_SUCCESS;
  int rc = inbox_empty(inbox, &m->member[m->me]);
  for (int i = 0; i < w->size; i++) copies_fetch(w, &w->target[i], which);
  return rc;
}

int epoch_barrier(rma_window_t *w)
{
  window_head_t *h = w->memory.head;
  uint32_t n = (uint32_t)w->memory.n, fence = ++w->barriers;
  bool leads = w->leader[w->my_host] == w->rank;
  int rc = MPI_SUCCESS;
  for (int i = 0; i < w->size; i++) {
    rma_target_t *t = &w->target[i];
    int done = t->way == WAY_MESSAGE ? stream_end(w, i, STREAM_NOW)
                                     : copies_end(w, t, inbox_of_fence(fence));
    if (rc == MPI_SUCCESS) rc = done;
  }
  if (w->messages) add_sent(w, fence);
  bool last = atomic_fetch_add(&h->arrived, 1) + 1 == fence * n;
  if (!w->messages) {
    if (last)
      wait_set(&h->ended, fence);
    else
      wait_for(&h->ended, fence, WAIT_NOBODY);
    int done = empty_inboxes(w, fence);
    return rc == MPI_SUCCESS ? done : rc;
  }
  if (last) wait_set(&h->all_here, fence);
  if (leads) {
    wait_for(&h->all_here, fence, WAIT_NOBODY);
    int done = exchange(w, fence);
    if (rc == MPI_SUCCESS) rc = done;
    wait_set(&h->ended, fence);
  }
  wait_for(&h->ended, fence, WAIT_NOBODY);
  arrivals_expect(w, w->memory.expected[(fence % 2) * n + (uint32_t)w->memory.me]);
  progress_until(all_came, w, -1);
  for (int i = 0; i < w->size; i++) {
    int done = stream_wait(w, i, true);
    if (rc == MPI_SUCCESS) rc = done;
  }
  return rc;
}
