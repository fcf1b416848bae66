/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the calls that wait for a message are timed. A clock costs as much as all else that is
 * done about a message, so where thousands of calls follow one another that return at once, some
 * are timed and stand for the others, which are as quick. Between two of those may have been a long
 * wait, or the program computed; the clock tells that there was something, but not which. Such a
 * time is divided as those that were seen. So that enough are seen, all calls are timed for longer
 * the more was missed. */
#include "trace/tracer.h"

enum {
  QUICK_NS = 2000,
  FIRST_NEEDED = 1024,
  MOST_NEEDED = 1 << 30,
  MISSED_FOR_SEEN = 8,
  SHARE = 8,              /* of quick calls in a row, one in so many may be timed */
  FIRST_PAID = 16384,     /* calls that are timed before that: 0.4 ms */
  MOST_SAVED = 1024,      /* calls that may be timed at once after many that weren't */
  PAID_BY_A_LONG_ONE = 32 /* at most */
};

static uint64_t quick_ticks(void)
{
  static _Atomic uint64_t ticks;
  uint64_t known = atomic_load_explicit(&ticks, memory_order_relaxed);
  if (known) return known;
  known = (uint64_t)(region_header()->ticks_per_s * (QUICK_NS * 1e-9));
  atomic_store_explicit(&ticks, known, memory_order_relaxed);
  return known;
}

/* Of a long time without a reading, the part that was spent waiting: as of the long times that were
 * seen, and no more than those bear out. */
static uint64_t part_inside(const waits_t *w, uint64_t ticks)
{
  uint64_t seen = w->seen_inside + w->seen_outside;
  uint64_t part = seen ? (uint64_t)((double)ticks * ((double)w->seen_inside / (double)seen)) : 0;
  return part < MISSED_FOR_SEEN * w->seen_inside ? part : MISSED_FOR_SEEN * w->seen_inside;
}

/* The last call that was timed, or what was before it, took long. */
static void was_long(thread_t *t, uint64_t inside, uint64_t before, uint64_t quick)
{
  waits_t *w = &t->waits;
  if (!w->skipped) {
    w->seen_inside += inside;
    w->seen_outside += before;
  } else if (before >= quick) {
    uint64_t part = part_inside(w, before);
    w->missed += before;
    t->times->mpi_ticks += part;
    t->times->unsure_ticks += before - part;
  }
  if (w->missed / MISSED_FOR_SEEN <= w->seen_inside + w->seen_outside)
    w->needed = FIRST_NEEDED;
  else if (w->skipped && w->needed < MOST_NEEDED)
    w->needed *= 2;
  w->quick = 0;
}

/* Pays for the call that was timed, of which `skipped` others stand before. */
static void pay(waits_t *w, bool is_quick, uint64_t long_ticks, uint64_t quick)
{
  int64_t most = (int64_t)MOST_SAVED * SHARE, gained = (int64_t)w->skipped + 1;
  uint64_t times = is_quick ? 0 : long_ticks / quick;
  if (times > PAID_BY_A_LONG_ONE) times = PAID_BY_A_LONG_ONE;
  gained += is_quick ? -SHARE : (int64_t)times * SHARE;
  if (!w->needed) w->paid = (int64_t)FIRST_PAID * SHARE;
  if (gained < 0 || w->paid < most) w->paid += gained;
}

/* How many calls aren't timed from now on. */
static uint32_t next_pause(thread_t *t)
{
  const waits_t *w = &t->waits;
  if (w->quick >= w->needed) return tracer_pause(t);
  return w->paid > 0 ? 0 : SHARE + 2 * tracer_pause(t);
}

void wait_ended(thread_t *t, uint64_t now)
{
  waits_t *w = &t->waits;
  uint64_t quick = quick_ticks(), inside = now - t->begin;
  uint64_t before = w->needed ? t->begin - w->end : 0; /* 0 in the first call */
  bool is_quick = inside < quick && before < quick * (w->skipped + 1);
  t->times->mpi_ticks += is_quick ? inside * (w->skipped + 1) : inside;
  pay(w, is_quick, inside + before, quick);
  if (is_quick)
    w->quick += w->skipped + 1;
  else
    was_long(t, inside, before, quick * (w->skipped + 1));
  if (!w->needed) w->needed = FIRST_NEEDED;
  w->skipped = w->pause = next_pause(t);
  w->end = now;
  w->timed = false;
}
