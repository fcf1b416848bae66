/* SPDX-License-Identifier: BSD-3-Clause */
/* Each operation as agents carry it out (src/agent/process): ranks give what they have to the agent
 * of their host, agents exchange messages, ranks take what they get. The rank that speaks for a
 * host stands for its agent. */
#include <stdlib.h>

#include "schedule/call_block.h"
#include "schedule/two_levels/levels.h"

static void all_take(levels_t *l, const share_t *s)
{
  const share_t bytes = share_of_bytes(s->n * s->element);
  levels_within(l, WITHIN_BCAST, &bytes);
}

static void allreduce(levels_t *l, const share_t *s)
{
  levels_within(l, WITHIN_REDUCE, s);
  if (l->degree) { /* a tree up, and down again */
    levels_between(l, SCHEDULE_REDUCE, s->n, s->element);
    levels_between(l, SCHEDULE_BCAST, s->n, s->element);
  } else {
    levels_between(l, SCHEDULE_ALLREDUCE, s->n, s->element);
  }
  all_take(l, s);
}

/* Agents know all vectors of their host, and add what is before it. */
static void scan(levels_t *l, const share_t *s)
{
  levels_within(l, WITHIN_GATHER, s);
  levels_between(l, SCHEDULE_EXSCAN, s->n, s->element);
  levels_within(l, WITHIN_SCATTER, s);
}

static void allgather(levels_t *l, const share_t *s, schedule_op_t equal)
{
  const share_t all = levels_all(l, s);
  levels_within(l, WITHIN_GATHER, s);
  levels_between_blocks(l, equal, SCHEDULE_ALLGATHERV, s);
  all_take(l, &all);
}

/* What ranks of each pair of hosts, and each rank, send to all others: elements. */
typedef struct sums {
  int64_t *hosts, *out, *in;
} sums_t;

typedef int64_t (*pair_t)(const void *of, int from, int to);

static bool add_up(levels_t *l, pair_t pair, const void *of, sums_t *s)
{
  const schedule_hosts_t *h = l->hosts;
  size_t hosts = (size_t)h->n, ranks = (size_t)l->size;
  s->hosts = calloc(hosts * hosts + 2 * ranks, sizeof *s->hosts);
  if (!s->hosts) return false;
  s->out = s->hosts + hosts * hosts;
  s->in = s->out + ranks;
  for (int from = 0; from < l->size; from++)
    for (int to = 0; to < l->size; to++) {
      int64_t n = pair(of, from, to);
      s->out[from] += n;
      s->in[to] += n;
      s->hosts[(size_t)h->of_rank[from] * hosts + (size_t)h->of_rank[to]] += n;
    }
  return true;
}

/* One message for each pair of hosts, with the blocks of all its pairs of ranks. */
static void exchange(levels_t *l, pair_t pair, const void *of, int64_t element)
{
  sums_t sums;
  if (!add_up(l, pair, of, &sums)) {
    l->lost = true;
    return;
  }
  const share_t out = {element, 0, sums.out}, in = {element, 0, sums.in};
  levels_within(l, WITHIN_GATHER, &out);
  levels_between_sums(l, sums.hosts, element);
  levels_within(l, WITHIN_SCATTER, &in);
  free(sums.hosts);
}

static int64_t pair_of_call(const void *of, int from, int to) { return pair_size(of, from, to); }

/* Each rank gets its share of each other one. */
static int64_t pair_of_shares(const void *of, int from, int to)
{
  (void)from;
  return share_at(of, to);
}

static void reduce_scatter(levels_t *l, const share_t *s)
{
  const share_t all = levels_all(l, s);
  levels_within(l, WITHIN_REDUCE, &all);
  levels_between_blocks(l, SCHEDULE_REDUCE_SCATTER, SCHEDULE_REDUCE_SCATTER, s);
  levels_within(l, WITHIN_SCATTER, s);
}

/* Agents exchange what they can't reduce, or not in the right order; ranks reduce it. */
static void fold(levels_t *l, schedule_op_t op, const share_t *s)
{
  if (op == SCHEDULE_REDUCE)
    levels_gather(l, s, SCHEDULE_GATHER);
  else if (op == SCHEDULE_REDUCE_SCATTER || op == SCHEDULE_REDUCE_SCATTER_BLOCK)
    exchange(l, pair_of_shares, s, s->element);
  else
    allgather(l, s, SCHEDULE_ALLGATHER);
}

void levels_by_agents(levels_t *l, const schedule_request_t *q, const share_t *s)
{
  const schedule_op_t op = q->call.op;
  bool scans = op == SCHEDULE_SCAN || op == SCHEDULE_EXSCAN;
  if (schedule_reduces(op) && (q->user_operation || (scans && !l->in_order))) {
    fold(l, op, s);
    return;
  }
  switch (op) {
  case SCHEDULE_BARRIER:
    levels_within(l, WITHIN_ARRIVE, s);
    levels_between(l, op, 0, 1);
    levels_within(l, WITHIN_RELEASE, s);
    break;
  case SCHEDULE_BCAST:
    levels_between(l, op, s->n * s->element, 1);
    all_take(l, s);
    break;
  case SCHEDULE_REDUCE:
    levels_within(l, WITHIN_REDUCE, s);
    levels_between(l, op, s->n, s->element);
    break;
  case SCHEDULE_ALLREDUCE:
    allreduce(l, s);
    break;
  case SCHEDULE_SCAN:
  case SCHEDULE_EXSCAN:
    scan(l, s);
    break;
  case SCHEDULE_GATHER:
  case SCHEDULE_GATHERV:
    levels_gather(l, s, op);
    break;
  case SCHEDULE_SCATTER:
  case SCHEDULE_SCATTERV:
    levels_scatter(l, s, op);
    break;
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    allgather(l, s, op);
    break;
  case SCHEDULE_ALLTOALL:
    exchange(l, pair_of_shares, s, s->element);
    break;
  case SCHEDULE_ALLTOALLV:
    exchange(l, pair_of_call, &q->call, q->element);
    break;
  default:
    reduce_scatter(l, s);
    break;
  }
}
