/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds orders of sends and checks them against the messages. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

enum { KINDS = BERTH_STEP_LOOP + 1 };

/* Who may be the peer of a step: a rank from `least` on, or a communicator. */
static int check_peer(const berth_pattern_t *p, const berth_step_t *s, berth_error_t *err)
{
  static const char *const what[KINDS] = {"destination rank", "destination rank", "source rank",
                                          "source rank",      "source rank",      "communicator",
                                          "communicator",     "communicator"};
  bool source = s->kind >= BERTH_STEP_RECEIVE && s->kind <= BERTH_STEP_ARRIVED;
  int least = source ? BERTH_ANY_RANK : 0;
  int most = s->kind > BERTH_STEP_ARRIVED ? INT32_MAX : p->ranks - 1;
  if (s->peer < least || s->peer > most)
    return berth_fail(err, BERTH_BAD_INPUT, "found %s %d, expected %d to %d", what[s->kind],
                      s->peer, least, most);
  bool has_root = s->kind == BERTH_STEP_FROM_ROOT || s->kind == BERTH_STEP_TO_ROOT;
  if (has_root && (s->root < 0 || s->root >= p->ranks))
    return berth_fail(err, BERTH_BAD_INPUT, "found root %d, expected 0 to %d", s->root,
                      p->ranks - 1);
  return BERTH_OK;
}

static int check_step(const berth_pattern_t *p, const berth_step_t *s, uint64_t repeats,
                      berth_error_t *err)
{
  if ((unsigned)s->kind >= KINDS)
    return berth_fail(err, BERTH_BAD_INPUT, "found a step of kind %u, expected 0 to %d",
                      (unsigned)s->kind, KINDS - 1);
  if (s->mode < 0 || s->mode >= BERTH_SEND_MODES)
    return berth_fail(err, BERTH_BAD_INPUT, "found mode %d, expected 0 to %d", s->mode,
                      BERTH_SEND_MODES - 1);
  if (s->kind == BERTH_STEP_RECEIVE && s->mode > BERTH_RECEIVE_FIRST)
    return berth_fail(err, BERTH_BAD_INPUT, "found mode %d of a receive, expected 0 or %d", s->mode,
                      BERTH_RECEIVE_FIRST);
  bool meets = s->kind >= BERTH_STEP_MEET && s->kind < BERTH_STEP_LOOP;
  if (meets && s->mode >= BERTH_MEET_MODES)
    return berth_fail(err, BERTH_BAD_INPUT, "found mode %d of a collective call, expected 0 to %d",
                      s->mode, BERTH_MEET_MODES - 1);
  if (s->times < 1 || s->times > BERTH_MAX_AMOUNT / repeats)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found a step %llu times in %llu rounds, expected 1 to 2^53 in all",
                      (unsigned long long)s->times, (unsigned long long)repeats);
  int rc = s->kind == BERTH_STEP_LOOP ? BERTH_OK : check_peer(p, s, err);
  if (!rc && s->op) rc = pattern_check_text(s->op, "operation", err);
  return rc || s->size <= BERTH_MAX_AMOUNT ? rc
                                           : pattern_check(s->size, BERTH_MAX_AMOUNT, "bytes", err);
}

/* Checks a sequence that is gone through `repeats` times. */
static int check_steps(const berth_pattern_t *p, const berth_step_t *s, size_t n, uint64_t repeats,
                       int depth, berth_error_t *err)
{
  if (depth > BERTH_MAX_LOOPS)
    return berth_fail(err, BERTH_BAD_INPUT, "found loops of depth %d, expected at most %d", depth,
                      BERTH_MAX_LOOPS);
  for (size_t i = 0; i < n; i++) {
    int rc = check_step(p, &s[i], repeats, err);
    if (rc) return rc;
    if (s[i].kind != BERTH_STEP_LOOP) continue;
    if (s[i].steps < 1 || s[i].steps > n - i - 1)
      return berth_fail(err, BERTH_BAD_INPUT, "found a loop of %zu steps, expected at least 1",
                        s[i].steps);
    rc = check_steps(p, s + i + 1, s[i].steps, repeats * s[i].times, depth + 1, err);
    if (rc) return rc;
    i += s[i].steps;
  }
  return BERTH_OK;
}

/* The pattern's copy of an operation's name; NULL: memory is out. Patterns have few of them. */
static const char *own_operation(berth_pattern_t *p, const char *op)
{
  for (size_t i = 0; i < p->operations.n; i++)
    if (strcmp(p->operations.items[i], op) == 0) return p->operations.items[i];
  const char *copy = arena_strdup(&p->arena, op);
  bool kept = copy && ARRAY_ADD(&p->operations.items, &p->operations.n, &p->operations.cap, copy);
  return kept ? copy : NULL;
}

/* Copies the steps of an order; NULL: memory is out. */
static const berth_step_t *own_steps(berth_pattern_t *p, const berth_order_t *order)
{
  berth_step_t *s = arena_copy(&p->arena, order->steps, order->n_steps * sizeof *s);
  for (size_t i = 0; s && i < order->n_steps; i++)
    if (s[i].op && !(s[i].op = own_operation(p, s[i].op))) return NULL;
  return s;
}

int berth_pattern_add_order(berth_pattern_t *p, const berth_order_t *order, berth_error_t *err)
{
  if (order->phase < 0)
    return berth_fail(err, BERTH_BAD_INPUT, "found phase %d, expected at least 0", order->phase);
  if (order->src < 0 || order->src >= p->ranks)
    return berth_fail(err, BERTH_BAD_INPUT, "found source rank %d, expected 0 to %d", order->src,
                      p->ranks - 1);
  if (order->rounds < 1 || order->rounds > BERTH_MAX_AMOUNT)
    return berth_fail(err, BERTH_BAD_INPUT, "found %llu rounds, expected 1 to 2^53",
                      (unsigned long long)order->rounds);
  int rc = check_steps(p, order->steps, order->n_steps, order->rounds, 0, err);
  if (rc) return rc;
  p->finished = false;
  berth_order_t copy = *order;
  copy.steps = own_steps(p, order);
  if (!copy.steps || !ARRAY_GROW(&p->orders.items, p->orders.n, &p->orders.cap))
    return no_memory(err);
  p->orders.items[p->orders.n++] = copy;
  return BERTH_OK;
}

void berth_pattern_drop_orders(berth_pattern_t *p) { p->drop_orders = true; }

ORDER_BY(order_order, berth_order_t, RISING(phase) RISING(src))

/* The sends of an order to a rank, of one size, over all rounds. */
typedef struct sends {
  int dst;
  uint64_t size, count;
} sends_t;

ORDER_BY(by_destination, sends_t, RISING(dst) RISING(size))

/* Lists the sends of a sequence that is gone through `repeats` times. Returns how many it adds. */
static size_t list_sends(const berth_step_t *s, size_t n, uint64_t repeats, sends_t *to)
{
  size_t added = 0;
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_SEND) {
      to[added++] = (sends_t){s[i].peer, s[i].size, s[i].times * repeats};
    } else if (s[i].kind == BERTH_STEP_LOOP) {
      added += list_sends(s + i + 1, s[i].steps, repeats * s[i].times, to + added);
      i += s[i].steps;
    }
  }
  return added;
}

static int differs(const berth_order_t *o, int dst, uint64_t size, uint64_t found,
                   uint64_t expected, berth_error_t *err)
{
  return berth_fail(err, BERTH_BAD_INPUT,
                    "order of rank %d in phase %d: found %llu sends of %llu bytes to rank %d, "
                    "expected %llu, the count of its p2p entries",
                    o->src, o->phase, (unsigned long long)found, (unsigned long long)size, dst,
                    (unsigned long long)expected);
}

/* Compares the n sends of an order with the messages of its phase and source, which are sorted by
 * destination, size and site. Sorts the sends. */
static int compare(const berth_order_t *o, sends_t *s, size_t n_sends, const berth_message_t *m,
                   size_t n, berth_error_t *err)
{
  if (n_sends > 1) qsort(s, n_sends, sizeof *s, by_destination);
  for (size_t i = 0, k = 0; i < n_sends || k < n;) {
    bool sent = i < n_sends &&
                (k == n || s[i].dst < m[k].dst || (s[i].dst == m[k].dst && s[i].size <= m[k].size));
    int dst = sent ? s[i].dst : m[k].dst;
    uint64_t size = sent ? s[i].size : m[k].size, found = 0, expected = 0;
    for (; i < n_sends && s[i].dst == dst && s[i].size == size; i++) {
      found += s[i].count;
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
  LIST(sends_t) scratch = {0};
  size_t kept = 0;
  int rc = BERTH_OK;
  berth_order_t *orders = p->orders.items;
  if (p->orders.n > 1) qsort(orders, p->orders.n, sizeof *orders, order_order);
  for (size_t i = 0; i < p->orders.n && !rc; i++) {
    size_t n;
    const berth_message_t *m = find_messages(p, &orders[i], &n);
    if (!array_reserve(&scratch.items, &scratch.cap, orders[i].n_steps + 1, sizeof *scratch.items))
      rc = no_memory(err);
    else if (kept && order_order(&orders[kept - 1], &orders[i]) == 0)
      rc = berth_fail(err, BERTH_BAD_INPUT, "found an order of rank %d in phase %d a second time",
                      orders[i].src, orders[i].phase);
    else {
      size_t sends =
          list_sends(orders[i].steps, orders[i].n_steps, orders[i].rounds, scratch.items);
      rc = compare(&orders[i], scratch.items, sends, m, n, err);
    }
    if (!rc) orders[kept++] = orders[i];
    if (rc == BERTH_BAD_INPUT && p->drop_orders) rc = BERTH_OK;
  }
  if (!rc) p->orders.n = kept;
  free(scratch.items);
  return rc;
}
