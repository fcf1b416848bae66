/* SPDX-License-Identifier: BSD-3-Clause */
/* `multilevel`: a multisection whose cuts grow on the coarsest of several levels and get smaller on
 * each (bisect_cycle.c), which takes less time than METIS. At quality strong they are METIS's, and
 * get better so again and again, where `metis` starts anew. */
#include "map/multisection.h"

/* Below so many ranks a placement takes so little that several are made. */
enum { FEW_RANKS = 32 };
/* Neighbours of a rank, on average, from which a cut takes too long for many tries. */
enum { DENSE = 16 };

static multisection_work_t work_of(berth_quality_t quality, const graph_t *g)
{
  int ranks = g->n;
  bool large = ranks > MULTISECTION_LARGE, dense = 2 * g->n_edges > DENSE * (size_t)ranks;
  if (quality == BERTH_QUALITY_FAST)
    return (multisection_work_t){.starts = ranks <= FEW_RANKS ? 2 : 1,
                                 .grows = true,
                                 .tries = large   ? 1
                                          : dense ? 2
                                                  : 3,
                                 .tries_from = ranks <= FEW_RANKS ? 0 : 20,
                                 .rounds = large ? 2 : 10,
                                 .passes = 2,
                                 .patience = 12};
  multisection_work_t work = multisection_work(quality, ranks);
  if (quality == BERTH_QUALITY_ECO) {
    work.grows = true;
    work.tries = large ? 1 : 4;
  } else {
    work.cycles = work.pair_tries;
    work.teams *= 2; /* each costs about half */
  }
  work.pair_tries = 0;
  return work;
}

int map_multilevel(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                   berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  graph_t graph;
  *chosen = "multilevel";
  int rc = graph_of_times(problem->pattern, problem->topo, &graph, err);
  if (rc) return rc;
  rc = multisection_map(problem, &graph, work_of(o->quality, &graph), o->seed, pu_of_rank, err);
  graph_clear(&graph);
  return rc;
}
