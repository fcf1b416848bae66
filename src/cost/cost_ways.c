/* SPDX-License-Identifier: BSD-3-Clause */
/* Which slots a pair crosses no more, and which it crosses now, when one of its ends moves. */
#include "base/array.h"
#include "cost/cost_swap.h"

/* Notes that a pair crosses the slots [first, end) from now on (sign 1) or no more (-1). */
static void note(berth_swap_t *s, int phase, size_t pair, int first, int end, int sign)
{
  const berth_cost_t *c = s->cost;
  const int64_t *value = c->value + pair * (size_t)c->n_columns;
  swap_phase_t *p = &s->phase[phase];
  for (int i = first; i < end; i++) {
    if (s->n_changes == s->cap_changes &&
        (s->n_changes == INT32_MAX || !ARRAY_GROW(&s->change, s->n_changes, &s->cap_changes))) {
      s->no_memory = true;
      return;
    }
    swap_slot_t *slot = &p->slot[i];
    if (slot->first_change < 0) {
      slot->next_changed = p->first_changed;
      p->first_changed = i;
    }
    int64_t bytes = sign * value[0], time = sign * value[c->slot[i].column];
    s->change[s->n_changes] =
        (swap_change_t){slot->first_change, {c->src[pair], sign, bytes, time}};
    slot->first_change = (int)s->n_changes++;
    slot->change += bytes;
  }
}

/* Notes the slots of one direction on the way from node `from` up to, not with, node `to`. */
static void note_climb(berth_swap_t *s, int phase, size_t pair, bool out, int from, int to,
                       int sign)
{
  const cost_node_t *node = s->cost->node;
  for (int e = from; e != to; e = node[e].parent)
    if (out)
      note(s, phase, pair, node[e].first, node[e].in, sign);
    else
      note(s, phase, pair, node[e].self, node[e].end, sign);
}

static void note_self(berth_swap_t *s, int phase, size_t pair, int e, int sign)
{
  note(s, phase, pair, s->cost->node[e].self, s->cost->node[e].in, sign);
}

void swap_whole_way(berth_swap_t *s, int phase, size_t pair, int a, int b, int sign)
{
  int meet = swap_meet(s, a, b);
  note_climb(s, phase, pair, true, a, meet, sign);
  note_self(s, phase, pair, meet, sign);
  note_climb(s, phase, pair, false, b, meet, sign);
}

void swap_way(berth_swap_t *s, const swap_link_t *link, int from, int to, int top, int other)
{
  const cost_node_t *node = s->cost->node;
  int before = swap_meet(s, from, other), after = swap_meet(s, to, other), k = link->phase;
  bool out = link->sends;
  if (node[before].depth < node[top].depth) { /* both ways go through all from `top` upwards */
    note_climb(s, k, link->pair, out, from, top, -1);
    note_climb(s, k, link->pair, out, to, top, 1);
    return;
  }
  note_climb(s, k, link->pair, out, from, before, -1);
  note_climb(s, k, link->pair, out, to, after, 1);
  if (before == after) return;
  note_self(s, k, link->pair, before, -1);
  note_self(s, k, link->pair, after, 1);
  if (node[before].depth < node[after].depth)
    note_climb(s, k, link->pair, !out, after, before, -1);
  else
    note_climb(s, k, link->pair, !out, before, after, 1);
}
