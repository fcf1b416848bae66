/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds turns in orders. */
#include "cost/flow/flow_turns.h"

#include <stdbool.h>

static bool takes_first(const berth_step_t *s)
{
  return s->kind == BERTH_STEP_RECEIVE && s->mode == BERTH_RECEIVE_FIRST;
}

/* Whether a step goes on with the turn of a source. */
static bool goes_on(const berth_step_t *s, int source)
{
  return s->kind < BERTH_STEP_MEET && s->peer == source && !takes_first(s);
}

/* Whether all n steps are turns. */
static bool are_turns(const berth_step_t *s, size_t n)
{
  size_t at = 0, steps;
  while (at < n && (steps = flow_turn_steps(s + at, n - at)) > 0) at += steps;
  return at == n;
}

bool flow_turn_is_of_any(const berth_step_t *s)
{
  return s->kind == BERTH_STEP_RECEIVE && s->peer == BERTH_ANY_RANK;
}

size_t flow_turn_steps(const berth_step_t *s, size_t n)
{
  size_t steps = 1;
  if (n == 0) return 0;
  if (flow_turn_is_of_any(s)) return 1;
  if (s->kind == BERTH_STEP_LOOP) return are_turns(s + 1, s->steps) ? 1 + s->steps : 0;
  if (!takes_first(s)) return 0;
  while (steps < n && goes_on(&s[steps], s->peer)) steps++;
  return steps;
}

/* Whether turns have several known sources. */
static bool have_several(const berth_step_t *s, size_t n)
{
  int source = BERTH_ANY_RANK;
  for (size_t i = 0; i < n; i++) {
    if (!takes_first(&s[i]) || s[i].peer == BERTH_ANY_RANK) continue;
    if (source != BERTH_ANY_RANK && s[i].peer != source) return true;
    source = s[i].peer;
  }
  return false;
}

/* What follows the last turn may be for its source, too, without being of the turn: it has no more
 * steps than others. */
size_t flow_turns_in(const berth_step_t *s, size_t n)
{
  size_t at = 0, end = 0, steps, longest = 0, last = 0;
  if (n == 0 || flow_turn_is_of_any(s)) return 0;
  for (; (steps = flow_turn_steps(s + at, n - at)) > 0; at += steps) {
    if (flow_turn_is_of_any(&s[at])) continue;
    if (last > longest) longest = last;
    last = steps;
    end = at + steps;
  }
  if (longest > 0 && last > longest && s[end - last].kind != BERTH_STEP_LOOP) end -= last - longest;
  return have_several(s, end) ? end : 0;
}
