/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a machine has more to do than cores: what is measured beside that says little. */
#ifndef BERTH_BASE_MACHINE_LOAD_H
#define BERTH_BASE_MACHINE_LOAD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The mean number of processes that ran or waited for a core in the last minute, 0 when unknown,
 * and how many cores the machine has. Ask before you start what you measure: it counts, too. */
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
/* One sentence for people; "" where there were cores enough. */
static inline const char *load_text(const load_t *l, const char *machine, char text[LOAD_TEXT])
{
  *text = '\0';
  if (load_is_high(l))
    snprintf(text, LOAD_TEXT,
             "%.200s was busier than it has cores before this began (load %.1f, %d core%s): "
             "measured times may be too long",
             machine, l->processes, l->cores, l->cores == 1 ? "" : "s");
  return text;
}

#endif
