/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a pattern in which calls that depend on hosts have the rounds of ranks apart. Everything
 * but the lists of phases and messages is borrowed. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

berth_pattern_t *pattern_rounds_apart(const berth_pattern_t *p, berth_error_t *err)
{
  int *host = malloc((size_t)p->ranks * sizeof *host);
  if (!host) return no_memory_null(err);
  for (int r = 0; r < p->ranks; r++) host[r] = r;
  berth_pattern_t *rounds = pattern_by_hosts(p, host, err);
  free(host);
  return rounds;
}

/* What the rounds' numbers must be raised by, so that they follow those of the pattern. */
typedef struct shift {
  int phase, collective;
} shift_t;

static shift_t shift_of(const berth_pattern_t *p, const berth_pattern_t *rounds)
{
  shift_t s = {0, 0};
  int first = 0, last = p->phases.n ? p->phases.items[p->phases.n - 1].id : -1;
  for (size_t k = 0; k < rounds->phases.n; k++) {
    first = rounds->phases.items[k].id;
    if (rounds->phases.items[k].collective) break;
  }
  for (size_t k = 0; k < p->phases.n; k++)
    if (p->phases.items[k].collective > s.collective) s.collective = p->phases.items[k].collective;
  s.phase = last >= first ? last + 1 - first : 0;
  return s;
}

/* Adds the rounds to copies of the lists. */
static void add_rounds(berth_pattern_t *to, const berth_pattern_t *rounds, shift_t s)
{
  for (size_t k = 0; k < to->phases.n; k++) to->phases.items[k].by_hosts = 0;
  for (size_t k = 0; k < rounds->phases.n; k++) {
    berth_phase_t phase = rounds->phases.items[k];
    const berth_message_t *m = rounds->messages.items + rounds->phase_start[k];
    if (!phase.collective) continue; /* it stands for a phase of the pattern */
    phase.id += s.phase;
    phase.collective += s.collective;
    to->phases.items[to->phases.n++] = phase;
    for (size_t i = rounds->phase_start[k]; i < rounds->phase_start[k + 1]; i++, m++) {
      berth_message_t message = *m;
      message.phase = phase.id;
      to->messages.items[to->messages.n++] = message;
    }
    to->phase_start[to->phases.n] = to->messages.n;
  }
}

/* Gives the pattern lists of its own with room for the rounds. */
static bool copy_lists(berth_pattern_t *to, const berth_pattern_t *p, const berth_pattern_t *rounds)
{
  size_t phases = p->phases.n + rounds->phases.n, messages = p->messages.n + rounds->messages.n;
  to->phases.items = malloc((phases + 1) * sizeof *to->phases.items);
  to->messages.items = malloc((messages + 1) * sizeof *to->messages.items);
  to->phase_start = malloc((phases + 1) * sizeof *to->phase_start);
  if (!to->phases.items || !to->messages.items || !to->phase_start) return false;
  to->phases.cap = phases;
  to->messages.cap = messages;
  if (p->phases.n) memcpy(to->phases.items, p->phases.items, p->phases.n * sizeof *p->phases.items);
  if (p->messages.n)
    memcpy(to->messages.items, p->messages.items, p->messages.n * sizeof *p->messages.items);
  memcpy(to->phase_start, p->phase_start, (p->phases.n + 1) * sizeof *p->phase_start);
  return true;
}

const berth_pattern_t *pattern_apart(const berth_pattern_t *p, berth_error_t *err)
{
  if (pattern_check_finished(p, err)) return NULL;
  berth_pattern_t *rounds = pattern_rounds_apart(p, err),
                  *apart = rounds ? malloc(sizeof *apart) : NULL;
  if (!rounds) return NULL;
  if (apart) {
    *apart = *p;
    apart->n_by_hosts = 0;
    if (copy_lists(apart, p, rounds)) {
      add_rounds(apart, rounds, shift_of(p, rounds));
      berth_pattern_free(rounds);
      return apart;
    }
  }
  pattern_apart_free(apart);
  berth_pattern_free(rounds);
  return no_memory_null(err);
}

void pattern_apart_free(const berth_pattern_t *apart)
{
  if (!apart) return;
  free(apart->phases.items);
  free(apart->messages.items);
  free(apart->phase_start);
  free((void *)(uintptr_t)apart); /* the rest is borrowed */
}
