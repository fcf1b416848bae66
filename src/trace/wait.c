/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which of the calls that wait for a message are timed.
 *
 * Reading a clock takes as long as the rest of the work for a message. So in long runs of calls
 * that return at once, some are timed and stand for the others; all are timed if they are far
 * enough apart. If the time between two timed calls is longer than usual, what is above that may be
 * a wait or computing. The clock can't tell which, so it is divided in the ratio of the times that
 * were observed. The more time is missed, the longer all calls are timed again. */
#include "trace/wait.h"

#include "trace/site.h"
#include "trace/tables.h"

enum {
  QUICK_NS = 2000,
  FIRST_NEEDED = 1024,
  MAX_NEEDED = 1 << 30,
  MISSED_FOR_SEEN = 8,
  SHARE = 8,          /* at most one in so many of a run of quick calls is timed */
  FIRST_PAID = 16384, /* calls that are timed before that: 0.4 ms */
  MAX_SAVED = 1024,   /* calls that may be timed at once after many untimed ones */
  BETWEEN = 2         /* and one each time so many QUICK_NS are over, which adds 0.4% */
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

/* The part of a long unobserved time that was spent waiting, in the ratio of observed long
 * times. It is at most MISSED_FOR_SEEN times what was observed. */
static uint64_t part_inside(const waits_t *w, uint64_t ticks)
{
  uint64_t seen = w->seen_inside + w->seen_outside;
  uint64_t part = seen ? (uint64_t)((double)ticks * ((double)w->seen_inside / (double)seen)) : 0;
  return part < MISSED_FOR_SEEN * w->seen_inside ? part : MISSED_FOR_SEEN * w->seen_inside;
}

uint64_t wait_outside(thread_t *t, uint64_t ticks)
{
  waits_t *w = &t->waits;
  bool waited = w->skipped > w->pause, others = t->pause != t->seen_pause;
  if (!waited && !others) return ticks; /* all calls were timed */
  uint64_t part = waited ? part_inside(w, ticks) : 0;
  w->core_wait += part;
  t->times->unsure_ticks += ticks - part;
  return ticks - part;
}

/* The usual time between two timed calls with so many others between them; 0 without others. If
 * nothing is known yet, `before` is usual. */
static uint64_t usual_between(waits_t *w, uint64_t before, uint64_t quick)
{
  const uint64_t most = 2 * quick, n = w->skipped + 1;
  if (!w->skipped) return 0;
  if (!w->usual) w->usual = before / n < most ? before / n : most;
  return w->usual * n;
}

/* What of the time before a call is unusual: all above the usual one, unless that is little. */
static uint64_t unusual_between(waits_t *w, uint64_t before, uint64_t quick)
{
  uint64_t usual = usual_between(w, before, quick);
  return before >= usual + usual / 8 + quick ? before - usual : 0;
}

/* The last timed call, or the time before it, was long. Returns what of the time before counts as
 * waiting. */
static uint64_t was_long(thread_t *t, uint64_t inside, uint64_t before, uint64_t unusual)
{
  waits_t *w = &t->waits;
  uint64_t part = 0;
  if (w->skipped) {
    part = part_inside(w, unusual);
    w->missed += unusual;
    t->times->unsure_ticks += unusual - part;
  } else {
    w->seen_inside += inside;
    w->seen_outside += before;
  }
  if (w->missed / MISSED_FOR_SEEN <= w->seen_inside + w->seen_outside)
    w->needed = FIRST_NEEDED;
  else if (w->skipped && w->needed < MAX_NEEDED)
    w->needed *= 2;
  w->quick = 0;
  return part;
}

/* Updates the credit for the call that was timed after `skipped` others, and `passed` ticks after
 * the one before. */
static void pay(waits_t *w, bool is_quick, uint64_t passed, uint64_t quick)
{
  const int64_t max = (int64_t)MAX_SAVED * SHARE;
  const uint64_t max_passed = MAX_SAVED * BETWEEN * quick;
  int64_t gained = (int64_t)w->skipped + 1 - (is_quick ? SHARE : 0);
  if (!w->needed) w->paid = (int64_t)FIRST_PAID * SHARE;
  if (gained < 0 || w->paid < max) w->paid += gained;
  w->passed += passed;
  if (w->passed > max_passed) w->passed = max_passed;
}

/* How many calls to skip from now on. */
static uint32_t next_pause(thread_t *t, uint64_t quick)
{
  waits_t *w = &t->waits;
  if (w->passed >= BETWEEN * quick) {
    w->passed -= BETWEEN * quick;
    return 0;
  }
  if (w->quick >= w->needed) return tracer_pause(t);
  return w->paid > 0 ? 0 : SHARE + 2 * tracer_pause(t);
}

/* Follows the time that a quarter of these are shorter than, so that many unusual ones change
 * little. */
static void learn_usual(waits_t *w, uint64_t before)
{
  uint64_t step = w->usual / 64 + 1, down = 3 * step;
  if (before / (w->skipped + 1) >= w->usual)
    w->usual += step;
  else
    w->usual = w->usual > down ? w->usual - down : 1;
}

/* What calls that aren't timed take: the average of those that were timed after others. Of each at
 * most `quick` counts, because longer ones are told by the time between. */
static uint64_t of_others(waits_t *w, uint64_t inside, uint64_t quick)
{
  enum { LAST = 16 }; /* about so many count */
  uint64_t now = LAST * (inside < quick ? inside : quick);
  if (!w->skipped) return 0;
  w->inside = w->inside ? w->inside - w->inside / LAST + now / LAST : now;
  return w->skipped * w->inside / LAST;
}

/* Chooses the next such call to time. Returns the ticks that this one stands for. */
static uint64_t waited(thread_t *t, uint64_t now, uint64_t inside, uint64_t quick)
{
  waits_t *w = &t->waits;
  uint64_t spent = inside + of_others(w, inside, quick) + w->core_wait;
  uint64_t before = w->needed ? t->begin - w->end : 0; /* 0 for the first call */
  uint64_t unusual = unusual_between(w, before, quick);
  bool is_quick = inside < quick && !unusual;
  pay(w, is_quick, inside + before, quick);
  if (is_quick)
    w->quick += w->skipped + 1;
  else
    spent += was_long(t, inside, before, unusual);
  if (w->skipped) learn_usual(w, before);
  if (!w->needed) w->needed = FIRST_NEEDED;
  w->skipped = w->pause = next_pause(t, quick);
  w->end = now;
  w->core_wait = 0;
  w->timed = false;
  return spent;
}

/* Only long calls have their sites looked up, which takes a hundredth of their time. */
void wait_ended(thread_t *t, op_t op, uint32_t comm)
{
  uint64_t now = clock_ticks(), between = now - t->begin, quick = quick_ticks();
  uint64_t inside = between > clock_reading_ticks ? between - clock_reading_ticks : 0;
  bool sited = tracer.depth && inside >= quick;
  t->times->last_tick = now;
  t->seen_pause = t->pause;
  if (UNLIKELY(inside >= core_wait_long)) core_wait_inside(t);
  if (!t->waits.timed) {
    t->waits.end += inside; /* isn't part of the time between two waits */
    t->waits.passed += inside;
  }
  uint64_t spent = t->waits.timed ? waited(t, now, inside, quick) : inside * t->weight;
  t->times->mpi_ticks += spent;
  const spool_spent_t key = {
      .comm = comm, .site = sited ? site_find(t, op, t->caller) : 0, .op = (uint16_t)op};
  tables_spend(t, &key, spent);
}
