/* SPDX-License-Identifier: BSD-3-Clause */
/* Says what a trace lacks. */
#include "spool/trace_losses.h"

#include <stdarg.h>
#include <stdio.h>

#include "spool/recovery.h"

typedef unsigned long long number_t;

__attribute__((format(printf, 2, 3))) static void say(const losses_to_t *to, const char *format,
                                                      ...)
{
  char line[400];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  to->say(to->who, line);
}

static void say_calls(const losses_to_t *to, const char *why, number_t messages, number_t calls)
{
  if (messages || calls)
    say(to, "not included (%s): messages: %llu, collective calls (of all ranks): %llu", why,
        messages, calls);
}

void losses_say(const berth_recovery_t *what, const losses_to_t *to)
{
  const number_t lost = what->lost, lost_calls = what->lost_calls, coarse = what->coarse;
  if (what->spawned)
    say(to, "spawned processes, which have a trace of their own: %llu", (number_t)what->spawned);
  say_calls(to, "with processes outside MPI_COMM_WORLD", what->outside, what->outside_calls);
  if (lost || lost_calls)
    say(to,
        "not included (no memory left): messages and one-sided operations: %llu (bytes: %llu), "
        "other calls: %llu",
        lost, (number_t)what->lost_bytes, lost_calls);
  if (what->lost_threads)
    say(to, "not included (no memory for their tables, see %s): threads: %llu", to->memory,
        (number_t)what->lost_threads);
  if (coarse)
    say(to,
        "messages counted by source and destination only (no memory left, see %s): %llu (bytes: "
        "%llu)",
        to->memory, coarse, (number_t)what->coarse_bytes);
  if (what->lost_rows)
    say(to,
        "not included (incomplete, see %s): rows of per-destination amounts in collective calls: "
        "%llu",
        to->memory, (number_t)what->lost_rows);
  if (what->undivided_rows)
    say(to,
        "not included (can't be divided among automatic phases, see %s): rows of per-destination "
        "amounts in collective calls: %llu",
        to->phases, (number_t)what->undivided_rows);
  if (what->lost_layouts)
    say(to,
        "not included (no memory left, see %s): layouts of messages that aren't contiguous, at one "
        "end: %llu",
        to->memory, (number_t)what->lost_layouts);
  say_calls(to, "made after MPI_Pcontrol(0)", what->stopped, what->stopped_calls);
  for (size_t i = 0; i < what->n_notes; i++) to->say(to->who, what->notes[i]);
  if (what->impossible)
    say(to, "not included (no call can have made them): records: %llu", (number_t)what->impossible);
}

void losses_say_stats(const assembly_stats_t *stats, const losses_to_t *to)
{
  berth_recovery_t what = {0};
  if (recover_fill(&what, stats, NULL)) say(to, "the following lacks notes: out of memory");
  if (what.found < what.ranks)
    say(to, "the trace lacks %d of %d ranks, which had no memory for it", what.ranks - what.found,
        what.ranks);
  losses_say(&what, to);
  berth_recovery_clear(&what);
}
