/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a machine is too busy for reliable measurements. */
#ifndef BERTH_BASE_MACHINE_LOAD_H
#define BERTH_BASE_MACHINE_LOAD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The mean number of processes that ran or waited for a core in the last minute (0: unknown),
 * and the number of cores. Ask before you start a measurement, because it adds to the load. */
typedef struct load {
  double processes;
  int cores;
} load_t;

static inline load_t load_now(void)
{
  load_t l = {0, (int)sysconf(_SC_NPROCESSORS_ONLN)};
  if (getloadavg(&l.processes, 1) != 1) l.processes = 0;
  return l;
}

static inline bool load_is_high(const load_t *l) { return l->cores > 0 && l->processes > l->cores; }

enum { LOAD_TEXT = 400 };
/* Returns one sentence for people; "" if the machine has free cores. */
static inline const char *load_text(const load_t *l, const char *machine, char text[LOAD_TEXT])
{
  *text = '\0';
  if (load_is_high(l))
    snprintf(
        text, LOAD_TEXT,
        "%.200s had more running processes than cores before this began (load %.1f, %d core%s): "
        "measured times may be too long",
        machine, l->processes, l->cores, l->cores == 1 ? "" : "s");
  return text;
}

#endif
