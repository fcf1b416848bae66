/* SPDX-License-Identifier: BSD-3-Clause */
/* `multilevel`: a multisection whose cuts are each coarsened, and refined on every level, again and
 * again (bisect_cycle.c), where `metis` starts anew. */
#include "map/multisection.h"

int map_multilevel(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                   berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  graph_t graph;
  *chosen = "multilevel";
  int rc = graph_of_times(problem->pattern, problem->topo, &graph, err);
  if (rc) return rc;
  multisection_work_t work = multisection_work(o->quality, graph.n);
  work.cycles = work.pair_tries;
  work.pair_tries = 0;
  work.teams *= 2; /* each costs about half */
  rc = multisection_map(problem, &graph, work, o->seed, pu_of_rank, err);
  graph_clear(&graph);
  return rc;
}
