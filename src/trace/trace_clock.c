/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the tracer's clock and measures its ticks. */
#include "trace/trace_clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool clock_by_counter;

void clock_setup(void)
{
#if defined(__x86_64__)
  char name[16] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  clock_by_counter = n >= 3 && strncmp(name, "tsc", 3) == 0;
#endif
}

clock_mark_t clock_mark(void) { return (clock_mark_t){clock_ticks(), clock_ns()}; }

double clock_ticks_per_s(clock_mark_t from, clock_mark_t to)
{
  if (!clock_by_counter || to.ns <= from.ns) return 1e9;
  return (double)(to.ticks - from.ticks) / (double)(to.ns - from.ns) * 1e9;
}
