/* SPDX-License-Identifier: BSD-3-Clause */
/* How sure a predicted cost is, and whether it tells two placements apart. Definitions and reasons:
 * docs/formats/cost-models.md, Uncertainty.
 *
 * Every measured number of the topology that carries a spread (a curve as a whole, a capacity) is
 * shifted by it, up and down, one after the other, and all placements are priced with each. What a
 * number does to a cost, and to the ratio of two costs, is the larger of its two effects there, as
 * a factor. Numbers err independently of each other, so the logarithms of their effects are
 * combined by the root of the sum of their squares; one number errs the same way for both
 * placements, so that what acts on both alike doesn't blur their ratio. The model's own error,
 * where the topology has it, is added in the same way; two placements have independent ones.
 *
 * Where a number was measured, but its spread isn't known (one sample), what depends on it has no
 * bounds: the factor of its interval is infinite, and it gets no verdict. */
#ifndef BERTH_UNCERTAINTY_H
#define BERTH_UNCERTAINTY_H

#include <berth/cost.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_uncertainty berth_uncertainty_t;

/* Prices n placements in all ways: one evaluator and n evaluations for the topology as it is, and
 * twice as much for each measured number. The inputs aren't kept. NULL with the error filled when
 * memory is out or berth_cost_new refuses the inputs; free with berth_uncertainty_free. */
BERTH_API berth_uncertainty_t *berth_uncertainty_new(const berth_pattern_t *p,
                                                     const berth_topo_t *t, berth_model_t model,
                                                     size_t n, const int *const *pu_of_rank,
                                                     berth_error_t *err);
BERTH_API void berth_uncertainty_free(berth_uncertainty_t *u);

/* Whether the topology says anything of it: a number that is used was measured, with a spread or
 * without a known one, or the model's error is known. Where not, intervals are single points. False
 * also when memory is out. */
BERTH_API int berth_uncertainty_known(const berth_topo_t *t, berth_model_t model);

/* How many measured numbers carry a spread, and how many lack one; the model's error, 0 when
 * unknown. */
BERTH_API size_t berth_uncertainty_numbers(const berth_uncertainty_t *u);
BERTH_API size_t berth_uncertainty_unknown_numbers(const berth_uncertainty_t *u);
BERTH_API double berth_uncertainty_model_error(const berth_uncertainty_t *u);

/* A value with its interval: low = value / factor, high = value * factor, factor at least 1;
 * infinite where it has no bounds. */
typedef struct berth_interval {
  double value, factor, low, high;
} berth_interval_t;

/* The cost of placement i, in seconds. */
BERTH_API berth_interval_t berth_uncertainty_cost(const berth_uncertainty_t *u, size_t i);

/* What can be said of the first of two placements. */
typedef enum berth_verdict {
  BERTH_VERDICT_EQUAL,   /* by less than 1e-9, whatever the measured numbers are */
  BERTH_VERDICT_CHEAPER, /* it costs less, and the interval of the ratio doesn't reach 1 */
  BERTH_VERDICT_MORE_EXPENSIVE,
  BERTH_VERDICT_NONE, /* the interval of the ratio holds 1: either may be the cheaper one */
  BERTH_N_VERDICTS
} berth_verdict_t;

/* "equal", "cheaper", "dearer", "no verdict". */
BERTH_API const char *berth_verdict_name(berth_verdict_t verdict);

/* Compares placement a with placement b; *ratio (unless NULL) is cost of a / cost of b. A ratio to
 * a cost of 0 is infinite, of two costs of 0 it is 1. Of equal placements it is 1 to 1. */
BERTH_API berth_verdict_t berth_uncertainty_compare(const berth_uncertainty_t *u, size_t a,
                                                    size_t b, berth_interval_t *ratio);

#ifdef __cplusplus
}
#endif

#endif
