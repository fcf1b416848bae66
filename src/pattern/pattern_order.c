/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds orders of sends and checks them against the messages. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_internal.h"

static int check_send(const berth_pattern_t *p, const berth_send_t *s, uint64_t rounds,
                      berth_error_t *err)
{
  if (s->dst < 0 || s->dst >= p->ranks)
    return berth_fail(err, BERTH_BAD_INPUT, "found destination rank %d, expected 0 to %d", s->dst,
                      p->ranks - 1);
  if (s->blocking != 0 && s->blocking != 1)
    return berth_fail(err, BERTH_BAD_INPUT, "found blocking %d, expected 0 or 1", s->blocking);
  if (s->times < 1 || s->times > BERTH_MAX_AMOUNT / rounds)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found a send %llu times in %llu rounds, expected 1 to 2^53 in all",
                      (unsigned long long)s->times, (unsigned long long)rounds);
  return BERTH_OK;
}

int berth_pattern_add_order(berth_pattern_t *p, const berth_order_t *order, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (order->phase < 0)
    return berth_fail(err, BERTH_BAD_INPUT, "found phase %d, expected at least 0", order->phase);
  if (order->src < 0 || order->src >= p->ranks)
    return berth_fail(err, BERTH_BAD_INPUT, "found source rank %d, expected 0 to %d", order->src,
                      p->ranks - 1);
  if (order->rounds < 1 || order->rounds > BERTH_MAX_AMOUNT)
    return berth_fail(err, BERTH_BAD_INPUT, "found %llu rounds, expected 1 to 2^53",
                      (unsigned long long)order->rounds);
  for (size_t i = 0; i < order->n_sends && !rc; i++)
    rc = check_send(p, &order->sends[i], order->rounds, err);
  if (rc) return rc;
  p->finished = false;
  berth_order_t copy = *order;
  copy.sends = arena_copy(&p->arena, order->sends, order->n_sends * sizeof *order->sends);
  if (!copy.sends || !ARRAY_GROW(&p->orders.items, p->orders.n, &p->orders.cap))
    return no_memory(err);
  p->orders.items[p->orders.n++] = copy;
  return BERTH_OK;
}

void berth_pattern_drop_orders(berth_pattern_t *p) { p->drop_orders = true; }

ORDER_BY(order_order, berth_order_t, RISING(phase) RISING(src))

ORDER_BY(by_destination, berth_send_t, RISING(dst) RISING(size))

static int differs(const berth_order_t *o, int dst, uint64_t size, uint64_t found,
                   uint64_t expected, berth_error_t *err)
{
  return berth_fail(err, BERTH_BAD_INPUT,
                    "order of rank %d in phase %d: found %llu sends of %llu bytes to rank %d, "
                    "expected %llu, the count of its p2p entries",
                    o->src, o->phase, (unsigned long long)found, (unsigned long long)size, dst,
                    (unsigned long long)expected);
}

/* Compares an order with the messages of its phase and source. `s` holds the order's sends, which
 * this function sorts. The messages are sorted by destination, size and site. */
static int compare(const berth_order_t *o, berth_send_t *s, const berth_message_t *m, size_t n,
                   berth_error_t *err)
{
  if (o->n_sends > 1) qsort(s, o->n_sends, sizeof *s, by_destination);
  for (size_t i = 0, k = 0; i < o->n_sends || k < n;) {
    bool sent = i < o->n_sends &&
                (k == n || s[i].dst < m[k].dst || (s[i].dst == m[k].dst && s[i].size <= m[k].size));
    int dst = sent ? s[i].dst : m[k].dst;
    uint64_t size = sent ? s[i].size : m[k].size, found = 0, expected = 0;
    for (; i < o->n_sends && s[i].dst == dst && s[i].size == size; i++) {
      found += s[i].times * o->rounds;
      if (found > BERTH_MAX_AMOUNT) return differs(o, dst, size, found, expected, err);
    }
    for (; k < n && m[k].dst == dst && m[k].size == size; k++) expected += m[k].count;
    if (found != expected) return differs(o, dst, size, found, expected, err);
  }
  return BERTH_OK;
}

/* Finds the messages of a phase and source by bisection. */
static const berth_message_t *find_messages(const berth_pattern_t *p, const berth_order_t *o,
                                            size_t *n)
{
  const berth_message_t *m = p->messages.items;
  LOWER_BOUND(low, 0, p->messages.n,
              m[middle].phase < o->phase ||
                  (m[middle].phase == o->phase && m[middle].src < o->src));
  size_t end = low;
  while (end < p->messages.n && m[end].phase == o->phase && m[end].src == o->src) end++;
  *n = end - low;
  return *n ? m + low : NULL;
}

int pattern_finish_orders(berth_pattern_t *p, berth_error_t *err)
{
  LIST(berth_send_t) scratch = {0};
  size_t kept = 0;
  int rc = BERTH_OK;
  berth_order_t *orders = p->orders.items;
  if (p->orders.n > 1) qsort(orders, p->orders.n, sizeof *orders, order_order);
  for (size_t i = 0; i < p->orders.n && !rc; i++) {
    size_t n;
    const berth_message_t *m = find_messages(p, &orders[i], &n);
    if (!array_reserve(&scratch.items, &scratch.cap, orders[i].n_sends + 1, sizeof *scratch.items))
      rc = no_memory(err);
    else if (kept && order_order(&orders[kept - 1], &orders[i]) == 0)
      rc = berth_fail(err, BERTH_BAD_INPUT, "found an order of rank %d in phase %d a second time",
                      orders[i].src, orders[i].phase);
    else {
      memcpy(scratch.items, orders[i].sends, orders[i].n_sends * sizeof *scratch.items);
      rc = compare(&orders[i], scratch.items, m, n, err);
    }
    if (!rc) orders[kept++] = orders[i];
    if (rc == BERTH_BAD_INPUT && p->drop_orders) rc = BERTH_OK;
  }
  if (!rc) p->orders.n = kept;
  free(scratch.items);
  return rc;
}
