/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds which slots a pair leaves, and which it crosses now, when one of its ends moves. */
#include "base/array.h"
#include "cost/swap/cost_swap.h"

/* Notes a change by rank. */
static void note_rank(berth_swap_t *s, int phase, size_t pair, int first, int end, int sign)
{
  const berth_cost_t *c = s->cost;
  const int64_t *value = c->value + pair * (size_t)c->n_columns;
  for (int i = first; i < end; i++) {
    if (s->n_changes == INT32_MAX || !ARRAY_GROW(&s->change, s->n_changes, &s->cap_changes)) {
      s->no_memory = true;
      return;
    }
    swap_slot_t *slot = &s->phase[phase].slot[i];
    int64_t time = sign * value[c->slot[i].column];
    s->change[s->n_changes] =
        (swap_change_t){slot->first_change, {c->src[pair], sign, sign * value[0], time}};
    slot->first_change = (int)s->n_changes++;
  }
}

static inline void note_bytes(berth_swap_t *s, int phase, int first, int end, int64_t bytes)
{
  swap_phase_t *p = &s->phase[phase];
  for (int i = first; i < end; i++) {
    swap_slot_t *slot = &p->slot[i];
    slot->change += bytes;
    if (slot->changes) continue;
    slot->changes = true;
    slot->next_changed = p->first_changed;
    p->first_changed = i;
  }
}

void swap_note_slots(berth_swap_t *s, int phase, int first, int end)
{
  note_bytes(s, phase, first, end, 0);
}

/* Notes that a pair now crosses the slots [first, end) (sign 1), or doesn't any more (-1). */
static inline void note(berth_swap_t *s, int phase, size_t pair, int first, int end, int sign)
{
  if (s->noting == NOTE_BYTES)
    note_bytes(s, phase, first, end, sign * s->cost->value[pair * (size_t)s->cost->n_columns]);
  else if (s->noting == NOTE_ALL)
    note_rank(s, phase, pair, first, end, sign);
  else if (first <= s->noted_slot && s->noted_slot < end && phase == s->noted_phase)
    note_rank(s, phase, pair, s->noted_slot, s->noted_slot + 1, sign);
}

/* Notes the slots of one direction on the way from node `from` up to, but without, node `to`. */
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

/* Like note_climb, for the bytes of many pairs. */
static void climb_bytes(berth_swap_t *s, int phase, bool out, int from, int to, int64_t bytes)
{
  const cost_node_t *node = s->cost->node;
  for (int e = from; e != to; e = node[e].parent)
    if (out)
      note_bytes(s, phase, node[e].first, node[e].in, bytes);
    else
      note_bytes(s, phase, node[e].self, node[e].end, bytes);
}

void swap_far_bytes(berth_swap_t *s, const swap_move_t *m, int phase, bool sent, int64_t bytes)
{
  climb_bytes(s, phase, sent, m->from, m->top, -bytes);
  climb_bytes(s, phase, sent, m->to, m->top, bytes);
}

void swap_way(berth_swap_t *s, const swap_move_t *m, const swap_link_t *link, int other)
{
  const cost_node_t *node = s->cost->node;
  int k = link->phase;
  bool out = link->sends;
  if (swap_is_far(s, m, other)) {
    note_climb(s, k, link->pair, out, m->from, m->top, -1);
    note_climb(s, k, link->pair, out, m->to, m->top, 1);
    return;
  }
  bool leaves = swap_is_near(s, m, other, 0); /* both ends were below that child, or are now */
  int before = leaves ? swap_meet(s, m->from, other) : m->top;
  int after = leaves ? m->top : swap_meet(s, m->to, other);
  note_climb(s, k, link->pair, out, m->from, before, -1);
  note_climb(s, k, link->pair, out, m->to, after, 1);
  note_self(s, k, link->pair, before, -1);
  note_self(s, k, link->pair, after, 1);
  if (node[before].depth < node[after].depth)
    note_climb(s, k, link->pair, !out, after, before, -1);
  else
    note_climb(s, k, link->pair, !out, before, after, 1);
}
