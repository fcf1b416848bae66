/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates phases with model flow. */
#include "cost/flow/cost_flow.h"

#include <math.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/flow/flow.h"

struct cost_flow {
  flow_plan_t plan;
  flow_net_t net;
  flow_run_t run;
};

void cost_flow_free(struct cost_flow *flow)
{
  if (!flow) return;
  flow_plan_clear(&flow->plan);
  flow_net_clear(&flow->net);
  flow_run_clear(&flow->run);
  free(flow);
}

static int prepare(berth_cost_t *c, berth_error_t *err)
{
  if (c->flow) return BERTH_OK;
  struct cost_flow *flow = calloc(1, sizeof *flow);
  if (!flow) return no_memory(err);
  int rc = flow_plan_make(&flow->plan, c, err);
  if (!rc) rc = flow_net_init(&flow->net, c, err);
  if (rc)
    cost_flow_free(flow);
  else
    c->flow = flow;
  return rc;
}

static int price(berth_cost_t *c, size_t k, const int *pu_of_rank, berth_error_t *err)
{
  if (prepare(c, err)) return BERTH_MISSING;
  struct cost_flow *flow = c->flow;
  const flow_phase_t *phase = &flow->plan.phase[k];
  int rc = flow_net_build(&flow->net, c, &flow->plan, phase, pu_of_rank, err);
  return rc ? rc : flow_run(&flow->run, &flow->net, phase, c->n_resources, FLOW_EXACT, err);
}

double cost_flow_evaluate(berth_cost_t *c, const int *pu_of_rank)
{
  size_t n;
  double cost = 0;
  const berth_phase_t *phases = berth_pattern_phases(c->pattern, &n);
  for (size_t k = 0; k < n; k++) {
    if (price(c, k, pu_of_rank, NULL)) {
      c->ran_out = true;
      return INFINITY;
    }
    cost += (double)phases[k].repeats * c->flow->run.time;
  }
  return cost;
}

/* Whether a rank's sends wait for one another, so that all of them delay the last one. */
static bool is_ordered(const flow_phase_t *phase, int sender)
{
  for (int i = phase->sender[sender].first_item; i < phase->sender[sender + 1].first_item; i++)
    if (phase->item[i].blocking) return true;
  return false;
}

/* Finds the resource that limited the last flow longest. If that flow waited for others of its
 * rank, their times count, too. `held` must be zero. */
static int find_bottleneck(const struct cost_flow *flow, const flow_phase_t *phase, double *held)
{
  const flow_net_t *net = &flow->net;
  int last = 0, best = -1;
  for (int f = 1; f < net->n_flows; f++)
    if (flow->run.end[f] > flow->run.end[last]) last = f;
  for (int i = 0; i < net->n_resources; i++)
    if (best < 0 || net->resource[i] < best) best = net->resource[i];
  if (best < 0) return best;
  int connection = phase->kind[last].connection, end = last + 1;
  int sender = phase->connection[connection].sender;
  if (is_ordered(phase, sender)) {
    last = phase->sender[sender].first_kind;
    end = phase->sender[sender + 1].first_kind;
  }
  for (int u = net->first_use[last]; u < net->first_use[end]; u++) {
    int r = net->limit[net->use[u].limit].resource;
    held[r] += flow->run.held_by[u];
  }
  for (int i = 0; i < net->n_resources; i++) {
    int r = net->resource[i];
    if (held[r] > held[best] || (held[r] == held[best] && r < best)) best = r;
  }
  return best;
}

int cost_flow_explain(berth_cost_t *c, size_t k, const int *pu_of_rank, cost_flow_reasons_t *out,
                      berth_error_t *err)
{
  double *held = calloc((size_t)c->n_resources + 1, sizeof *held);
  int rc = held ? price(c, k, pu_of_rank, err) : no_memory(err);
  if (!rc) {
    const flow_net_t *net = &c->flow->net;
    int r = find_bottleneck(c->flow, &c->flow->plan.phase[k], held);
    *out = (cost_flow_reasons_t){
        c->flow->run.time, r,         r < 0 ? 0 : net->bytes[r], net->n_resources, net->resource,
        c->flow->run.busy, net->bytes};
  }
  free(held);
  return rc;
}
