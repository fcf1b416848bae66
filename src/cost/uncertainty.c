/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes intervals of costs from the errors of measured numbers. */
#include <berth/sharing.h>
#include <berth/uncertainty.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "topo/topo_shift.h"

struct berth_uncertainty {
  size_t n, n_numbers, n_unknown;
  bool *unknown; /* by number: its spread is unknown */
  double model_error;
  double *cost;    /* by placement */
  double *sharing; /* the part of it for shared cores */
  double *effect;  /* [2 * number + up][placement]: ln(cost with the number shifted / cost) */
};

/* Relative differences below this are due to the order of sums. */
static const double rounding = 1e-9;

/* Evaluates all placements. sharing[] has the costs of shared cores, which don't depend on ports.
 * BERTH_BAD_INPUT if times overflow a double. */
static int price(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model, size_t n,
                 const int *const *pu_of_rank, const double *sharing, double *cost,
                 berth_error_t *err)
{
  berth_error_t why = {0};
  berth_cost_t *evaluator = berth_cost_new(p, t, &why);
  if (!evaluator) return berth_fail(err, why.code, "%s", why.text);
  for (size_t i = 0; i < n; i++)
    cost[i] = berth_cost_evaluate(evaluator, model, pu_of_rank[i]) + sharing[i];
  int rc = berth_cost_ran_out(evaluator, err);
  berth_cost_free(evaluator);
  return rc;
}

static int price_sharing(berth_uncertainty_t *u, const berth_pattern_t *p, const berth_topo_t *t,
                         berth_model_t model, const int *const *pu_of_rank, berth_error_t *err)
{
  berth_error_t why = {0};
  berth_sharing_t *sharing = berth_sharing_new(p, t, model, &why);
  if (!sharing) return berth_fail(err, why.code, "%s", why.text);
  for (size_t i = 0; i < u->n; i++) u->sharing[i] = berth_sharing_evaluate(sharing, pu_of_rank[i]);
  berth_sharing_free(sharing);
  return BERTH_OK;
}

/* A cost of 0 is 0 at any bandwidth. */
static double log_ratio(double a, double b)
{
  if (a == b) return 0;
  double ratio = log(a / b);
  return isnan(ratio) ? INFINITY : ratio;
}

static int price_shifted(berth_uncertainty_t *u, const berth_pattern_t *p, berth_model_t model,
                         topo_shift_t *shift, const int *const *pu_of_rank, berth_error_t *err)
{
  for (size_t k = 0; k < 2 * u->n_numbers; k++) {
    double *effect = u->effect + k * u->n;
    const berth_topo_t *shifted = topo_shift(shift, k / 2, k % 2);
    int rc = price(p, shifted, model, u->n, pu_of_rank, u->sharing, effect, err);
    if (rc == BERTH_MISSING) return rc;
    for (size_t i = 0; rc && i < u->n; i++) effect[i] = INFINITY;
    for (size_t i = 0; i < u->n; i++) effect[i] = log_ratio(effect[i], u->cost[i]);
  }
  return BERTH_OK;
}

berth_uncertainty_t *berth_uncertainty_new(const berth_pattern_t *p, const berth_topo_t *t,
                                           berth_model_t model, size_t n,
                                           const int *const *pu_of_rank, berth_error_t *err)
{
  berth_uncertainty_t *u = calloc(1, sizeof *u);
  topo_shift_t *shift = topo_shift_new(t, err);
  if (u && shift) {
    u->n = n;
    u->n_numbers = topo_shift_count(shift);
    u->model_error = berth_topo_model_error(t, berth_model_name(model));
    u->cost = calloc(n + 1, sizeof *u->cost);
    u->sharing = calloc(n + 1, sizeof *u->sharing);
    u->effect = calloc(2 * u->n_numbers * n + 1, sizeof *u->effect);
    u->unknown = calloc(u->n_numbers + 1, sizeof *u->unknown);
  }
  bool memory = u && shift && u->cost && u->sharing && u->effect && u->unknown;
  int rc = memory ? BERTH_OK : no_memory(err);
  for (size_t k = 0; !rc && k < u->n_numbers; k++)
    u->n_unknown += u->unknown[k] = !topo_shift_is_known(shift, k);
  if (!rc) rc = price_sharing(u, p, t, model, pu_of_rank, err);
  if (!rc) rc = price(p, t, model, n, pu_of_rank, u->sharing, u->cost, err);
  if (!rc) rc = price_shifted(u, p, model, shift, pu_of_rank, err);
  topo_shift_free(shift);
  if (!rc) return u;
  berth_uncertainty_free(u);
  return NULL;
}

void berth_uncertainty_free(berth_uncertainty_t *u)
{
  if (!u) return;
  free(u->cost);
  free(u->sharing);
  free(u->effect);
  free(u->unknown);
  free(u);
}

int berth_uncertainty_known(const berth_topo_t *t, berth_model_t model)
{
  if (berth_topo_model_error(t, berth_model_name(model)) > 0) return 1;
  topo_shift_t *shift = topo_shift_new(t, NULL);
  int known = shift && topo_shift_count(shift) > 0;
  topo_shift_free(shift);
  return known;
}

size_t berth_uncertainty_numbers(const berth_uncertainty_t *u)
{
  return u->n_numbers - u->n_unknown;
}

size_t berth_uncertainty_unknown_numbers(const berth_uncertainty_t *u) { return u->n_unknown; }

double berth_uncertainty_model_error(const berth_uncertainty_t *u) { return u->model_error; }

/* The larger effect of shifting number k up or down, on the cost of placement a, or on its ratio to
 * placement b. Without a known spread, any effect counts as infinite. */
static double effect_of(const berth_uncertainty_t *u, size_t k, size_t a, const size_t *b)
{
  double largest = 0;
  for (size_t up = 0; up < 2; up++) {
    const double *effect = u->effect + (2 * k + up) * u->n;
    double here = fabs(b ? effect[a] - effect[*b] : effect[a]);
    if (isnan(here)) here = INFINITY; /* both are infinite */
    if (here > largest) largest = here;
  }
  if (u->unknown[k] && largest > rounding) return INFINITY;
  return largest;
}

/* The factor of the interval, from independent effects and the model's error so many times. */
static double combine(const berth_uncertainty_t *u, size_t a, const size_t *b, int model_errors)
{
  double model = log1p(u->model_error), sum = model_errors * model * model;
  for (size_t k = 0; k < u->n_numbers; k++) {
    double effect = effect_of(u, k, a, b);
    sum += effect * effect;
  }
  return exp(sqrt(sum));
}

static berth_interval_t interval(double value, double factor)
{
  double high = value > 0 ? value * factor : value; /* 0 stays 0 */
  return (berth_interval_t){value, factor, value / factor, high};
}

berth_interval_t berth_uncertainty_cost(const berth_uncertainty_t *u, size_t i)
{
  return interval(u->cost[i], combine(u, i, NULL, 1));
}

const char *berth_verdict_name(berth_verdict_t verdict)
{
  static const char *const names[BERTH_N_VERDICTS] = {"equal", "cheaper", "dearer", "no verdict"};
  return names[verdict];
}

berth_verdict_t berth_uncertainty_compare(const berth_uncertainty_t *u, size_t a, size_t b,
                                          berth_interval_t *ratio)
{
  double difference = log_ratio(u->cost[a], u->cost[b]);
  bool equal = fabs(difference) <= rounding && log(combine(u, a, &b, 0)) <= rounding;
  double factor = equal ? 1 : combine(u, a, &b, 2); /* equal placements have equal errors */
  if (ratio) *ratio = interval(equal ? 1 : exp(difference), factor);
  if (equal) return BERTH_VERDICT_EQUAL;
  if (isinf(difference) || fabs(difference) > log(factor))
    return difference < 0 ? BERTH_VERDICT_CHEAPER : BERTH_VERDICT_MORE_EXPENSIVE;
  return BERTH_VERDICT_NONE;
}
