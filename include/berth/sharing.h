/* SPDX-License-Identifier: BSD-3-Clause */
/* What it costs that ranks share cores: while several hardware threads of a core compute, each of
 * them takes longer. Definitions: docs/formats/cost-models.md, Shared cores.
 *
 * It is known where the topology carries the slow-down of a core (berth_type_t), the pattern has
 * the times of all ranks, and the model's cost is a time of the run, as that of all but sum is;
 * elsewhere it counts as 0. */
#ifndef BERTH_SHARING_H
#define BERTH_SHARING_H

#include <berth/cost.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Times and cores laid out for many evaluations. It keeps scratch space, so it serves one thread at
 * a time. */
typedef struct berth_sharing berth_sharing_t;

/* Whether a core of the topology carries a slow-down; and whether all else is there, too. */
BERTH_API int berth_sharing_carried(const berth_topo_t *t);
BERTH_API int berth_sharing_known(const berth_pattern_t *p, const berth_topo_t *t,
                                  berth_model_t model);

/* NULL with the error filled when memory is out, or with BERTH_BAD_INPUT when ranks compute for
 * longer than a double can say. The inputs aren't kept. */
BERTH_API berth_sharing_t *berth_sharing_new(const berth_pattern_t *p, const berth_topo_t *t,
                                             berth_model_t model, berth_error_t *err);
BERTH_API void berth_sharing_free(berth_sharing_t *s);

/* By how many seconds the run gets longer, at least 0, where rank r computes on PU pu_of_rank[r],
 * than where no core is shared: a pass over the ranks. Several ranks may be on one PU. */
BERTH_API double berth_sharing_evaluate(berth_sharing_t *s, const int *pu_of_rank);

/* The same if there were only those n ranks: it never falls when one more comes. */
BERTH_API double berth_sharing_of_some(berth_sharing_t *s, size_t n, const int *ranks,
                                       const int *pu_of_rank);

/* No placement costs less in which two PUs of some core with a slow-down compute; infinite where
 * none can. */
BERTH_API double berth_sharing_min(const berth_sharing_t *s);

#ifdef __cplusplus
}
#endif

#endif
