/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of shared cores: ranks compute slower while several hardware threads of a core are busy.
 * Definitions: docs/formats/cost-models.md, Shared cores.
 *
 * It needs the slow-down of the cores (berth_type_t) and the times of all ranks, and a model whose
 * cost is a time of the run: any but sum. Without these it counts as 0. */
#ifndef BERTH_SHARING_H
#define BERTH_SHARING_H

#include <berth/cost.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Times and cores, prepared for many evaluations. It has scratch space, so only one thread may use
 * it at a time. */
typedef struct berth_sharing berth_sharing_t;

/* Whether a core of the topology has a slow-down; whether everything else that is needed is known,
 * too. */
BERTH_API int berth_sharing_carried(const berth_topo_t *t);
BERTH_API int berth_sharing_known(const berth_pattern_t *p, const berth_topo_t *t,
                                  berth_model_t model);

/* NULL with the error filled: memory is out, or BERTH_BAD_INPUT if compute times overflow a double.
 * The inputs aren't kept. */
BERTH_API berth_sharing_t *berth_sharing_new(const berth_pattern_t *p, const berth_topo_t *t,
                                             berth_model_t model, berth_error_t *err);
BERTH_API void berth_sharing_free(berth_sharing_t *s);

/* How many seconds longer the run takes with rank r on PU pu_of_rank[r] than without shared cores;
 * at least 0. Takes one pass over the ranks. Several ranks may be on one PU. */
BERTH_API double berth_sharing_evaluate(berth_sharing_t *s, const int *pu_of_rank);

/* The same for only n of the ranks. It never falls when a rank is added. */
BERTH_API double berth_sharing_of_some(berth_sharing_t *s, size_t n, const int *ranks,
                                       const int *pu_of_rank);

/* A lower bound for all placements that use two PUs of a core with a slow-down. Infinite if no
 * placement can. */
BERTH_API double berth_sharing_min(const berth_sharing_t *s);

#ifdef __cplusplus
}
#endif

#endif
