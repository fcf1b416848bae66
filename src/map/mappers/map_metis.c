/* SPDX-License-Identifier: BSD-3-Clause */
/* `metis`: splits the ranks along the tree, so that parts exchange little, by METIS. */
#include "map/partition/multisection.h"

const char map_metis_about[] =
    "ranks split along the tree with little traffic between parts, by METIS";

int map_metis(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
              berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  graph_t graph;
  *chosen = "metis";
  int rc = graph_of_times(problem->pattern, problem->topo, &graph, err);
  if (rc) return rc;
  rc = multisection_map(problem, &graph, multisection_work(o->quality, graph.n), o->seed,
                        pu_of_rank, err);
  graph_clear(&graph);
  return rc;
}

int map_cuts(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err)
{
  return map_metis(problem, pu_of_rank, chosen, err);
}
