/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares collective and one-sided operations, which estimates don't include.
 * A change that turns messages into such operations must not count as a gain. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "check/check_internal.h"
#include "cost/coverage.h"
#include "topo/topo_levels.h"

static berth_check_unpriced_t of_coll(const berth_pattern_t *p, const berth_coll_t *c)
{
  cost_operations_t o = cost_operations_of_coll(p, c);
  return (berth_check_unpriced_t){
      .op = c->op, .ranks = o.ranks, .calls = o.calls, .bytes = o.bytes};
}

static berth_check_unpriced_t of_rma(const berth_pattern_t *p, const berth_rma_t *r)
{
  cost_operations_t o = cost_operations_of_rma(p, r);
  return (berth_check_unpriced_t){.op = r->op, .sync = r->sync, .calls = o.calls, .bytes = o.bytes};
}

/* Adds a pattern's operations; `is_was`: the pattern is the baseline. */
static void append(const berth_pattern_t *p, bool is_was, berth_check_t *out)
{
  size_t n_colls, n_rmas, from = out->n_unpriced;
  const berth_coll_t *c = berth_pattern_colls(p, &n_colls);
  const berth_rma_t *r = berth_pattern_rmas(p, &n_rmas);
  for (size_t i = 0; i < n_colls; i++)
    if (!c[i].included && !berth_cost_prices_operation(c[i].op))
      out->unpriced[out->n_unpriced++] = of_coll(p, &c[i]);
  for (size_t i = 0; i < n_rmas; i++)
    if (!r[i].included) out->unpriced[out->n_unpriced++] = of_rma(p, &r[i]);
  for (size_t i = from; i < out->n_unpriced && is_was; i++) {
    berth_check_unpriced_t *u = &out->unpriced[i];
    u->was_calls = u->calls;
    u->was_bytes = u->bytes;
    u->calls = u->bytes = 0;
  }
}

static int by_kind(const void *a, const void *b)
{
  const berth_check_unpriced_t *p = a, *q = b;
  if (!p->sync != !q->sync) return p->sync ? 1 : -1;
  int order = strcmp(p->op, q->op);
  if (!order && p->sync) order = strcmp(p->sync, q->sync);
  return order ? order : (p->ranks > q->ranks) - (p->ranks < q->ranks);
}

static void merge(berth_check_t *out)
{
  size_t kept = 0;
  if (out->n_unpriced) qsort(out->unpriced, out->n_unpriced, sizeof *out->unpriced, by_kind);
  for (size_t i = 0; i < out->n_unpriced; i++) {
    const berth_check_unpriced_t *u = &out->unpriced[i];
    if (!kept || by_kind(&out->unpriced[kept - 1], u) != 0) {
      out->unpriced[kept++] = *u;
      continue;
    }
    berth_check_unpriced_t *sum = &out->unpriced[kept - 1];
    sum->calls += u->calls;
    sum->was_calls += u->was_calls;
    sum->bytes += u->bytes;
    sum->was_bytes += u->was_bytes;
  }
  out->n_unpriced = kept;
}

static int by_change(const void *a, const void *b)
{
  const berth_check_unpriced_t *p = a, *q = b;
  if (p->grew != q->grew) return q->grew - p->grew;
  bool changed = check_unpriced_changed(p), other = check_unpriced_changed(q);
  if (changed != other) return other - changed;
  if (p->bytes != q->bytes) return p->bytes < q->bytes ? 1 : -1;
  if (p->calls != q->calls) return p->calls < q->calls ? 1 : -1;
  return by_kind(a, b);
}

int check_unpriced(const berth_pattern_t *p, const berth_pattern_t *baseline, double tolerance,
                   berth_check_t *out, berth_error_t *err)
{
  size_t n = 0, colls, rmas;
  for (int side = 0; side < 2; side++) {
    if (side && !baseline) break;
    berth_pattern_colls(side ? baseline : p, &colls);
    berth_pattern_rmas(side ? baseline : p, &rmas);
    n += colls + rmas;
  }
  out->unpriced = calloc(n + 1, sizeof *out->unpriced);
  if (!out->unpriced) return no_memory(err);
  append(p, false, out);
  if (baseline) append(baseline, true, out);
  merge(out);
  for (size_t i = 0; i < out->n_unpriced && baseline; i++) {
    berth_check_unpriced_t *u = &out->unpriced[i];
    u->grew = check_grew(u->calls, u->was_calls * (1 + tolerance)) ||
              check_grew(u->bytes, u->was_bytes * (1 + tolerance));
  }
  if (out->n_unpriced) qsort(out->unpriced, out->n_unpriced, sizeof *out->unpriced, by_change);
  return BERTH_OK;
}

void check_unpriced_reason(const berth_topo_t *t, berth_check_t *out, berth_error_t *why)
{
  const berth_check_unpriced_t *u = out->unpriced;
  char calls[TEXT_NUMBER], was_calls[TEXT_NUMBER], bytes[TEXT_NUMBER], was_bytes[TEXT_NUMBER];
  char cost[TEXT_NUMBER], was_cost[TEXT_NUMBER], where[80];
  if (u->sync)
    snprintf(where, sizeof where, "(%.40s)", u->sync);
  else
    snprintf(where, sizeof where, "on %d ranks", u->ranks);
  berth_fail(
      why, BERTH_NO_VERDICT,
      "found %.60s %s %s times with %s, expected at most %s times with %s as in the baseline, "
      "since estimates don't cover such operations; messages alone cost %s, was %s; if the change "
      "is intended, " CHECK_MAKES_NEW,
      u->op, where, text_count(u->calls, calls), text_bytes(u->bytes, bytes),
      text_count(u->was_calls, was_calls), text_bytes(u->was_bytes, was_bytes),
      topo_text_cost(t, out->cost_s, cost), topo_text_cost(t, out->was_cost_s, was_cost));
}
