/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/window_memory.h"

#include <sched.h>
#include <sys/mman.h>

#include "job/job_wait.h"
#include "rma/inbox.h"

enum { LINE = 64, PAGE = 4096 };

/* Where each part begins. */
typedef struct places {
  size_t member, post, complete, region, sent, expected, inbox, data;
} places_t;

static size_t after(size_t at, size_t bytes, size_t step)
{
  return (at + bytes + step - 1) / step * step;
}

static places_t places_of(const window_plan_t *p)
{
  places_t at;
  size_t n = (size_t)p->n, pairs = n * n * sizeof(wait_word_t);
  at.member = after(0, sizeof(window_head_t), sizeof(window_member_t));
  at.post = after(at.member, n * sizeof(window_member_t), LINE);
  at.complete = after(at.post, pairs, LINE);
  at.region = after(at.complete, pairs, LINE);
  at.sent = after(at.region, p->dynamic ? n * WINDOW_REGIONS * sizeof(window_region_t) : 0, LINE);
  at.expected = after(at.sent, 2 * (size_t)p->ranks * sizeof(uint32_t), LINE);
  at.inbox = after(at.expected, 2 * n * sizeof(uint32_t), LINE);
  at.data = after(at.inbox, p->inboxes ? n * INBOXES * sizeof(struct inbox) : 0, PAGE);
  return at;
}

size_t window_memory_part(const window_plan_t *p, int member)
{
  size_t at = 0;
  for (int i = 0; i < member; i++) at = after(at, p->part[i], p->together ? 1 : PAGE);
  return at;
}

size_t window_memory_bytes(const window_plan_t *p, size_t *data)
{
  *data = places_of(p).data;
  return *data + (p->part ? window_memory_part(p, p->n) : 0);
}

bool window_memory_map(window_memory_t *m, const window_plan_t *p, const shared_file_t *file)
{
  places_t at = places_of(p);
  size_t data;
  m->bytes = window_memory_bytes(p, &data);
  char *memory = shared_file_map(file, m->bytes, m->bytes);
  if (!memory) return false;
  m->mapped = memory;
  m->head = (window_head_t *)(void *)memory;
  m->member = (window_member_t *)(void *)(memory + at.member);
  m->post = (wait_word_t *)(void *)(memory + at.post);
  m->complete = (wait_word_t *)(void *)(memory + at.complete);
  if (p->dynamic) m->region = (window_region_t *)(void *)(memory + at.region);
  m->sent = (_Atomic uint32_t *)(void *)(memory + at.sent);
  m->expected = (uint32_t *)(void *)(memory + at.expected);
  if (p->inboxes) m->inbox = (struct inbox *)(void *)(memory + at.inbox);
  if (p->part) m->data = memory + data;
  return true;
}

void window_memory_unmap(window_memory_t *m)
{
  if (m->mapped) munmap(m->mapped, m->bytes);
  m->mapped = NULL;
}

bool window_lock_try(window_lock_t *l, window_lock_use_t use)
{
  uint32_t state = 0;
  if (use == WINDOW_ALONE) return atomic_compare_exchange_strong(&l->state, &state, WINDOW_LOCKED);
  if (use == WINDOW_SHARED && atomic_load(&l->writers) > 0) return false;
  state = atomic_load(&l->state);
  while (state != WINDOW_LOCKED)
    if (atomic_compare_exchange_weak(&l->state, &state, state + 1)) return true;
  return false;
}

void window_lock_take(window_lock_t *l, window_lock_use_t use, int member)
{
  if (LIKELY(window_lock_try(l, use))) return;
  atomic_fetch_add(&l->waiters, 1);
  if (use == WINDOW_ALONE) atomic_fetch_add(&l->writers, 1);
  for (;;) {
    uint32_t seen = atomic_load(&l->released.value);
    if (window_lock_try(l, use)) break;
    wait_for(&l->released, seen + 1, member);
  }
  if (use == WINDOW_ALONE) atomic_fetch_sub(&l->writers, 1);
  atomic_fetch_sub(&l->waiters, 1);
}

bool window_lock_release(window_lock_t *l, bool exclusive)
{
  if (exclusive)
    atomic_exchange(&l->state, 0);
  else
    atomic_fetch_sub(&l->state, 1);
  if (LIKELY(atomic_load(&l->waiters) == 0)) return false;
  atomic_fetch_add(&l->released.value, 1);
  if (atomic_load(&l->released.sleepers)) wait_word_wake(&l->released);
  return atomic_load(&l->away) > 0;
}

void window_reduce_begin(window_member_t *m)
{
  enum { LOOKS = 200 };
  for (int turn = 0;; turn++) {
    uint32_t free = 0;
    if (atomic_compare_exchange_weak_explicit(&m->reducing, &free, 1, memory_order_acquire,
                                              memory_order_relaxed))
      return;
    if (turn % LOOKS == LOOKS - 1 || wait_crowded) sched_yield();
  }
}

/* Regions may touch each other, so that more than one has the bytes. */
static bool covered(const window_region_t *r, uint32_t n, uint64_t begin, uint64_t end)
{
  while (begin < end) {
    uint32_t i = 0;
    while (i < n && !(r[i].begin <= begin && begin < r[i].begin + r[i].bytes)) i++;
    if (i == n) return false;
    begin = r[i].begin + r[i].bytes;
  }
  return true;
}

bool window_memory_attached(const window_memory_t *m, int member, uint64_t begin, uint64_t bytes)
{
  window_member_t *of = &m->member[member];
  const window_region_t *r = &m->region[(size_t)member * WINDOW_REGIONS];
  for (;;) {
    uint32_t changes = atomic_load(&of->changes);
    bool there = changes % 2 == 0 && covered(r, atomic_load(&of->n_regions), begin, begin + bytes);
    atomic_thread_fence(memory_order_seq_cst);
    if (changes % 2 == 0 && atomic_load(&of->changes) == changes) return there;
    sched_yield();
  }
}
