/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/core_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trace/wait.h"

static const double LONG_S = 200e-6;

uint64_t core_wait_long = UINT64_MAX;

void core_wait_setup(void) { core_wait_long = (uint64_t)(region_header()->ticks_per_s * LONG_S); }

/* How often the thread left its core. Who was always there didn't wait. */
static uint64_t count_switches(void)
{
  struct rusage u;
  if (getrusage(RUSAGE_THREAD, &u)) return 0;
  return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

/* The thread's nanoseconds in a queue for a core; -1 if the system doesn't tell. By Linux's
 * Documentation/scheduler/sched-stats.rst the file has three numbers: nanoseconds on a core and in
 * a queue, and how often the thread got a core. All are 0 if the kernel doesn't count. Keeps errno,
 * which programs may look at. */
static int64_t read_wait(void)
{
  char text[128], *at = text;
  unsigned long long number[3];
  int kept = errno;
  int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  errno = kept;
  if (n <= 0) return -1;
  text[n] = 0;
  for (int i = 0; i < 3; i++) {
    char *end;
    number[i] = strtoull(at, &end, 10);
    if (end == at) return -1;
    at = end;
  }
  return number[2] > 0 && number[1] <= INT64_MAX ? (int64_t)number[1] : -1;
}

/* Nanoseconds waited since the last look; 0 also from when on they are unknown. */
static int64_t look(thread_t *t)
{
  core_wait_t *w = &t->core_wait;
  uint64_t switches = count_switches();
  int64_t before = w->seen_ns;
  if (before < 0 || switches == w->switches) return 0;
  *w = (core_wait_t){switches, read_wait()};
  if (w->seen_ns >= before) return w->seen_ns - before;
  t->times->core_wait_ns = SPOOL_UNKNOWN_WAIT;
  return 0;
}

void core_wait_begin(thread_t *t)
{
  t->core_wait = (core_wait_t){count_switches(), read_wait()};
  if (t->core_wait.seen_ns < 0) t->times->core_wait_ns = SPOOL_UNKNOWN_WAIT;
}

/* At most the time since the last timed call was waited outside. It was neither computing nor a
 * wait for a message, so the clock of waits starts as much later. If calls weren't timed meanwhile,
 * a rank may have waited for its core inside of them, as ranks do that give it away between two
 * polls for a message. */
void core_wait_outside(thread_t *t)
{
  int64_t ns = look(t);
  double ticks_per_ns = region_header()->ticks_per_s * 1e-9;
  t->begin = clock_ticks();
  if (ns == 0 || t->times->core_wait_ns == SPOOL_UNKNOWN_WAIT) return;
  uint64_t last = t->times->last_tick, since = last ? last : tracer.begin.ticks;
  uint64_t passed = t->begin - since, ticks = (uint64_t)((double)ns * ticks_per_ns);
  if (ticks > passed) ticks = passed;
  t->times->core_wait_ns += (uint64_t)((double)wait_outside(t, ticks) / ticks_per_ns);
  t->waits.end += ticks;
}

void core_wait_inside(thread_t *t) { look(t); }
