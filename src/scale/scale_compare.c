/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds a pattern against another one, pair by pair. */
#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/phase_find.h"
#include "scale/scale_internal.h"

typedef struct amount {
  int src, dst;
  double made, real;
} amount_t;

typedef struct amounts {
  size_t n;
  amount_t *list;
} amounts_t;

ORDER_BY(amount_order, amount_t, RISING(src) RISING(dst))

static void add(amounts_t *a, const berth_pattern_t *p, bool made)
{
  size_t n, phases;
  const berth_phase_t *phase = berth_pattern_phases(p, &phases);
  for (size_t i = 0; i < phases; i++) {
    const berth_message_t *m = berth_pattern_messages(p, i, &n);
    for (size_t k = 0; k < n; k++) {
      double bytes = (double)m[k].bytes * (double)phase[i].repeats;
      a->list[a->n++] = (amount_t){m[k].src, m[k].dst, made ? bytes : 0, made ? 0 : bytes};
    }
  }
}

int berth_scale_compare(const berth_pattern_t *made, const berth_pattern_t *real, double tolerance,
                        berth_scale_agreement_t *out, berth_error_t *err)
{
  berth_error_t unused;
  amounts_t a = {0};
  if (!err) err = &unused;
  *out = (berth_scale_agreement_t){0};
  if (berth_pattern_ranks(made) != berth_pattern_ranks(real))
    return berth_fail(err, BERTH_BAD_INPUT, "found a pattern of %d ranks, expected %d",
                      berth_pattern_ranks(real), berth_pattern_ranks(made));
  a.list = malloc((pattern_n_messages(made) + pattern_n_messages(real) + 1) * sizeof *a.list);
  if (!a.list) return no_memory(err);
  add(&a, made, true);
  add(&a, real, false);
  qsort(a.list, a.n, sizeof *a.list, amount_order);
  double agreed = 0;
  for (size_t i = 0, next; i < a.n; i = next) {
    amount_t sum = a.list[i];
    for (next = i + 1; next < a.n && amount_order(&a.list[i], &a.list[next]) == 0; next++) {
      sum.made += a.list[next].made;
      sum.real += a.list[next].real;
    }
    if (sum.made == 0 && sum.real == 0) continue;
    bool agree = fabs(sum.made - sum.real) <= tolerance * sum.real;
    out->bytes += sum.real;
    out->made += sum.made;
    out->pairs++;
    out->agree += agree;
    if (agree) agreed += sum.real;
  }
  out->within = out->bytes > 0 ? agreed / out->bytes : 0;
  free(a.list);
  return BERTH_OK;
}
