/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes placements for single phases of a pattern. All rounds of a collective call count as one.
 * Mappers that see the whole pattern add up its phases, but models take each phase's busiest port.
 * A placement for one phase may therefore be cheaper for the whole pattern. Model flow takes
 * seconds for thousands of ranks, so phases are compared by bound. */
#include "map/map_phases.h"

#include "pattern/phase_find.h"

bool phases_take(const berth_mapper_t *mapper)
{
  return mapper->map == map_multilevel || mapper->map == map_geometric;
}

static bool has_messages(const berth_pattern_t *p, size_t phase)
{
  size_t n;
  (void)berth_pattern_messages(p, phase, &n);
  return n > 0;
}

static bool has_several(const berth_pattern_t *p)
{
  size_t n, with_messages = 0;
  const berth_phase_t *phase = berth_pattern_phases(p, &n);
  for (size_t k = 0; k < n && with_messages < 2; k = pattern_call_end(phase, k, n))
    with_messages += has_messages(p, k);
  return with_messages > 1;
}

static double weight_of(const berth_phase_cost_t *phase, size_t first, size_t end)
{
  double weight = 0;
  for (size_t k = first; k < end; k++) weight += phase[k].repeats * phase[k].cost_s;
  return weight;
}

/* Phases with a smaller share of the cost can't gain anything. */
static const double WORTHWHILE = 0.01;

/* Puts a phase into the list of the most expensive ones, if it belongs there. */
static void rank(size_t k, double weight, size_t phase[PHASES_MAX], double of[PHASES_MAX],
                 size_t *n)
{
  size_t at = *n;
  while (at > 0 && weight > of[at - 1]) at--;
  if (at == PHASES_MAX) return;
  if (*n < PHASES_MAX) ++*n;
  for (size_t i = *n - 1; i > at; i--) {
    phase[i] = phase[i - 1];
    of[i] = of[i - 1];
  }
  phase[at] = k;
  of[at] = weight;
}

int phases_choose(const berth_map_problem_t *problem, berth_cost_t *cost, const int *pu_of_rank,
                  size_t phase[PHASES_MAX], size_t *n, berth_error_t *err)
{
  size_t n_phases;
  double weight[PHASES_MAX];
  berth_cost_result_t r = {0};
  const berth_phase_t *phases = berth_pattern_phases(problem->pattern, &n_phases);
  const berth_map_options_t *o = &problem->options;
  berth_model_t model = o->sum_share >= 1 ? BERTH_MODEL_SUM : o->objective;
  if (model == BERTH_MODEL_FLOW) model = BERTH_MODEL_BOUND;
  *n = 0;
  if (!has_several(problem->pattern)) return BERTH_OK;
  int rc = berth_cost_explain(cost, model, pu_of_rank, 0, &r, err);
  for (size_t k = 0, end; k < n_phases && !rc; k = end) {
    end = pattern_call_end(phases, k, n_phases);
    if (phases[k].by_hosts) continue; /* it has no messages to build for */
    double own = weight_of(r.phases, k, end);
    if (own > WORTHWHILE * r.cost_s) rank(k, own, phase, weight, n);
  }
  berth_cost_result_clear(&r);
  return rc;
}

int phases_place(const berth_map_problem_t *problem, const berth_mapper_t *mapper, size_t phase,
                 int *pu_of_rank, berth_error_t *err)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(problem->pattern, &n);
  berth_map_problem_t quick = *problem;
  const berth_pattern_t *alone =
      pattern_of_phases(problem->pattern, phase, pattern_call_end(phases, phase, n), err);
  if (!alone) return BERTH_MISSING;
  quick.options.quality = BERTH_QUALITY_FAST;
  int rc = map_run_for(&quick, alone, mapper, pu_of_rank, err);
  berth_pattern_of_phase_free(alone);
  return rc;
}
