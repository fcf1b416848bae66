/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks, completes and divides the steps of a rank. The items of a list, or of a loop's body, are
 * steps and whole loops. */
#include "spool/assemble/assemble_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "spool/spool_phase.h"

_Static_assert((int)SPOOL_MAX_LOOPS == (int)BERTH_MAX_LOOPS, "the tracer's loops can be written");
_Static_assert((int)SPOOL_SEND_BLOCKS == (int)BERTH_SEND_BLOCKS &&
                   (int)SPOOL_SEND_NEEDS_RECEIVE == (int)BERTH_SEND_NEEDS_RECEIVE,
               "modes are written as they are");

/* The records of the item at s. */
static size_t length_of(const berth_step_t *s) { return 1 + s->steps; }

static bool are_whole(const berth_step_t *s, size_t n, uint64_t repeats, int depth)
{
  for (size_t i = 0; i < n; i += length_of(&s[i])) {
    if (s[i].times > BERTH_MAX_AMOUNT / repeats) return false;
    if (s[i].kind != BERTH_STEP_LOOP) continue;
    if (depth == BERTH_MAX_LOOPS || s[i].steps > n - i - 1) return false;
    if (!are_whole(s + i + 1, s[i].steps, repeats * s[i].times, depth + 1)) return false;
  }
  return true;
}

bool steps_are_whole(const steps_t *x, uint64_t rounds)
{
  return rounds <= BERTH_MAX_AMOUNT && are_whole(x->items, x->n, rounds, 0);
}

/* How many single steps a list is; UINT64_MAX: at least so many. */
static uint64_t count(const berth_step_t *s, size_t n)
{
  uint64_t sum = 0, one;
  for (size_t i = 0; i < n; i += length_of(&s[i])) {
    uint64_t in = s[i].kind == BERTH_STEP_LOOP ? count(s + i + 1, s[i].steps) : 1;
    if (__builtin_mul_overflow(in, s[i].times, &one) || __builtin_add_overflow(sum, one, &sum))
      return UINT64_MAX;
  }
  return sum;
}

/* The index of the last item. */
static size_t last_item(const steps_t *x)
{
  size_t last = 0;
  for (size_t i = 0; i < x->n; i += length_of(&x->items[i])) last = i;
  return last;
}

bool steps_fit_pending(const steps_t *x, uint64_t pending)
{
  if (pending == 0) return true;
  const berth_step_t *s = &x->items[last_item(x)];
  return s->kind == BERTH_STEP_LOOP && pending < count(s + 1, s->steps);
}

/* Appends copies of n records from an index on. */
static bool append(steps_t *x, size_t from, size_t n)
{
  if (!array_reserve(&x->items, &x->cap, x->n + n, sizeof *x->items)) return false;
  memcpy(x->items + x->n, x->items + from, n * sizeof *x->items);
  x->n += n;
  return true;
}

/* Appends so many single steps of the n records from an index on. */
static bool append_some(steps_t *x, size_t from, size_t n, uint64_t single)
{
  for (size_t i = from, length; i < from + n && single; i += length) {
    const berth_step_t s = x->items[i];
    length = length_of(&s);
    uint64_t in = s.kind == BERTH_STEP_LOOP ? count(&x->items[i + 1], s.steps) : 1;
    uint64_t times = single / in < s.times ? single / in : s.times;
    bool body = s.kind == BERTH_STEP_LOOP && times == 1;
    if (times && !append(x, body ? i + 1 : i, body ? s.steps : length)) return false;
    if (times && !body) x->items[x->n - length].times = times;
    single -= times * in;
    if (times < s.times && single && !append_some(x, i + 1, s.steps, single)) return false;
    if (times < s.times) return true;
  }
  return true;
}

bool steps_add_pending(steps_t *x, uint64_t pending)
{
  size_t last = pending ? last_item(x) : 0;
  return !pending || append_some(x, last + 1, x->items[last].steps, pending);
}

static bool same(const berth_step_t *a, const berth_step_t *b)
{
  return a->kind == b->kind && a->peer == b->peer && a->size == b->size && a->times == b->times &&
         a->mode == b->mode && a->root == b->root && a->steps == b->steps && a->op == b->op;
}

static bool same_item(const berth_step_t *a, const berth_step_t *b)
{
  for (size_t i = 0; i < length_of(a); i++)
    if (!same(&a[i], &b[i])) return false;
  return true;
}

/* The number of items in the shortest list whose whole repetitions are the n items at these places
 * (failure function of Knuth, Morris and Pratt). */
static size_t period(const berth_step_t *s, const size_t *at, size_t n, size_t *border)
{
  size_t length = 0;
  border[0] = 0;
  for (size_t i = 1; i < n; i++) {
    while (length && !same_item(&s[at[i]], &s[at[length]])) length = border[length - 1];
    if (same_item(&s[at[i]], &s[at[length]])) length++;
    border[i] = length;
  }
  return n % (n - length) == 0 ? n - length : n;
}

bool steps_divide(steps_t *x, uint64_t *rounds)
{
  size_t *at = malloc((x->n + 1) * 2 * sizeof *at), *border = at + x->n + 1, n = 0;
  if (!at) return false;
  for (size_t i = 0; i < x->n; i += length_of(&x->items[i])) at[n++] = i;
  at[n] = x->n;
  size_t length = n ? period(x->items, at, n, border) : 0;
  if (length) {
    *rounds *= n / length;
    x->n = at[length];
  }
  free(at);
  while (x->n && x->items->kind == BERTH_STEP_LOOP && length_of(x->items) == x->n) {
    *rounds *= x->items->times;
    memmove(x->items, x->items + 1, --x->n * sizeof *x->items);
  }
  return true;
}
