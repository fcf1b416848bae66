/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow as the evaluator calls it. */
#ifndef BERTH_COST_FLOW_COST_FLOW_H
#define BERTH_COST_FLOW_COST_FLOW_H

#include "cost/cost_internal.h"

/* What a phase costs, and why. */
typedef struct cost_flow_reasons {
  double cost;    /* of one occurrence of the phase */
  int bottleneck; /* -1 when no message crosses a resource */
  double bytes;   /* through the bottleneck */
  int n;          /* resources that messages cross; borrowed until the next call */
  const int *resource;
  const double *busy;    /* of every resource: seconds that it held a flow back */
  const double *carried; /* of every resource: bytes */
} cost_flow_reasons_t;

void cost_flow_free(struct cost_flow *flow);
double cost_flow_evaluate(berth_cost_t *c, const int *pu_of_rank);
int cost_flow_explain(berth_cost_t *c, size_t k, const int *pu_of_rank, cost_flow_reasons_t *out,
                      berth_error_t *err);

#endif
