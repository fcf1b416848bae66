/* SPDX-License-Identifier: BSD-3-Clause */
/* `multilevel`: a multisection whose cuts grow on the coarsest of several levels and get smaller on
 * each (bisect_cycle.c), which takes less time than METIS. At quality strong they are METIS's, and
 * get better so again and again, where `metis` starts anew. */
#include "map/multisection.h"

/* Ranks, up to which and from which on other work pays. */
enum { FEW = 32, SMALL = 100, MANY = 3000 };

/* What takes less time than Scotch's mapping does: bench/mapping measures it. For a few ranks whole
 * placements are made again, for up to a hundred teams of siblings are split again, which finds
 * more there; for others cuts are. */
static multisection_work_t fast_work(const graph_t *g)
{
  int ranks = g->n, neighbours = ranks > 0 ? (int)(2 * g->n_edges / (size_t)ranks) : 0;
  multisection_work_t work = {
      .starts = 1, .grows = true, .tries_from = 50, .rounds = 10, .passes = 2, .patience = 12};
  if (ranks <= FEW) {
    work.starts = 2;
    work.tries = 3;
    work.tries_from = 0;
  } else if (ranks <= SMALL) {
    work.tries = 1;
    work.teams = neighbours > 8 ? 1 : 2;
  } else if (ranks <= MULTISECTION_LARGE) {
    work.tries = ranks > MANY ? 5 : neighbours > 16 ? 2 : 3;
  } else {
    work.tries = 1;
    work.rounds = 2;
  }
  return work;
}

static multisection_work_t work_of(berth_quality_t quality, const graph_t *g)
{
  if (quality == BERTH_QUALITY_FAST) return fast_work(g);
  multisection_work_t work = multisection_work(quality, g->n);
  if (quality == BERTH_QUALITY_ECO) {
    work.grows = true;
    work.tries = g->n > MULTISECTION_LARGE ? 1 : 4;
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
