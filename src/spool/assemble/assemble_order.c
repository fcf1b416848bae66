/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the recorded program of a rank in each phase into an order: steps that are repeated as a
 * whole. */
#include "spool/assemble/assemble_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_phase.h"
#include "spool/assemble/assemble_steps.h"

static int taken_order(const void *x, const void *y)
{
  const taken_t *a = x, *b = y;
  if (a->step.phase != b->step.phase) return a->step.phase < b->step.phase ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static bool is_call(berth_step_kind_t kind)
{
  return kind == BERTH_STEP_MEET || kind == BERTH_STEP_FROM_ROOT || kind == BERTH_STEP_TO_ROOT;
}

static int mode_of(const spool_step_t *s)
{
  switch (s->kind) {
  case SPOOL_STEP_SEND:
    return s->mode;
  case SPOOL_STEP_RECEIVE:
    return s->mode == SPOOL_RECEIVE_FIRST ? BERTH_RECEIVE_FIRST : 0;
  case SPOOL_STEP_MEET:
  case SPOOL_STEP_FROM_ROOT:
  case SPOOL_STEP_TO_ROOT:
    return s->mode & SPOOL_CALL_BEGINS ? BERTH_MEET_BEGINS
           : s->mode & SPOOL_CALL_ENDS ? BERTH_MEET_ENDS
                                       : 0;
  default:
    return 0;
  }
}

static berth_step_t converted(const rank_load_t *load, const spool_step_t *s)
{
  static const berth_step_kind_t kinds[SPOOL_STEP_KINDS] = {
      [SPOOL_STEP_SEND] = BERTH_STEP_SEND,
      [SPOOL_STEP_SENT] = BERTH_STEP_SENT,
      [SPOOL_STEP_RECEIVE] = BERTH_STEP_RECEIVE,
      [SPOOL_STEP_POSTED] = BERTH_STEP_POSTED,
      [SPOOL_STEP_ARRIVED] = BERTH_STEP_ARRIVED,
      [SPOOL_STEP_MEET] = BERTH_STEP_MEET,
      [SPOOL_STEP_FROM_ROOT] = BERTH_STEP_FROM_ROOT,
      [SPOOL_STEP_TO_ROOT] = BERTH_STEP_TO_ROOT,
      [SPOOL_STEP_LOOP] = BERTH_STEP_LOOP};
  bool loop = s->kind == SPOOL_STEP_LOOP, send = s->kind == SPOOL_STEP_SEND;
  bool rooted = s->kind == SPOOL_STEP_FROM_ROOT || s->kind == SPOOL_STEP_TO_ROOT;
  uint32_t op = is_call(kinds[s->kind]) ? numbers_get(&load->op, s->mode & SPOOL_CALL_OP) : 0;
  return (berth_step_t){.kind = kinds[s->kind],
                        .peer = loop                        ? 0
                                : s->peer == SPOOL_ANY_RANK ? BERTH_ANY_RANK
                                                            : (int)s->peer,
                        .mode = mode_of(s),
                        .size = send || op ? s->size : 0,
                        .times = s->times,
                        .root = rooted ? (int)s->root : 0,
                        .steps = loop ? (size_t)s->size : 0,
                        .op = op ? load->a->ops.items[op - 1].bytes : NULL};
}

/* Appends the steps of n records to the list. Returns false if memory is out. *good: whether calls
 * can have made all of them. */
static bool convert(const rank_load_t *load, const taken_t *s, size_t n, steps_t *to, bool *good)
{
  *good = true;
  to->n = 0;
  for (size_t i = 0; i < n && *good; i++) {
    *good = s[i].step.kind < SPOOL_STEP_KINDS;
    if (*good && !ARRAY_ADD(&to->items, &to->n, &to->cap, converted(load, &s[i].step)))
      return false;
  }
  return true;
}

/* Keeps the n records of a rank in a phase. */
static int keep(rank_load_t *load, const spool_phase_t *p, const taken_t *s, size_t n, steps_t *x,
                berth_error_t *err)
{
  assembly_t *a = load->a;
  bool good;
  uint64_t rounds = 1;
  if (!convert(load, s, n, x, &good)) return no_memory(err);
  if (good && (!steps_are_whole(x, 1) || !steps_fit_pending(x, p->pending))) good = false;
  if (good && (!steps_add_pending(x, p->pending) || !steps_divide(x, &rounds)))
    return no_memory(err);
  if (!good || !steps_are_whole(x, rounds)) return a->total.unordered[SPOOL_ORDER_NONE]++, BERTH_OK;
  if (!ARRAY_GROW(&a->sequence, a->n_sequences, &a->cap_sequences) ||
      !array_reserve(&a->step, &a->cap_steps, a->n_steps + x->n, sizeof *a->step))
    return no_memory(err);
  a->sequence[a->n_sequences++] =
      (sequence_t){load->header->rank, p->id, p->begun, rounds, a->n_steps, x->n};
  memcpy(a->step + a->n_steps, x->items, x->n * sizeof *x->items);
  a->n_steps += x->n;
  return BERTH_OK;
}

ORDER_BY(phase_order, spool_phase_t, RISING(id))

int orders_take(rank_load_t *load, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t first = 0, end;
  steps_t scratch = {0};
  if (load->n_taken) qsort(load->taken, load->n_taken, sizeof *load->taken, taken_order);
  if (load->n_phases) qsort(load->phase, load->n_phases, sizeof *load->phase, phase_order);
  for (size_t i = 0; i < load->n_phases && !rc; i++, first = end) {
    const spool_phase_t *p = &load->phase[i];
    while (first < load->n_taken && load->taken[first].step.phase < p->id) first++;
    for (end = first; end < load->n_taken && load->taken[end].step.phase == p->id;) end++;
    load->a->ordered |= p->order != SPOOL_ORDER_NONE;
    if (p->order == SPOOL_ORDER_KEPT && end > first)
      rc = keep(load, p, load->taken + first, end - first, &scratch, err);
    else if (p->order > SPOOL_ORDER_KEPT)
      load->a->total.unordered[p->order]++;
  }
  free(scratch.items);
  return rc;
}

/* Gives communicators the pattern's numbers. Returns false if one isn't in the pattern. */
static bool number_comms(berth_step_t *s, size_t n, const names_t *names)
{
  for (size_t i = 0; i < n; i++) {
    if (!is_call(s[i].kind) || s[i].peer == 0) continue;
    s[i].peer = (int)numbers_get(&names->comm, (uint32_t)s[i].peer);
    if (s[i].peer == 0) return false;
  }
  return true;
}

/* An order of one occurrence stands for all if they are told apart. */
static bool stands_for_all(const assembly_t *a, const sequence_t *s)
{
  return phases_is_used(a, s->phase) && phases_repeats(a, s->phase) == s->begun;
}

int orders_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_pattern_drop_orders(to);
  if (a->n_auto) return BERTH_OK;
  for (size_t i = 0; i < a->n_sequences && !rc; i++) {
    const sequence_t *s = &a->sequence[i];
    if (!number_comms(a->step + s->first, s->n, names) || !stands_for_all(a, s)) continue;
    const berth_order_t order = {(int)s->phase, (int)s->src, s->rounds, s->n, a->step + s->first};
    rc = berth_pattern_add_order(to, &order, err);
  }
  return rc;
}

/* Appends ", WHAT: N" to the text, which ends at *at. */
static void add_reason(char *text, size_t size, size_t *at, const char *what, uint64_t n)
{
  if (n == 0 || *at >= size) return;
  int added =
      snprintf(text + *at, size - *at, "%s%s: %llu", *at ? ", " : "", what, (unsigned long long)n);
  *at += added > 0 ? (size_t)added : 0;
}

void orders_note(const assembly_t *a, char *text, size_t size)
{
  size_t at = 0;
  char why[160] = "";
  const totals_t *t = &a->total;
  const uint64_t *u = t->unordered;
  uint64_t unlike = t->orders - t->orders_kept + u[SPOOL_ORDER_NONE];
  add_reason(why, sizeof why, &at, "too long", u[SPOOL_ORDER_LONG]);
  add_reason(why, sizeof why, &at,
             a->n_auto ? "of automatic phases" : "unlike the phase's messages", unlike);
  add_reason(why, sizeof why, &at, "of several threads", u[SPOOL_ORDER_THREADS]);
  add_reason(why, sizeof why, &at, "no room", u[SPOOL_ORDER_NO_ROOM]);
  *text = '\0';
  if (!at) return;
  uint64_t all = t->orders + u[SPOOL_ORDER_NONE] + u[SPOOL_ORDER_LONG] + u[SPOOL_ORDER_THREADS] +
                 u[SPOOL_ORDER_NO_ROOM];
  snprintf(text, size, "orders of sends left out, of %llu (one for each rank and phase): %s",
           (unsigned long long)all, why);
}
