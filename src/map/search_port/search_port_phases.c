/* SPDX-License-Identifier: BSD-3-Clause */
/* Which phases of a pattern are one phase of the simplified model.
 *
 * An all-to-all has a round for each rank. A try that visits each of them takes too long, and the
 * rounds of such an algorithm are alike: most ranks send in each. What a port carries in all rounds
 * together is then nearly what it carries in the rounds one by one. Rounds of trees stay apart,
 * because in each of them other ports are busy. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "map/search_port/search_port.h"
#include "pattern/phase_find.h"

/* The ranks that take part in the phases from `first` to before `end`, and their messages. */
typedef struct taking {
  const berth_pattern_t *pattern;
  size_t *seen; /* by rank: `end` of the last phases that it took part in */
  size_t ranks, messages;
} taking_t;

static void take(taking_t *t, int rank, size_t end)
{
  t->ranks += t->seen[rank] != end;
  t->seen[rank] = end;
}

static void count(taking_t *t, size_t first, size_t end)
{
  size_t n;
  t->ranks = t->messages = 0;
  for (size_t k = first; k < end; k++) {
    const berth_message_t *m = berth_pattern_messages(t->pattern, k, &n);
    for (size_t i = 0; i < n; i++) {
      take(t, m[i].src, end);
      take(t, m[i].dst, end);
    }
    t->messages += n;
  }
}

/* Puts the phases of each stage into one or into several phases of the model. */
static void assign(port_model_t *m, taking_t *t)
{
  size_t n, end;
  const berth_phase_t *phase = berth_pattern_phases(t->pattern, &n);
  m->n_phases = 0;
  for (size_t first = 0; first < n; first = end) {
    end = pattern_stage_end(phase, first, n);
    count(t, first, end);
    bool one = end > first + 1 && 2 * t->messages >= (end - first) * t->ranks;
    for (size_t k = first; k < end; k++) {
      m->phase_of[k] = one ? m->n_phases : m->n_phases + (int)(k - first);
      m->scale[k] = one ? (double)phase[k].repeats : 1;
      m->repeats[m->phase_of[k]] = one ? 1 : (double)phase[k].repeats;
    }
    m->n_phases += one ? 1 : (int)(end - first);
  }
}

int port_model_phases(port_model_t *m, berth_error_t *err)
{
  size_t n;
  taking_t t = {.pattern = m->problem->pattern};
  (void)berth_pattern_phases(t.pattern, &n);
  m->repeats = malloc(n * sizeof *m->repeats);
  m->phase_of = malloc(n * sizeof *m->phase_of);
  m->scale = malloc(n * sizeof *m->scale);
  t.seen = calloc((size_t)m->n_ranks, sizeof *t.seen);
  bool room = m->repeats && m->phase_of && m->scale && t.seen;
  if (room) assign(m, &t);
  free(t.seen);
  return room ? BERTH_OK : no_memory(err);
}
