/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes how much of a pattern's operations estimates don't include. */
#include "cost/coverage.h"

#include <berth/cost.h>
#include <stdio.h>

#include "base/text.h"
#include "cost/cost_put.h"
#include "pattern/dense.h"
#include "pattern/phase_find.h"

static double repeats_of(const berth_pattern_t *p, int phase)
{
  const berth_phase_t *found = pattern_phase(p, phase);
  return found ? (double)found->repeats : 1;
}

static int members_of(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *found = pattern_comm(p, comm);
  return found ? (int)found->n_ranks : berth_pattern_ranks(p);
}

cost_operations_t cost_operations_of_coll(const berth_pattern_t *p, const berth_coll_t *c)
{
  cost_operations_t o = {.ranks = members_of(p, c->comm)};
  o.calls = (double)c->count * repeats_of(p, c->phase);
  if (c->n_shares == 0) o.bytes = o.calls * (double)c->bytes * o.ranks;
  for (size_t i = 0; i < c->n_shares; i++)
    o.bytes += (double)c->shares[i].bytes * (double)c->shares[i].ranks;
  return o;
}

cost_operations_t cost_operations_of_rma(const berth_pattern_t *p, const berth_rma_t *r)
{
  cost_operations_t o = {.ranks = 1};
  double repeats = repeats_of(p, r->phase);
  for (size_t i = 0; i < r->n_msgs; i++) {
    o.calls += repeats * (double)r->msgs[i].count;
    o.bytes += repeats * (double)r->msgs[i].bytes;
  }
  return o;
}

int berth_cost_prices_operation(const char *op)
{
  return text_starts(op, "MPI_Neighbor_") || text_starts(op, "MPI_Ineighbor_");
}

static void add_messages(const berth_pattern_t *p, berth_coverage_t *out)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    if (phases[k].collective) continue;
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++) {
      out->calls += (double)phases[k].repeats * (double)m[i].count;
      out->bytes += (double)phases[k].repeats * (double)m[i].bytes;
    }
  }
}

/* Operations whose messages the pattern has. */
static void add_included(const berth_pattern_t *p, berth_coverage_t *out)
{
  size_t n;
  const berth_coll_t *colls = berth_pattern_colls(p, &n);
  for (size_t i = 0; i < n; i++) {
    if (!colls[i].included) continue;
    cost_operations_t o = cost_operations_of_coll(p, &colls[i]);
    out->included_calls += o.calls * o.ranks;
    out->bytes += o.bytes;
  }
  const berth_rma_t *rmas = berth_pattern_rmas(p, &n);
  for (size_t i = 0; i < n; i++) {
    if (!rmas[i].included) continue;
    cost_operations_t o = cost_operations_of_rma(p, &rmas[i]);
    out->included_calls += o.calls;
    out->bytes += o.bytes;
  }
}

static void leave_out(berth_coverage_t *out, cost_operations_t o)
{
  out->left_out_calls += o.calls * o.ranks;
  out->left_out_bytes += o.bytes;
}

/* The operations that estimates don't include. */
static berth_coverage_t find_left_out(const berth_pattern_t *p)
{
  size_t n;
  berth_coverage_t out = {0};
  const berth_coll_t *colls = berth_pattern_colls(p, &n);
  for (size_t i = 0; i < n; i++)
    if (!colls[i].included && !berth_cost_prices_operation(colls[i].op))
      leave_out(&out, cost_operations_of_coll(p, &colls[i]));
  const berth_rma_t *rmas = berth_pattern_rmas(p, &n);
  for (size_t i = 0; i < n; i++)
    if (!rmas[i].included) leave_out(&out, cost_operations_of_rma(p, &rmas[i]));
  const berth_unmodelled_t *others = berth_pattern_unmodelled(p, &n);
  for (size_t i = 0; i < n; i++) out.unknown_calls += (double)others[i].calls;
  return out;
}

berth_coverage_t berth_cost_coverage(const berth_pattern_t *p)
{
  berth_coverage_t out = find_left_out(p);
  add_messages(p, &out);
  add_included(p, &out);
  out.calls += out.included_calls + out.left_out_calls + out.unknown_calls;
  out.bytes += out.left_out_bytes;
  return out;
}

int berth_cost_leaves_out_operations(const berth_pattern_t *p)
{
  berth_coverage_t c = find_left_out(p);
  return c.left_out_calls + c.unknown_calls > 0;
}

void cost_put_coverage(json_out_t *j, const berth_pattern_t *p)
{
  berth_coverage_t c = berth_cost_coverage(p);
  json_open(j, "not_included", '{', JSON_ONE_LINE);
  json_put_number(j, "calls", c.left_out_calls);
  json_put_number(j, "calls_share", c.calls > 0 ? c.left_out_calls / c.calls : 0);
  json_put_number(j, "bytes", c.left_out_bytes);
  json_put_number(j, "bytes_share", c.bytes > 0 ? c.left_out_bytes / c.bytes : 0);
  json_put_number(j, "unknown_calls", c.unknown_calls);
  json_close(j);
  if (pattern_n_dense(p) == 0) return;
  json_open(j, "counted", '{', JSON_ONE_LINE);
  json_put_u64(j, "phases", pattern_n_dense(p));
  json_put_u64(j, "evenly", pattern_n_shaped(p, DENSE_IN_TURN));
  json_close(j);
}
