/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace lacks, in lines for people. */
#ifndef BERTH_SPOOL_TRACE_LOSSES_H
#define BERTH_SPOOL_TRACE_LOSSES_H

#include <berth/spool.h>

#include "spool/assemble/assembly.h"

/* Who says the lines, and what its users call the settings that lines point to. */
typedef struct losses_to {
  void (*say)(const char *who, const char *line);
  const char *who;
  const char *memory, *phases;
} losses_to_t;

/* Says each loss in a line, and nothing if there is none. */
void losses_say(const berth_recovery_t *what, const losses_to_t *to);

/* The same of an assembly whose job wrote the trace itself, and first the ranks that it lacks. */
void losses_say_stats(const assembly_stats_t *stats, const losses_to_t *to);

#endif
