/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates phases with model flow. */
#include "cost/flow/cost_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cost/dense/cost_dense.h"
#include "cost/flow/flow.h"

struct cost_flow {
  flow_plan_t plan;
  flow_net_t net;
  flow_run_t run;
  const flow_chain_t *running; /* in `run`, under the placement here; NULL: none */
  int *pu_of_rank;
  int members; /* how many of its members are over */
  /* What a member's messages cross, and by resource its bytes in one round. */
  int *crossed;
  double *carried;
  /* The last chain whose share was asked for, and its placement. */
  const flow_chain_t *shared;
  int *shared_pus;
  double share;
};

void cost_flow_free(struct cost_flow *flow)
{
  if (!flow) return;
  flow_plan_clear(&flow->plan);
  flow_net_clear(&flow->net);
  flow_run_clear(&flow->run);
  free(flow->pu_of_rank);
  free(flow->shared_pus);
  free(flow->carried);
  free(flow->crossed);
  free(flow);
}

static int allocate(struct cost_flow *flow, const berth_cost_t *c, berth_error_t *err)
{
  size_t resources = (size_t)c->n_resources + 1;
  flow->pu_of_rank = malloc((size_t)berth_pattern_ranks(c->pattern) * sizeof(int));
  flow->shared_pus = malloc((size_t)berth_pattern_ranks(c->pattern) * sizeof(int));
  flow->carried = calloc(resources, sizeof *flow->carried);
  flow->crossed = malloc(resources * sizeof *flow->crossed);
  bool enough = flow->pu_of_rank && flow->shared_pus && flow->carried && flow->crossed;
  return enough ? BERTH_OK : no_memory(err);
}

static int prepare(berth_cost_t *c, berth_error_t *err)
{
  if (c->flow) return BERTH_OK;
  struct cost_flow *flow = calloc(1, sizeof *flow);
  if (!flow) return no_memory(err);
  int rc = allocate(flow, c, err);
  if (!rc) rc = flow_plan_make(&flow->plan, c, err);
  if (!rc) rc = flow_net_init(&flow->net, c, err);
  if (rc)
    cost_flow_free(flow);
  else
    c->flow = flow;
  return rc;
}

/* Begins with a chain and simulates it up to a member, unless it is there already. */
static int begin(berth_cost_t *c, const flow_chain_t *chain, int member, const int *pu_of_rank,
                 berth_error_t *err)
{
  struct cost_flow *flow = c->flow;
  size_t size = (size_t)berth_pattern_ranks(c->pattern) * sizeof *pu_of_rank;
  if (flow->running == chain && member > 0 && member == flow->members &&
      memcmp(flow->pu_of_rank, pu_of_rank, size) == 0)
    return BERTH_OK;
  flow->running = NULL;
  if (flow_net_build(&flow->net, c, &flow->plan, chain, pu_of_rank, err) ||
      flow_start(&flow->run, &flow->net, chain, c->n_resources, err))
    return BERTH_MISSING;
  flow->running = chain;
  memcpy(flow->pu_of_rank, pu_of_rank, size);
  flow_continue(&flow->run, &flow->net, chain, c->n_resources, member, FLOW_EXACT);
  flow->members = member;
  return BERTH_OK;
}

/* The time of one occurrence of a chain's member: what it adds to that of the members before. */
static int time_of(berth_cost_t *c, const flow_chain_t *chain, int member, const int *pu_of_rank,
                   double *time, berth_error_t *err)
{
  struct cost_flow *flow = c->flow;
  if (begin(c, chain, member, pu_of_rank, err)) return BERTH_MISSING;
  double before = member ? flow->run.time : 0;
  flow_continue(&flow->run, &flow->net, chain, c->n_resources, member + 1, FLOW_EXACT);
  flow->members = member + 1;
  *time = (flow->run.time - before) / chain->member[member].rounds;
  return BERTH_OK;
}

/* The cost of a phase whose loops are cut short, extrapolated from chains with 4, 8, 16, … rounds.
 * The last two guesses agree if the loops have settled down. *time is that of the last chain. */
static int extrapolate(berth_cost_t *c, const flow_chain_t *finest, const int *pu_of_rank,
                       double *time, double *cost, berth_error_t *err)
{
  const double close = 0.01;
  const flow_chain_t *level[FLOW_LEVELS];
  int n = 0, guesses = 0;
  double last = 0;
  for (const flow_chain_t *chain = finest; chain; chain = chain->coarser) level[n++] = chain;
  if (time_of(c, level[--n], 0, pu_of_rank, &last, err)) return BERTH_MISSING;
  *time = *cost = last;
  while (n > 0) {
    const flow_chain_t *chain = level[--n];
    double guess = *cost;
    if (time_of(c, chain, 0, pu_of_rank, time, err)) return BERTH_MISSING;
    *cost = fmax(*time - chain->excess * (last - *time), c->flow->net.max);
    last = *time;
    if (guesses++ > 0 && fabs(*cost - guess) <= close * *cost) break;
  }
  return BERTH_OK;
}

/* The cost of one occurrence of a chain's phase. No limit can do its work in less than net.max.
 * *time is what was simulated for it. */
static int cost_of(berth_cost_t *c, const flow_chain_t *chain, int member, const int *pu_of_rank,
                   double *time, double *cost, berth_error_t *err)
{
  if (chain->coarser) return extrapolate(c, chain, pu_of_rank, time, cost, err);
  int rc = time_of(c, chain, member, pu_of_rank, time, err);
  *cost = *time;
  return rc;
}

/* By how much calls are faster that a phase's programs play than by themselves, because they run
 * beside other messages and calls. Together with the phase without them, they cost what the
 * programs take. */
static int find_share(berth_cost_t *c, size_t chain_number, const int *pu_of_rank, double *share,
                      berth_error_t *err)
{
  size_t n, ranks = (size_t)berth_pattern_ranks(c->pattern);
  double time, all, alone, cost, calls = 0;
  struct cost_flow *flow = c->flow;
  const flow_plan_t *plan = &flow->plan;
  const flow_chain_t *chain = &plan->chain[chain_number];
  const berth_phase_t *phase = berth_pattern_phases(c->pattern, &n);
  if (flow->shared == chain && memcmp(flow->shared_pus, pu_of_rank, ranks * sizeof(int)) == 0)
    return *share = flow->share, BERTH_OK;
  if (cost_of(c, chain, 0, pu_of_rank, &time, &all, err) ||
      cost_of(c, chain->alone, 0, pu_of_rank, &time, &alone, err))
    return BERTH_MISSING;
  for (size_t k = 0; k < n; k++) {
    const flow_chain_t *of = &plan->chain[plan->chain_of_phase[k]];
    if (plan->played_by[k] != chain_number + 1) continue;
    if (cost_of(c, of, (int)(k - of->first_phase), pu_of_rank, &time, &cost, err))
      return BERTH_MISSING;
    calls += (double)phase[k].repeats * cost;
  }
  double added = (double)phase[chain->first_phase].repeats * (all - alone);
  *share = calls > 0 && added > 0 ? added / calls : 0;
  flow->shared = chain;
  flow->share = *share;
  memcpy(flow->shared_pus, pu_of_rank, ranks * sizeof(int));
  return BERTH_OK;
}

/* The cost of one occurrence of a phase. *scale is the cost divided by the time of the chain that
 * was played last. */
static int price(berth_cost_t *c, size_t k, const int *pu_of_rank, double *cost, double *scale,
                 berth_error_t *err)
{
  double time, all = INFINITY, share = 1;
  if (prepare(c, err)) return BERTH_MISSING;
  const flow_plan_t *plan = &c->flow->plan;
  const flow_chain_t *chain = &plan->chain[plan->chain_of_phase[k]];
  if (plan->played_by[k] && find_share(c, plan->played_by[k] - 1, pu_of_rank, &share, err))
    return BERTH_MISSING;
  if (chain->alone && cost_of(c, chain, 0, pu_of_rank, &time, &all, err)) return BERTH_MISSING;
  if (chain->alone) chain = chain->alone;
  if (cost_of(c, chain, (int)(k - chain->first_phase), pu_of_rank, &time, cost, err))
    return BERTH_MISSING;
  *cost = fmin(share * *cost, all);
  *scale = time > 0 ? *cost / time : 1;
  return BERTH_OK;
}

/* The cost of a phase, with the calls that its programs play; 0 for the phases of these. */
static int price_whole(berth_cost_t *c, size_t k, const int *pu_of_rank, double *cost)
{
  double time;
  if (prepare(c, NULL)) return BERTH_MISSING;
  const flow_plan_t *plan = &c->flow->plan;
  const flow_chain_t *chain = &plan->chain[plan->chain_of_phase[k]];
  *cost = 0;
  if (plan->played_by[k]) return BERTH_OK;
  return cost_of(c, chain, (int)(k - chain->first_phase), pu_of_rank, &time, cost, NULL);
}

double cost_flow_evaluate(berth_cost_t *c, const int *pu_of_rank)
{
  size_t n;
  double sum = 0, cost;
  const berth_phase_t *phases = berth_pattern_phases(c->pattern, &n);
  for (size_t k = 0; k < n; k++) {
    if (cost_is_counted(c, k)) {
      sum += c->phase[k].repeats * cost_price_phase(c, BERTH_MODEL_PORT, k, pu_of_rank);
      continue;
    }
    if (price_whole(c, k, pu_of_rank, &cost)) {
      no_memory(&c->failed);
      return INFINITY;
    }
    sum += (double)phases[k].repeats * cost;
  }
  return sum;
}

/* Whether a rank's sends wait for one another, so that all of them delay the last one. */
static bool is_ordered(const flow_chain_t *chain, int sender)
{
  for (int i = chain->sender[sender].first_item; i < chain->sender[sender + 1].first_item; i++)
    if (chain->item[i].blocking || chain->item[i].kind < 0) return true;
  return false;
}

static void count(struct cost_flow *flow, int resource, double bytes, int *n)
{
  if (flow->carried[resource] < 0) {
    flow->crossed[(*n)++] = resource;
    flow->carried[resource] = 0;
  }
  flow->carried[resource] += bytes;
}

/* Finds what a member's messages cross, with how many bytes in one round, and what else limits
 * them. */
static int count_bytes(struct cost_flow *flow, const flow_chain_t *chain, int member)
{
  const flow_net_t *net = &flow->net;
  int n = 0;
  for (int i = 0; i < net->n_resources; i++) flow->carried[net->resource[i]] = -1;
  for (int k = chain->member[member].first_kind; k < chain->member[member + 1].first_kind; k++) {
    int f = chain->kind_of_member[k];
    double bytes = chain->kind[f].bytes > 0 ? net->total[f] / chain->member[member].rounds : 0;
    for (size_t i = net->first_path[f]; i < net->first_path[f + 1]; i++)
      count(flow, net->path[i], bytes, &n);
    for (int u = net->first_use[f]; u < net->first_use[f + 1]; u++)
      count(flow, net->limit[net->use[u].limit].resource, 0, &n);
  }
  for (int i = 0; i < n; i++) flow->run.busy[flow->crossed[i]] /= chain->member[member].rounds;
  return n;
}

/* Finds the resource that limited the member's last flow longest. If that flow waited for others of
 * its rank, their times count, too. `held` must be zero. */
static int find_bottleneck(const struct cost_flow *flow, const flow_chain_t *chain, int member,
                           int n_crossed, double *held)
{
  const flow_net_t *net = &flow->net;
  int last = -1, best = -1;
  for (int k = chain->member[member].first_kind; k < chain->member[member + 1].first_kind; k++) {
    int f = chain->kind_of_member[k];
    if (chain->kind[f].volume == 0) continue;
    if (last < 0 || flow->run.end[f] > flow->run.end[last]) last = f;
  }
  for (int i = 0; i < n_crossed; i++)
    if (best < 0 || flow->crossed[i] < best) best = flow->crossed[i];
  if (best < 0) return best;
  int end = last + 1, sender = chain->connection[chain->kind[last].connection].sender;
  if (is_ordered(chain, sender)) {
    last = chain->sender[sender].first_kind;
    end = chain->sender[sender + 1].first_kind;
  }
  for (int u = net->first_use[last]; u < net->first_use[end]; u++) {
    int r = net->limit[net->use[u].limit].resource;
    held[r] += flow->run.held_by[u];
  }
  for (int i = 0; i < n_crossed; i++) {
    int r = flow->crossed[i];
    if (held[r] > held[best] || (held[r] == held[best] && r < best)) best = r;
  }
  return best;
}

int cost_flow_explain(berth_cost_t *c, size_t k, const int *pu_of_rank, cost_flow_reasons_t *out,
                      berth_error_t *err)
{
  double cost = 0, scale = 1, *held = calloc((size_t)c->n_resources + 1, sizeof *held);
  int rc = held ? price(c, k, pu_of_rank, &cost, &scale, err) : no_memory(err);
  if (!rc) {
    struct cost_flow *flow = c->flow;
    const flow_chain_t *chain = flow->running; /* the one that `price` played last */
    int member = (int)(k - chain->first_phase), n = count_bytes(flow, chain, member);
    for (int i = 0; i < n; i++) flow->run.busy[flow->crossed[i]] *= scale;
    int r = find_bottleneck(flow, chain, member, n, held);
    *out = (cost_flow_reasons_t){
        cost, r, r < 0 ? 0 : flow->carried[r], n, flow->crossed, flow->run.busy, flow->carried};
  }
  free(held);
  return rc;
}
