/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the recorded order of a rank's sends into one repeated sequence per phase. */
#include "spool/assemble/assemble_order.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_load.h"

ORDER_BY(issued_order, issued_t, RISING(phase) RISING(place))

static bool same_send(const berth_step_t *a, const berth_step_t *b)
{
  return a->peer == b->peer && a->size == b->size && a->blocking == b->blocking &&
         a->times == b->times;
}

/* The length of the shortest sequence whose whole repetitions give the n sends (failure function
 * of Knuth, Morris and Pratt). 0 if memory is out. */
static size_t period(const issued_t *s, size_t n)
{
  size_t *border = malloc(n * sizeof *border), length = 0;
  if (!border) return 0;
  border[0] = 0;
  for (size_t i = 1; i < n; i++) {
    while (length && !same_send(&s[i].send, &s[length].send)) length = border[length - 1];
    if (same_send(&s[i].send, &s[length].send)) length++;
    border[i] = length;
  }
  free(border);
  return n % (n - length) == 0 ? n - length : n;
}

static bool fits(const issued_t *s, size_t n, uint64_t rounds)
{
  for (size_t i = 0; i < n; i++)
    if (s[i].send.times > BERTH_MAX_AMOUNT / rounds) return false;
  return true;
}

/* Keeps the n sends of a rank in a phase. */
static int keep(rank_load_t *load, uint32_t phase, const issued_t *s, size_t n, berth_error_t *err)
{
  assembly_t *a = load->a;
  size_t length = period(s, n);
  if (!length || !ARRAY_GROW(&a->sequence, a->n_sequences, &a->cap_sequences) ||
      !array_reserve(&a->send, &a->cap_sends, a->n_sends + length, sizeof *a->send))
    return no_memory(err);
  if (!fits(s, length, n / length)) return a->total.unordered[SPOOL_ORDER_NONE]++, BERTH_OK;
  a->sequence[a->n_sequences++] =
      (sequence_t){load->header->rank, phase, n / length, a->n_sends, length};
  for (size_t i = 0; i < length; i++) a->send[a->n_sends++] = s[i].send;
  return BERTH_OK;
}

ORDER_BY(phase_order, spool_phase_t, RISING(id))

int orders_take(rank_load_t *load, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t first = 0, end;
  if (load->n_issued) qsort(load->issued, load->n_issued, sizeof *load->issued, issued_order);
  if (load->n_phases) qsort(load->phase, load->n_phases, sizeof *load->phase, phase_order);
  for (size_t i = 0; i < load->n_phases && !rc; i++, first = end) {
    const spool_phase_t *p = &load->phase[i];
    while (first < load->n_issued && load->issued[first].phase < p->id) first++;
    for (end = first; end < load->n_issued && load->issued[end].phase == p->id;) end++;
    if (p->order == SPOOL_ORDER_KEPT && end > first)
      rc = keep(load, p->id, load->issued + first, end - first, err);
    else if (p->order > SPOOL_ORDER_KEPT)
      load->a->total.unordered[p->order]++;
  }
  return rc;
}

int orders_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_pattern_drop_orders(to);
  if (a->n_auto) return BERTH_OK;
  for (size_t i = 0; i < a->n_sequences && !rc; i++) {
    const sequence_t *s = &a->sequence[i];
    const berth_order_t order = {(int)s->phase, (int)s->src, s->rounds, s->n, a->send + s->first};
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
