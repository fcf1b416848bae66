/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the tracer's clock and measures its ticks. */
#include "trace/trace_clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { READINGS = 100 };

bool clock_by_counter;
uint64_t clock_reading_ticks;

static bool time_is_kept_by_counter(void)
{
#if defined(__x86_64__)
  char name[16] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n >= 3 && strncmp(name, "tsc", 3) == 0;
#else
  return false;
#endif
}

static uint64_t measure_reading(void)
{
  uint64_t least = UINT64_MAX, before = clock_ticks();
  for (int i = 0; i < READINGS; i++) {
    uint64_t now = clock_ticks();
    if (now - before < least) least = now - before;
    before = now;
  }
  return least;
}

void clock_setup(void)
{
  clock_by_counter = time_is_kept_by_counter();
  clock_reading_ticks = measure_reading();
}

clock_mark_t clock_mark(void) { return (clock_mark_t){clock_ticks(), clock_ns()}; }

double clock_ticks_per_s(clock_mark_t from, clock_mark_t to)
{
  if (!clock_by_counter || to.ns <= from.ns) return 1e9;
  return (double)(to.ticks - from.ticks) / (double)(to.ns - from.ns) * 1e9;
}
