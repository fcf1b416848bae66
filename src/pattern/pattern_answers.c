/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds ranks that answer whoever comes first in their orders. */
#include "pattern/pattern_answers.h"

#include "base/order.h"
#include "base/text.h"

/* A walk through the order of a rank. */
typedef struct walk {
  const berth_order_t *order;
  const berth_message_t *m; /* of the phase, sorted by source and destination */
  size_t n;
  uint64_t came; /* messages of any rank in a row before this step */
  int answered;  /* a rank that got an answer; -1: none */
  bool answers;  /* several got one */
} walk_t;

static bool sends(const walk_t *w, int src, int dst)
{
  LOWER_BOUND(at, 0, w->n,
              w->m[middle].src < src || (w->m[middle].src == src && w->m[middle].dst < dst));
  return at < w->n && w->m[at].src == src && w->m[at].dst == dst;
}

static void answer(walk_t *w, int dst)
{
  if (w->came != 1 || dst == w->order->src || !sends(w, dst, w->order->src)) return;
  if (w->answered >= 0 && w->answered != dst) w->answers = true;
  w->answered = dst;
}

/* Whether a step takes the message that comes first. */
static bool is_of_any(const berth_step_t *s)
{
  if (s->kind == BERTH_STEP_RECEIVE && s->mode == BERTH_RECEIVE_FIRST) return true;
  return (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_ARRIVED) &&
         s->peer == BERTH_ANY_RANK;
}

static void look_at(walk_t *w, const berth_step_t *s)
{
  if (s->kind == BERTH_STEP_POSTED || s->kind == BERTH_STEP_SENT) return;
  if (s->kind == BERTH_STEP_SEND) answer(w, s->peer);
  w->came = is_of_any(s) ? w->came + s->times : 0;
}

/* Two iterations of a loop show what its last step is followed by. */
static void look_through(walk_t *w, const berth_step_t *s, size_t n)
{
  for (size_t i = 0; i < n && !w->answers; i++) {
    if (s[i].kind != BERTH_STEP_LOOP) {
      look_at(w, &s[i]);
      continue;
    }
    for (int k = 0; k < 2 && (uint64_t)k < s[i].times; k++) look_through(w, s + i + 1, s[i].steps);
    i += s[i].steps;
  }
}

static bool has_any(const berth_order_t *o)
{
  for (size_t i = 0; i < o->n_steps; i++)
    if (is_of_any(&o->steps[i])) return true;
  return false;
}

static bool is_answering(const berth_pattern_t *p, size_t phase, const berth_order_t *o)
{
  walk_t w = {.order = o, .answered = -1};
  if (!has_any(o)) return false;
  w.m = berth_pattern_messages(p, phase, &w.n);
  for (int k = 0; k < 2 && (uint64_t)k < o->rounds; k++) look_through(&w, o->steps, o->n_steps);
  return w.answers;
}

bool pattern_answers(const berth_pattern_t *p, int *first, bool *others)
{
  size_t n, n_phases, phase = 0;
  int last = -1;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  const berth_order_t *o = berth_pattern_orders(p, &n);
  *first = -1;
  for (size_t i = 0; i < n; i++) {
    while (phase < n_phases && phases[phase].id < o[i].phase) phase++;
    if (phase == n_phases || phases[phase].id != o[i].phase || !is_answering(p, phase, &o[i]))
      continue;
    if (*first < 0 || o[i].src < *first) *first = o[i].src;
    if (o[i].src > last) last = o[i].src;
  }
  *others = last > *first;
  return *first >= 0;
}

char *pattern_answers_text(const berth_pattern_t *p)
{
  int first;
  bool others;
  if (!pattern_answers(p, &first, &others)) return NULL;
  return text_printf("rank %d%s answers whichever rank's message comes first. Which rank gets how "
                     "much depends on the network. Estimates take what was recorded.",
                     first, others ? ", like others," : "");
}
