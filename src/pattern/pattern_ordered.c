/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the ranks of a phase that send, and those of them that have an order. */
#include "pattern/pattern_ordered.h"

#include "base/order.h"

/* Counts in phase k, whose n orders are sorted by source. */
static pattern_ordered_t count(const berth_pattern_t *p, size_t k, int phase,
                               const berth_order_t *order, size_t n)
{
  size_t n_messages, at = 0;
  pattern_ordered_t found = {.phase = phase};
  const berth_message_t *m = berth_pattern_messages(p, k, &n_messages);
  for (size_t i = 0; i < n_messages; i++) {
    if (i > 0 && m[i].src == m[i - 1].src) continue;
    while (at < n && order[at].src < m[i].src) at++;
    found.senders++;
    found.ordered += at < n && order[at].src == m[i].src;
  }
  return found;
}

bool pattern_partly_ordered(const berth_pattern_t *p, pattern_ordered_t *out)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  const berth_order_t *orders = berth_pattern_orders(p, &n);
  for (size_t k = 0; k < n_phases; k++) {
    if (phases[k].collective) continue;
    LOWER_BOUND(first, 0, n, orders[middle].phase < phases[k].id);
    LOWER_BOUND(end, first, n, orders[middle].phase <= phases[k].id);
    *out = count(p, k, phases[k].id, orders + first, end - first);
    if (out->ordered > 0 && out->ordered < out->senders) return true;
  }
  return false;
}
