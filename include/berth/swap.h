/* SPDX-License-Identifier: BSD-3-Clause */
/* What a placement would cost with two ranks swapped, or with one rank moved: for searches that try
 * millions of small changes. A try looks at the pairs of the ranks that change places and at the
 * resources whose traffic changes; the costs are those of berth_cost_evaluate, to the bit.
 *
 * In models `sum` and `bound` a try takes constant time for each neighbour and level of the tree.
 * Model `port` depends on the order of all ranks on a resource: where bytes alone don't rule out
 * that a changed resource is the dearest, the ranks on it are gone through once more. */
#ifndef BERTH_SWAP_H
#define BERTH_SWAP_H

#include <berth/cost.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_swap berth_swap_t;

/* Starts from a placement, which is copied; two ranks may share a PU. The evaluator is borrowed and
 * only read: many of these may have one in common, each in a thread of its own, while nothing else
 * is evaluated with it. Models other than port, bound and sum give BERTH_USAGE. */
BERTH_API berth_swap_t *berth_swap_new(const berth_cost_t *c, berth_model_t model,
                                       const int *pu_of_rank, berth_error_t *err);
BERTH_API void berth_swap_free(berth_swap_t *s);

/* The placement as committed, borrowed, and its cost. */
BERTH_API const int *berth_swap_placement(const berth_swap_t *s);
BERTH_API double berth_swap_cost(const berth_swap_t *s);

/* The cost with ranks a and b swapped, which may be the same; with a rank on another PU, which must
 * be free. Nothing changes but what berth_swap_commit does next. Infinity when memory is out or the
 * PU isn't free. */
BERTH_API double berth_swap_try(berth_swap_t *s, int a, int b);
BERTH_API double berth_swap_try_move(berth_swap_t *s, int rank, int pu);

/* Makes the last try's change; without one, or after a try that gave infinity, does nothing.
 * BERTH_MISSING when memory is out: then *s is of no use any more. */
BERTH_API int berth_swap_commit(berth_swap_t *s, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
