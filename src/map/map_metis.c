/* SPDX-License-Identifier: BSD-3-Clause */
/* `metis`: the ranks split along the tree (multisection.c), then exchanged between the groups of
 * PUs that they ended up in (exchange.c). */
#include <stdlib.h>

#include "map/exchange.h"
#include "map/multisection.h"

/* Distances that exchanges may look up for each rank; about a hundred are used. */
enum { LOOKS_A_RANK = 100000 };

static multisection_work_t work_of(berth_quality_t quality)
{
  switch (quality) {
  case BERTH_QUALITY_FAST:
    return (multisection_work_t){.tries = 1, .rounds = 10, .pair_tries = 1};
  case BERTH_QUALITY_ECO:
    return (multisection_work_t){.tries = 3, .rounds = 20, .pair_tries = 2};
  default:
    return (multisection_work_t){.tries = 5, .rounds = 50, .pair_tries = 4};
  }
}

int map_metis(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
              berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  graph_t graph;
  group_tree_t tree = {0};
  double gained;
  *chosen = "metis";
  int rc = graph_of_pattern(problem->pattern, &graph, err);
  if (rc) return rc;
  int *group = malloc(((size_t)graph.n + 1) * sizeof *group);
  if (!group) rc = map_no_memory(err);
  if (!rc) rc = group_tree_init(&tree, problem, err);
  if (!rc) rc = multisection(&tree, &graph, work_of(o->quality), o->seed, group, err);
  if (!rc)
    rc = exchange(&tree, &graph, (uint64_t)LOOKS_A_RANK * (uint64_t)graph.n, group, &gained, err);
  if (!rc) rc = group_tree_place(&tree, group, graph.n, pu_of_rank, err);
  free(group);
  group_tree_clear(&tree);
  graph_clear(&graph);
  return rc;
}
