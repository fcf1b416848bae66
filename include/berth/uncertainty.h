/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of costs, and whether they tell two placements apart. Definitions and reasons:
 * docs/formats/cost-models.md, Uncertainty.
 *
 * All placements are evaluated with each measured number of the topology (a curve as a whole, a
 * capacity) shifted by its spread, once up and once down. The effect of a number on a cost, or on
 * the ratio of two costs, is the larger of its two effects, as a factor. Numbers err independently,
 * so the logarithms of their effects are combined as the root of the sum of squares. A number errs
 * in the same way for both placements, so common effects cancel in their ratio. If the topology has
 * the model's own error, it is combined in the same way, independently for two placements.
 *
 * If a number was measured without a known spread (one sample), costs that depend on it have no
 * limits: the factor of the interval is infinite, and there is no verdict. */
#ifndef BERTH_UNCERTAINTY_H
#define BERTH_UNCERTAINTY_H

#include <berth/cost.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_uncertainty berth_uncertainty_t;

/* Evaluates n placements with all shifts: one evaluator and n evaluations for the topology itself,
 * twice as many for each measured number. The inputs aren't kept. NULL with the error filled if
 * memory is out or berth_cost_new refuses the inputs. Free with berth_uncertainty_free. */
BERTH_API berth_uncertainty_t *berth_uncertainty_new(const berth_pattern_t *p,
                                                     const berth_topo_t *t, berth_model_t model,
                                                     size_t n, const int *const *pu_of_rank,
                                                     berth_error_t *err);
BERTH_API void berth_uncertainty_free(berth_uncertainty_t *u);

/* Whether the topology states errors: a number in use was measured, or the model's error is known.
 * If not, intervals are single points. 0 also when memory is out. */
BERTH_API int berth_uncertainty_known(const berth_topo_t *t, berth_model_t model);

/* The number of measured numbers with a spread, and of those without; the model's error, 0 when
 * unknown. */
BERTH_API size_t berth_uncertainty_numbers(const berth_uncertainty_t *u);
BERTH_API size_t berth_uncertainty_unknown_numbers(const berth_uncertainty_t *u);
BERTH_API double berth_uncertainty_model_error(const berth_uncertainty_t *u);

/* low = value / factor, high = value * factor; the factor is at least 1. It is infinite if the
 * value has no limits. */
typedef struct berth_interval {
  double value, factor, low, high;
} berth_interval_t;

/* The cost of placement i, in seconds. */
BERTH_API berth_interval_t berth_uncertainty_cost(const berth_uncertainty_t *u, size_t i);

/* How the first of two placements compares with the second. */
typedef enum berth_verdict {
  BERTH_VERDICT_EQUAL,   /* they differ by less than 1e-9, whatever the measured numbers are */
  BERTH_VERDICT_CHEAPER, /* its cost is lower, and the interval of the ratio doesn't contain 1 */
  BERTH_VERDICT_MORE_EXPENSIVE,
  BERTH_VERDICT_NONE, /* the interval of the ratio contains 1: either may be cheaper */
  BERTH_N_VERDICTS
} berth_verdict_t;

/* Returns "equal", "cheaper", "dearer" or "no verdict", the values in JSON. */
BERTH_API const char *berth_verdict_name(berth_verdict_t verdict);

/* Compares placement a with placement b. *ratio (unless NULL) is cost of a / cost of b: infinite if
 * b costs 0, and 1 if both do. For equal placements it is exactly 1. */
BERTH_API berth_verdict_t berth_uncertainty_compare(const berth_uncertainty_t *u, size_t a,
                                                    size_t b, berth_interval_t *ratio);

#ifdef __cplusplus
}
#endif

#endif
