/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of placements: costs, intervals, and gains over a reference. */
#include "cost/assess.h"

#include <berth/sharing.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/options.h"
#include "cost/coverage.h"

double assess_gain(double before, double after)
{
  return before > 0 && before != after ? (before - after) / before : 0;
}

static berth_run_gain_t kind_of(const berth_pattern_t *p, const berth_topo_t *t)
{
  if (berth_topo_has_distances(t)) return BERTH_RUN_GAIN_NO_UNIT;
  if (berth_pattern_mpi_share(p) < 0) return BERTH_RUN_GAIN_NO_TIMES;
  if (!berth_cost_leaves_out_operations(p)) return BERTH_RUN_GAIN_KNOWN;
  return berth_cost_coverage(p).unknown_calls > 0 ? BERTH_RUN_GAIN_NO_CALLS : BERTH_RUN_GAIN_LIMIT;
}

static double longest_wall(const berth_pattern_t *p)
{
  double wall = 0;
  for (int r = 0; r < berth_pattern_ranks(p); r++)
    wall = fmax(wall, berth_pattern_rank(p, r)->wall_s);
  return wall;
}

static void find_run_gain(const berth_pattern_t *p, const berth_topo_t *t,
                          const berth_estimate_t *before, berth_estimate_t *e)
{
  double share = berth_pattern_mpi_share(p);
  e->run_gain = 0;
  e->run_gain_kind = kind_of(p, t);
  bool leaves_out =
      e->run_gain_kind == BERTH_RUN_GAIN_LIMIT || e->run_gain_kind == BERTH_RUN_GAIN_NO_CALLS;
  if (e->same && leaves_out) e->run_gain_kind = BERTH_RUN_GAIN_KNOWN; /* it gains nothing */
  if (e->same || e->run_gain_kind > BERTH_RUN_GAIN_LIMIT) return;
  if (e->run_gain_kind == BERTH_RUN_GAIN_LIMIT)
    e->run_gain = fmin(1, share + berth_pattern_unsure_share(p));
  else
    e->run_gain = share * assess_gain(before->cost_s - before->sharing_s, e->cost_s - e->sharing_s);
  e->run_gain += (before->sharing_s - e->sharing_s) / longest_wall(p);
}

static void count_moved(const berth_pattern_t *p, const berth_topo_t *t, const int *from,
                        const int *to, berth_estimate_t *e)
{
  e->moved = e->moved_hosts = 0;
  for (int r = 0; r < berth_pattern_ranks(p); r++) {
    if (from[r] == to[r]) continue;
    e->moved++;
    e->moved_hosts += berth_topo_pu(t, from[r])->host != berth_topo_pu(t, to[r])->host;
  }
}

void assess_compare(const berth_pattern_t *p, const berth_topo_t *t,
                    const berth_estimate_t *reference, const int *reference_pus, const int *pus,
                    berth_estimate_t *e)
{
  e->same = e->moved = e->moved_hosts = 0;
  e->gain = e->run_gain = 0;
  e->run_gain_kind = BERTH_RUN_GAIN_NO_REFERENCE;
  if (reference_pus && pus) {
    count_moved(p, t, reference_pus, pus, e);
    e->same = e->moved == 0;
  }
  if (!reference || reference->cost_s < 0 || e->cost_s < 0) return;
  e->gain = assess_gain(reference->cost_s, e->cost_s);
  find_run_gain(p, t, reference, e);
}

static const berth_assess_options_t defaults = {
    .size = sizeof defaults, .model = BERTH_MODEL_PORT, .intervals = 1};

void berth_assess_options_init(berth_assess_options_t *o, size_t size)
{
  options_init(o, size, &defaults, sizeof defaults);
}

static int find_costs(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                      size_t n, const int *const *pu_of_rank, berth_estimate_t *out,
                      berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  berth_cost_t *evaluator = berth_cost_new(p, t, err);
  berth_sharing_t *sharing = evaluator ? berth_sharing_new(p, t, model, err) : NULL;
  for (size_t i = 0; i < n && sharing; i++) {
    double communication_s = berth_cost_evaluate(evaluator, model, pu_of_rank[i]);
    double sharing_s = berth_sharing_evaluate(sharing, pu_of_rank[i]);
    out[i] = (berth_estimate_t){
        .cost_s = communication_s + sharing_s,
        .sharing_s = sharing_s,
        .interval = {communication_s, 1, communication_s, communication_s},
    };
  }
  int rc = sharing ? berth_cost_ran_out(evaluator, err) : err->code;
  berth_sharing_free(sharing);
  berth_cost_free(evaluator);
  return rc;
}

/* Without intervals the cost itself decides. */
static berth_verdict_t verdict_of(const berth_estimate_t *e, const berth_estimate_t *reference)
{
  double difference = e->interval.value - reference->interval.value;
  if (fabs(difference) <= 1e-9 * reference->interval.value) return BERTH_VERDICT_EQUAL;
  return difference < 0 ? BERTH_VERDICT_CHEAPER : BERTH_VERDICT_DEARER;
}

static int find_intervals(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                          size_t n, const int *const *pu_of_rank, bool has_reference,
                          berth_estimate_t *out, berth_error_t *err)
{
  berth_error_t own;
  berth_uncertainty_t *u = berth_uncertainty_new(p, t, model, n, pu_of_rank, err ? err : &own);
  if (!u) return err ? err->code : own.code;
  for (size_t i = 0; i < n; i++) {
    out[i].interval = berth_uncertainty_cost(u, i);
    if (has_reference) out[i].verdict = berth_uncertainty_compare(u, i, n - 1, NULL);
  }
  berth_uncertainty_free(u);
  return BERTH_OK;
}

int berth_assess(const berth_pattern_t *p, const berth_topo_t *t,
                 const berth_assess_options_t *given, size_t n, const int *const *pu_of_rank,
                 berth_estimate_t *out, berth_error_t *err)
{
  berth_assess_options_t o = defaults;
  int rc = options_take(&o, sizeof o, given, "berth_assess_options_init", err);
  if (rc) return rc;
  bool has_reference = o.reference != NULL;
  size_t all = n + has_reference;
  const int **placement = malloc((n + 1) * sizeof *placement);
  if (!placement) return no_memory(err);
  for (size_t i = 0; i < n; i++) placement[i] = pu_of_rank[i];
  placement[n] = o.reference;
  rc = find_costs(p, t, o.model, all, placement, out, err);
  for (size_t i = 0; i < all && !rc; i++) {
    assess_compare(p, t, has_reference ? &out[n] : NULL, o.reference, placement[i], &out[i]);
    out[i].verdict = has_reference ? verdict_of(&out[i], &out[n]) : BERTH_VERDICT_EQUAL;
  }
  if (!rc && o.intervals && berth_uncertainty_known(t, o.model))
    rc = find_intervals(p, t, o.model, all, placement, has_reference, out, err);
  free(placement);
  return rc;
}
