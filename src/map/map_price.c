/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates placements with everything that a problem's options ask for. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_internal.h"

/* Seconds of the objective for one of model sum, so that the default order costs the same in both.
 * If its sum is 0, there is no scale, and the result is 1. */
static double seconds_of_sum(map_pricer_t *p, const int *linear)
{
  double sum = berth_cost_evaluate(p->cost, BERTH_MODEL_SUM, linear);
  double cost = berth_cost_evaluate(p->cost, p->problem->options.objective, linear);
  return sum > 0 && cost > 0 ? cost / sum : 1;
}

/* The portfolio's evaluator, unless it is lent or there is none. */
static berth_cost_t *borrow(map_shared_t *shared)
{
  berth_cost_t *cost = NULL;
  if (!shared) return NULL;
#pragma omp critical(berth_shared_cost)
  {
    cost = shared->cost;
    shared->cost = NULL;
  }
  return cost;
}

static void give_back(map_shared_t *shared, berth_cost_t *cost)
{
#pragma omp critical(berth_shared_cost)
  shared->cost = cost;
}

int map_pricer_init(map_pricer_t *p, const berth_map_problem_t *problem, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  berth_error_t local;
  if (!err) err = &local;
  *p = (map_pricer_t){.problem = problem, .cost_share = 1};
  p->cost = borrow(problem->shared);
  p->borrowed = p->cost;
  if (!p->cost) p->cost = berth_cost_new(problem->pattern, problem->topo, err);
  if (!p->cost) return err->code;
  if (problem->shares_cores && berth_sharing_known(problem->pattern, problem->topo, o->objective)) {
    p->sharing = berth_sharing_new(problem->pattern, problem->topo, o->objective, err);
    if (!p->sharing) {
      map_pricer_clear(p);
      return err->code;
    }
  }
  if (o->sum_share <= 0 || o->objective == BERTH_MODEL_SUM) return BERTH_OK;
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof(int);
  int *linear = malloc(bytes), rc = linear ? BERTH_OK : no_memory(err);
  if (!rc) {
    memcpy(linear, problem->linear_pus ? problem->linear_pus : problem->pus, bytes);
    rc = map_keep_pins(problem, linear, err);
  }
  if (!rc) {
    p->cost_share = 1 - o->sum_share;
    p->sum_share = o->sum_share * seconds_of_sum(p, linear);
  }
  free(linear);
  if (rc) map_pricer_clear(p);
  return rc;
}

void map_pricer_clear(map_pricer_t *p)
{
  berth_sharing_free(p->sharing);
  if (p->borrowed)
    give_back(p->problem->shared, p->cost);
  else
    berth_cost_free(p->cost);
  *p = (map_pricer_t){0};
}

/* The part of a price for ranks that aren't where options.from has them. */
static double price_of_moves(const berth_map_problem_t *problem, const int *pu_of_rank)
{
  const berth_map_options_t *o = &problem->options;
  int moved = 0, ranks = berth_pattern_ranks(problem->pattern);
  if (!o->from || o->move_price_s <= 0) return 0;
  for (int r = 0; r < ranks; r++) moved += o->from[r] >= 0 && o->from[r] != pu_of_rank[r];
  return moved * o->move_price_s;
}

int map_pricer_verdict(const map_pricer_t *p, int rc, berth_error_t *err)
{
  return rc || !p->cost ? rc : berth_cost_ran_out(p->cost, err);
}

double map_price(map_pricer_t *p, const int *pu_of_rank)
{
  double price = price_of_moves(p->problem, pu_of_rank);
  if (p->cost_share > 0)
    price +=
        p->cost_share * berth_cost_evaluate(p->cost, p->problem->options.objective, pu_of_rank);
  if (p->sum_share > 0)
    price += p->sum_share * berth_cost_evaluate(p->cost, BERTH_MODEL_SUM, pu_of_rank);
  if (p->sharing) price += berth_sharing_evaluate(p->sharing, pu_of_rank);
  return price;
}
