/* SPDX-License-Identifier: BSD-3-Clause */
/* `multilevel`: splits the ranks along the tree by cuts that grow from clusters.
 * Each cut begins on the coarsest of several levels and is improved on each (bisect_cycle.c), which
 * is faster than METIS. At quality strong, METIS makes the cuts, and they are improved again and
 * again; `metis` starts anew instead. */
#include "map/geometry/layout.h"
#include "map/partition/multisection.h"
#include "map/search_sum/search_sum.h"

/* Numbers of ranks at which other kinds of work pay. */
enum { FEW = 32, SMALL = 100, MIDDLE = 1000, MANY = 3000 };
enum { LARGE = 8192 };    /* with more ranks, teams at the top cost more than they gain */
enum { DENSE = 8 };       /* neighbours of a rank, from which on annealing finds more than cuts */
enum { ANNEALED = 2000 }; /* ranks, from which on annealing follows in any case */
/* Exchanges that annealing tries for each rank; more if the cuts take longer, too. */
enum { ANNEAL_MIN = 40, ANNEAL_MAX = 80, ANNEAL_SHARE = 25 };

static int neighbours_of(const graph_t *g)
{
  return g->n > 0 ? (int)(2 * g->n_edges / (size_t)g->n) : 0;
}

/* Work that takes less time than Scotch's mapping (measured by bench/mapping). Few ranks get
 * several whole placements; up to a hundred ranks get new splits of teams of siblings; others get
 * better cuts. */
static multisection_work_t fast_work(const graph_t *g)
{
  int ranks = g->n, neighbours = neighbours_of(g);
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

static bool is_annealed(const graph_t *g) { return g->n >= ANNEALED || neighbours_of(g) >= DENSE; }

/* More work for patterns that aren't grids (grids get blocks from `geometric`): within a tenth of
 * VieM's time, as measured by bench/mapping. */
static multisection_work_t more_work(multisection_work_t work, const graph_t *g)
{
  bool few = g->n < MIDDLE;
  work.tries_from = 100;
  work.dry_rounds = few && neighbours_of(g) >= DENSE ? 2 : 3;
  work.teams = few ? 1 : is_annealed(g) ? 2 : 3;
  work.top_teams = few ? 5 : g->n <= LARGE ? 10 : 3;
  work.top_cycles = 1;
  return work;
}

/* The tries of annealing that follow the cuts; 0 if cuts find as much. */
static double annealing_tries(const graph_t *g)
{
  int each = g->n / ANNEAL_SHARE;
  if (!is_annealed(g)) return 0;
  each = each < ANNEAL_MIN ? ANNEAL_MIN : each > ANNEAL_MAX ? ANNEAL_MAX : each;
  return (double)each * g->n;
}

/* Whether more work pays at quality `fast`. */
static int find_irregular(berth_quality_t quality, const graph_t *g, bool *irregular,
                          berth_error_t *err)
{
  layout_t layout;
  bool is_grid = false;
  *irregular = quality == BERTH_QUALITY_FAST && g->n > SMALL && g->n <= MULTISECTION_LARGE;
  if (!*irregular) return BERTH_OK;
  int rc = layout_of_grid(g, &layout, &is_grid, err);
  if (!rc && is_grid) layout_clear(&layout);
  *irregular = !is_grid;
  return rc;
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
    work.teams *= 2; /* each takes about half the time */
  }
  work.pair_tries = 0;
  return work;
}

static int anneal(const berth_map_problem_t *problem, const graph_t *g, int *pu_of_rank,
                  berth_error_t *err)
{
  double tries = annealing_tries(g);
  if (tries <= 0 || map_time_is_up(problem, MAP_BUILD_SHARE)) return BERTH_OK;
  int rc = map_keep_pins(problem, pu_of_rank, err);
  return rc ? rc : search_sum_anneal(problem, tries, pu_of_rank, err);
}

static int map_graph(const berth_map_problem_t *problem, const graph_t *g, int *pu_of_rank,
                     berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  bool irregular;
  int rc = find_irregular(o->quality, g, &irregular, err);
  if (rc) return rc;
  multisection_work_t work = work_of(o->quality, g);
  rc =
      multisection_map(problem, g, irregular ? more_work(work, g) : work, o->seed, pu_of_rank, err);
  return rc || !irregular ? rc : anneal(problem, g, pu_of_rank, err);
}

int map_multilevel(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                   berth_error_t *err)
{
  graph_t graph;
  *chosen = "multilevel";
  int rc = graph_of_times(problem->pattern, problem->topo, &graph, err);
  if (rc) return rc;
  rc = map_graph(problem, &graph, pu_of_rank, err);
  graph_clear(&graph);
  return rc;
}
