/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of model flow share. */
#ifndef BERTH_TESTS_FLOW_COMMON_H
#define BERTH_TESTS_FLOW_COMMON_H

#include <berth/cost.h>

#include "harness.h"

enum { RANKS = 8 };

static inline double cost_of(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                             const int *pu_of_rank)
{
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double cost = berth_cost_evaluate(c, model, pu_of_rank);
  berth_cost_free(c);
  return cost;
}

#endif
