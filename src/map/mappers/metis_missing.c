/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for map_metis.c and metis_cut.c in builds without METIS. To `best`, the mapper is one
 * that can't solve the problem. */
#include "map/partition/metis_cut.h"
#include "map/partition/multisection.h"

const char map_metis_about[] = "METIS's: this berth was built without METIS (BERTH_WITH_METIS)";

int map_metis(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
              berth_error_t *err)
{
  (void)problem;
  (void)pu_of_rank;
  *chosen = "metis";
  return berth_fail(err, BERTH_USAGE, "this berth was built without METIS (BERTH_WITH_METIS)");
}

int map_cuts(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err)
{
  return map_multilevel(problem, pu_of_rank, chosen, err);
}

/* The first cuts of `multilevel` at quality `strong`: part 0 grows from any vertex. */
int metis_cut(bisector_t *b, const section_t *s, int target, uint64_t *random, berth_error_t *err)
{
  (void)err;
  bisect_grow_part(b, s, target, (int)map_random_below(random, (uint64_t)s->n));
  for (int v = 0; v < s->n; v++) b->part[v] = b->trial[v];
  return BERTH_OK;
}
