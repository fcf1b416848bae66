/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements for single phases, and what they cost for the whole pattern. */
#include <berth/map.h>
#include <berth/sharing.h>
#include <stdlib.h>

#include "base/no_memory.h"

/* Evaluators of the whole pattern. */
typedef struct whole {
  berth_cost_t *cost;
  berth_sharing_t *sharing;
} whole_t;

/* Maps for the phase that `problem` has as its pattern. */
static int find_one(const berth_map_problem_t *problem, const berth_mapper_t *mapper,
                    const whole_t *whole, int *pu_of_rank, berth_alone_t *out, berth_error_t *err)
{
  berth_model_t model = problem->options.objective;
  int rc = berth_map_run(problem, mapper, pu_of_rank, &out->algorithm, err);
  if (rc) return rc;
  berth_cost_t *evaluator = berth_cost_new(problem->pattern, problem->topo, err);
  if (!evaluator) return err->code;
  out->cost_s = berth_cost_evaluate(evaluator, model, pu_of_rank);
  rc = berth_cost_ran_out(evaluator, err);
  berth_cost_free(evaluator);
  out->pattern_cost_s = berth_cost_evaluate(whole->cost, model, pu_of_rank) +
                        berth_sharing_evaluate(whole->sharing, pu_of_rank);
  return rc ? rc : berth_cost_ran_out(whole->cost, err);
}

int berth_map_alone(const berth_map_problem_t *problem, const berth_mapper_t *mapper, size_t n,
                    const size_t *phase, void (*begins)(void *context, size_t i), void *context,
                    berth_alone_t *out, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  berth_map_problem_t one = *problem;
  whole_t whole = {berth_cost_new(problem->pattern, problem->topo, err), NULL};
  if (whole.cost)
    whole.sharing =
        berth_sharing_new(problem->pattern, problem->topo, problem->options.objective, err);
  int rc = whole.sharing ? BERTH_OK : err->code;
  int *pus = malloc((size_t)berth_pattern_ranks(problem->pattern) * sizeof *pus);
  if (!rc && !pus) rc = no_memory(err);
  for (size_t i = 0; i < n && !rc; i++) {
    if (begins) begins(context, i);
    one.pattern = berth_pattern_of_phase(problem->pattern, phase[i], err);
    rc = one.pattern ? find_one(&one, mapper, &whole, pus, &out[i], err) : BERTH_MISSING;
    berth_pattern_of_phase_free(one.pattern);
  }
  free(pus);
  berth_sharing_free(whole.sharing);
  berth_cost_free(whole.cost);
  return rc;
}
