/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates placements: costs, intervals, and gains over a reference. */
#include <berth/assess.h>
#include <berth/packing.h>
#include <berth/sharing.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/options.h"
#include "cost/cost_check.h"
#include "cost/coverage.h"
#include "cost/recorded_run.h"

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

/* Widens the interval of the gain of the run by what follows if communication takes `ratio` times
 * as long as in the reference. If the estimate is above the recorded time in MPI, the run takes
 * that much longer here. */
static void widen_run_gain(const berth_pattern_t *p, const berth_estimate_t *before, double ratio,
                           berth_estimate_t *e)
{
  double share = berth_pattern_mpi_share(p), wall = recorded_run_s(p);
  double communication = before->cost_s - before->sharing_s, in_mpi = share * wall;
  double run = wall - in_mpi + fmax(in_mpi, communication);
  double by_share = (1 - ratio) * share, by_time = (1 - ratio) * communication / run;
  double sharing = (before->sharing_s - e->sharing_s) / longest_wall(p);
  e->run_gain_low = fmin(e->run_gain_low, fmin(by_share, by_time) + sharing);
  e->run_gain_high = fmax(e->run_gain_high, fmax(by_share, by_time) + sharing);
}

static void find_run_gain(const berth_pattern_t *p, const berth_topo_t *t,
                          const berth_estimate_t *before, berth_estimate_t *e)
{
  double share = berth_pattern_mpi_share(p);
  double from = before->cost_s - before->sharing_s, to = e->cost_s - e->sharing_s;
  e->run_gain_kind = kind_of(p, t);
  bool leaves_out =
      e->run_gain_kind == BERTH_RUN_GAIN_LIMIT || e->run_gain_kind == BERTH_RUN_GAIN_NO_CALLS;
  if (e->same && leaves_out) e->run_gain_kind = BERTH_RUN_GAIN_KNOWN; /* equal: no gain */
  if (e->same || e->run_gain_kind > BERTH_RUN_GAIN_LIMIT) return;
  bool known = e->run_gain_kind == BERTH_RUN_GAIN_KNOWN;
  e->run_gain =
      known ? share * assess_gain(from, to) : fmin(1, share + berth_pattern_unsure_share(p));
  e->run_gain += (before->sharing_s - e->sharing_s) / longest_wall(p);
  if (!known) return;
  e->run_gain_low = e->run_gain_high = e->run_gain;
  widen_run_gain(p, before, from > 0 ? to / from : 1, e);
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

/* Compares *e with *reference: fills everything but its times, interval and verdict. */
static void compare(const berth_pattern_t *p, const berth_topo_t *t,
                    const berth_estimate_t *reference, const int *reference_pus, const int *pus,
                    berth_estimate_t *e)
{
  e->same = e->moved = e->moved_hosts = 0;
  e->gain = e->run_gain = e->run_gain_low = e->run_gain_high = 0;
  e->run_gain_kind = BERTH_RUN_GAIN_NO_REFERENCE;
  if (reference_pus) {
    count_moved(p, t, reference_pus, pus, e);
    e->same = e->moved == 0;
  }
  if (reference->cost_s < 0) return;
  e->gain = assess_gain(reference->cost_s, e->cost_s);
  find_run_gain(p, t, reference, e);
}

static const berth_assess_options_t defaults = {
    .size = sizeof defaults, .model = BERTH_MODEL_PORT, .intervals = 1, .max_pairs = 10};

void berth_assess_options_init(berth_assess_options_t *o, size_t size)
{
  options_init(o, size, &defaults, sizeof defaults);
}

struct berth_assessment {
  const berth_pattern_t *pattern;
  const berth_topo_t *topo;
  berth_assess_options_t options;
  size_t n, all;               /* placements, without and with a reference that isn't among them */
  size_t reference;            /* its index in all, n if there is none */
  const int **placement;       /* all of them; borrowed during berth_assessment_new only */
  berth_estimate_t *estimate;  /* n + 1 */
  berth_cost_result_t *reason; /* n, or NULL */
  berth_uncertainty_t *uncertainty;
  berth_packing_t *packing;
};

/* Evaluates the communication of placement i, with reasons if requested. */
static int find_cost(berth_assessment_t *a, berth_cost_t *evaluator, size_t i, double *out,
                     berth_error_t *err)
{
  berth_model_t model = a->options.model;
  if (a->reason && i < a->n) {
    int rc = berth_cost_explain(evaluator, model, a->placement[i], a->options.max_pairs,
                                &a->reason[i], err);
    *out = a->reason[i].cost_s;
    return rc;
  }
  *out = berth_cost_evaluate(evaluator, model, a->placement[i]);
  return berth_cost_ran_out(evaluator, err);
}

/* Finds whether the reference is one of the placements, which need no second estimate. */
static void find_reference(berth_assessment_t *a)
{
  a->reference = 0;
  while (a->reference < a->n && a->placement[a->reference] != a->options.reference) a->reference++;
  a->all = a->n + (a->reference == a->n && a->options.reference);
}

static int find_costs(berth_assessment_t *a, berth_error_t *err)
{
  berth_model_t model = a->options.model;
  berth_cost_t *own = a->options.evaluator ? NULL : berth_cost_new(a->pattern, a->topo, err);
  berth_cost_t *evaluator = own ? own : a->options.evaluator;
  berth_sharing_t *sharing = evaluator ? berth_sharing_new(a->pattern, a->topo, model, err) : NULL;
  a->packing = sharing ? berth_packing_new(a->pattern, a->topo, model, err) : NULL;
  int rc = a->packing ? BERTH_OK : err->code;
  for (size_t i = 0; i < a->all && !rc; i++) {
    double communication_s;
    rc = find_cost(a, evaluator, i, &communication_s, err);
    double sharing_s = berth_sharing_evaluate(sharing, a->placement[i]);
    double packing_s = berth_packing_evaluate(a->packing, a->placement[i]);
    a->estimate[i] = (berth_estimate_t){
        .cost_s = fmax(0, communication_s + packing_s) + sharing_s,
        .packing_s = packing_s,
        .sharing_s = sharing_s,
        .interval = {communication_s, 1, communication_s, communication_s},
    };
  }
  a->estimate[a->n] = a->estimate[a->reference];
  berth_sharing_free(sharing);
  berth_cost_free(own);
  return rc;
}

/* Without intervals, the costs decide. */
static berth_verdict_t verdict_of(const berth_estimate_t *e, const berth_estimate_t *reference)
{
  double difference = e->interval.value - reference->interval.value;
  if (reference->cost_s < 0 || fabs(difference) <= 1e-9 * reference->interval.value)
    return BERTH_VERDICT_EQUAL;
  return difference < 0 ? BERTH_VERDICT_CHEAPER : BERTH_VERDICT_MORE_EXPENSIVE;
}

static void compare_all(berth_assessment_t *a)
{
  const berth_estimate_t *reference = &a->estimate[a->n];
  for (size_t i = 0; i < a->all; i++) {
    berth_estimate_t *e = &a->estimate[i];
    compare(a->pattern, a->topo, reference, a->options.reference, a->placement[i], e);
    e->verdict = verdict_of(e, reference);
  }
}

/* The ratio of communication to the reference's, packing included, of that without packing. */
static double with_packing(const berth_estimate_t *before, const berth_estimate_t *e, double ratio)
{
  double all = before->cost_s - before->sharing_s, messages = all - before->packing_s;
  bool packs = before->packing_s != 0 || e->packing_s != 0;
  return packs && all > 0 ? (ratio * messages + e->packing_s) / all : ratio;
}

static int find_intervals(berth_assessment_t *a, berth_error_t *err)
{
  const berth_assess_options_t *o = &a->options;
  if (!o->intervals || !berth_uncertainty_known(a->topo, o->model)) return BERTH_OK;
  berth_uncertainty_t *u =
      berth_uncertainty_new(a->pattern, a->topo, o->model, a->all, a->placement, err);
  if (!u) return err->code;
  a->uncertainty = u;
  for (size_t i = 0; i < a->all; i++) {
    berth_interval_t ratio;
    berth_estimate_t *e = &a->estimate[i];
    e->interval = berth_uncertainty_cost(u, i);
    if (!o->reference) continue;
    e->verdict = berth_uncertainty_compare(u, i, a->reference, &ratio);
    if (e->same || e->run_gain_kind != BERTH_RUN_GAIN_KNOWN) continue;
    const berth_estimate_t *before = &a->estimate[a->n];
    widen_run_gain(a->pattern, before, with_packing(before, e, ratio.low), e);
    widen_run_gain(a->pattern, before, with_packing(before, e, ratio.high), e);
  }
  a->estimate[a->n] = a->estimate[a->reference];
  return BERTH_OK;
}

static int work_out(berth_assessment_t *a, const int *const *pu_of_rank, berth_error_t *err)
{
  a->placement = malloc((a->n + 1) * sizeof *a->placement);
  a->estimate = calloc(a->n + 1, sizeof *a->estimate);
  a->reason = a->options.reasons ? calloc(a->n + 1, sizeof *a->reason) : NULL;
  if (!a->placement || !a->estimate || (a->options.reasons && !a->reason)) return no_memory(err);
  for (size_t i = 0; i < a->n; i++) a->placement[i] = pu_of_rank[i];
  a->placement[a->n] = a->options.reference;
  find_reference(a);
  a->estimate[a->n].cost_s = -1;
  int rc = find_costs(a, err);
  if (rc) return rc;
  compare_all(a);
  return find_intervals(a, err);
}

berth_assessment_t *berth_assessment_new(const berth_pattern_t *p, const berth_topo_t *t,
                                         const berth_assess_options_t *given, size_t n,
                                         const int *const *pu_of_rank, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  berth_assess_options_t o = defaults;
  if (options_take(&o, sizeof o, given, "berth_assess_options_init", err)) return NULL;
  int wrong = cost_check_model(o.model, "model", err);
  for (size_t i = 0; i < n && !wrong; i++) wrong = cost_check_placement(p, t, pu_of_rank[i], err);
  if (!wrong && o.reference) wrong = cost_check_placement(p, t, o.reference, err);
  berth_assessment_t *a = wrong ? NULL : calloc(1, sizeof *a);
  if (!a) return wrong ? NULL : no_memory_null(err);
  *a = (berth_assessment_t){.pattern = p, .topo = t, .options = o, .n = n};
  int rc = work_out(a, pu_of_rank, err);
  free(a->placement);
  a->placement = NULL;
  if (!rc) return a;
  berth_assessment_free(a);
  return NULL;
}

void berth_assessment_free(berth_assessment_t *a)
{
  if (!a) return;
  for (size_t i = 0; a->reason && i < a->n; i++) berth_cost_result_clear(&a->reason[i]);
  berth_uncertainty_free(a->uncertainty);
  berth_packing_free(a->packing);
  free(a->reason);
  free(a->estimate);
  free(a);
}

size_t berth_assessment_n(const berth_assessment_t *a) { return a->n; }

const berth_estimate_t *berth_assessment_estimate(const berth_assessment_t *a, size_t i)
{
  return &a->estimate[i];
}

double berth_assessment_explained(const berth_assessment_t *a, size_t i)
{
  const berth_estimate_t *e = &a->estimate[i];
  double share = berth_pattern_mpi_share(a->pattern);
  if (!(share > 0) || e->cost_s < 0 || berth_topo_has_distances(a->topo)) return -1;
  return (e->cost_s - e->sharing_s) / (share * recorded_run_s(a->pattern));
}

const berth_cost_result_t *berth_assessment_reasons(const berth_assessment_t *a, size_t i)
{
  return a->reason ? &a->reason[i] : NULL;
}

const berth_uncertainty_t *berth_assessment_uncertainty(const berth_assessment_t *a)
{
  return a->uncertainty;
}

const berth_packing_t *berth_assessment_packing(const berth_assessment_t *a) { return a->packing; }

int berth_assess(const berth_pattern_t *p, const berth_topo_t *t,
                 const berth_assess_options_t *given, size_t n, const int *const *pu_of_rank,
                 berth_estimate_t *out, berth_error_t *err)
{
  berth_error_t own;
  berth_assessment_t *a = berth_assessment_new(p, t, given, n, pu_of_rank, err ? err : &own);
  if (!a) return err ? err->code : own.code;
  memcpy(out, a->estimate, (n + (a->options.reference != NULL)) * sizeof *out);
  berth_assessment_free(a);
  return BERTH_OK;
}
