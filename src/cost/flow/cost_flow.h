/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow for the evaluator: the cost of a phase, and its reasons. */
#ifndef BERTH_COST_FLOW_COST_FLOW_H
#define BERTH_COST_FLOW_COST_FLOW_H

#include "cost/cost_internal.h"

/* The cost of a phase, and its reasons. */
typedef struct cost_flow_reasons {
  double cost;    /* of one occurrence */
  int bottleneck; /* resource; -1: messages cross none */
  double bytes;   /* through the bottleneck */
  int n;          /* resources that messages cross; borrowed until the next call */
  const int *resource;
  const double *busy;    /* by resource: seconds that it limited a flow */
  const double *carried; /* by resource */
} cost_flow_reasons_t;

void cost_flow_free(struct cost_flow *flow);
double cost_flow_evaluate(berth_cost_t *c, const int *pu_of_rank);
int cost_flow_explain(berth_cost_t *c, size_t k, const int *pu_of_rank, cost_flow_reasons_t *out,
                      berth_error_t *err);

#endif
