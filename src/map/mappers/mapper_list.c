/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the mappers. Help, `best`, tests and benchmarks walk this list. */
#include <string.h>

#include "map/map_internal.h"

static const berth_mapper_t mappers[] = {
    {"linear", "rank r on the r-th usable PU, as launchers do by default", map_linear},
    {"round-robin", "one rank on each host in turn", map_round_robin},
    {"random", "any placement with equal chance, by `seed`", map_random, BERTH_MAPPER_APART},
    {"greedy", "clusters of ranks that exchange most, fitted to the tree", map_greedy,
     BERTH_MAPPER_BUILDS, BERTH_QUALITY_ECO},
    {"metis", map_metis_about, map_metis, BERTH_MAPPER_BUILDS, BERTH_QUALITY_STRONG},
    {"multilevel", "the same, by cuts that grow from clusters of ranks", map_multilevel},
    {"geometric", "compact pieces of a grid or of space, in which the pattern is laid out",
     map_geometric},
    {"stay", "ranks stay where `from` has them, others go near those they talk to", map_stay},
    {"refine", "other mappers' placements, improved by swaps and moves", map_refine,
     BERTH_MAPPER_SEARCHES, BERTH_QUALITY_ECO, .shares_work = 1},
    {"exact", "the cheapest placement of all, for up to 12 ranks", map_exact, BERTH_MAPPER_BUILDS,
     BERTH_QUALITY_ECO, 5},
    {"best", "the cheapest of those that fit `quality`, or ranks as they are", map_best,
     BERTH_MAPPER_APART, .shares_work = 1},
};

const berth_mapper_t *berth_mappers(size_t *n)
{
  *n = sizeof mappers / sizeof *mappers;
  return mappers;
}

const berth_mapper_t *berth_mapper_find(const char *name)
{
  for (size_t i = 0; i < sizeof mappers / sizeof *mappers; i++)
    if (strcmp(mappers[i].name, name) == 0) return &mappers[i];
  return NULL;
}
