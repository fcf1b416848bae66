/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds where a process runs, and binds it to a CPU. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measure.h"

enum { MAX_CPUS = 8192 };

static void list_cpus(const cpu_set_t *set, size_t size, char *out, size_t room)
{
  size_t n = 0;
  for (int i = 0, j; i < MAX_CPUS && n + 16 < room; i = j + 1) {
    j = i;
    if (!CPU_ISSET_S((size_t)i, size, set)) continue;
    while (j + 1 < MAX_CPUS && CPU_ISSET_S((size_t)j + 1, size, set)) j++;
    n += (size_t)snprintf(out + n, room - n, j > i ? "%s%d-%d" : "%s%d", n ? "," : "", i, j);
  }
}

void place_find(place_t *place)
{
  memset(place, 0, sizeof *place);
  place->load = load_now();
  if (gethostname(place->host, sizeof place->host - 1) != 0) strcpy(place->host, "?");
  cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
  size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
  if (set && sched_getaffinity(0, size, set) == 0)
    list_cpus(set, size, place->cpus, sizeof place->cpus);
  CPU_FREE(set);
}

int place_bind(int cpu)
{
  cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
  size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
  int done = 0;
  if (set && cpu >= 0 && cpu < MAX_CPUS) {
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)cpu, size, set);
    done = sched_setaffinity(0, size, set) == 0;
  }
  CPU_FREE(set);
  return done;
}
