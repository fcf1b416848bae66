/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/partition/metis_cut.h"

#include <metis.h>

#include "base/no_memory.h"
#include "map/map_internal.h"

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32-bit indices");

/* METIS uses the C library's random numbers, which it seeds, and all threads share. One call at a
 * time makes results reproducible. */
int metis_cut(bisector_t *b, const section_t *s, int target, uint64_t *random, berth_error_t *err)
{
  idx_t n = s->n, constraints = 1, parts = 2, cut, options[METIS_NOPTIONS];
  real_t share[2] = {(real_t)target / (real_t)n, (real_t)(n - target) / (real_t)n};
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = (idx_t)map_random_below(random, 1 << 30);
  options[METIS_OPTION_UFACTOR] = 1;
  options[METIS_OPTION_NITER] = 1; /* bisect_search does the rest */
  int status;
#pragma omp critical(berth_metis)
  status = METIS_PartGraphRecursive(&n, &constraints, s->start, s->adjacent, NULL, NULL, b->adjwgt,
                                    &parts, share, NULL, options, &cut, b->part);
  if (status == METIS_OK) return BERTH_OK;
  return status == METIS_ERROR_MEMORY ? no_memory(err)
                                      : berth_fail(err, BERTH_MISSING, "METIS failed");
}
