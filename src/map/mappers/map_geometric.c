/* SPDX-License-Identifier: BSD-3-Clause */
/* `geometric`: gives ranks coordinates, and switches compact pieces of that space.
 * The space is a grid if the pattern is one (layout_grid.c); otherwise distances in the pattern
 * define it (layout_distance.c). All ways of divide.h and the default order are evaluated, and the
 * cheapest is taken. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/geometry/divide.h"
#include "map/partition/multisection.h"

typedef struct trial {
  berth_map_problem_t problem;
  map_pricer_t pricer;
  int *now, *best;
  double best_price; /* negative: none yet */
} trial_t;

static void judge(trial_t *t)
{
  double price = map_price(&t->pricer, t->now);
  if (t->best_price >= 0 && price >= t->best_price) return;
  int *kept = t->best;
  t->best_price = price;
  t->best = t->now;
  t->now = kept;
}

/* Whether `multilevel` also runs and is better for everything but grids. */
static bool is_for_grids(const berth_map_problem_t *problem)
{
  return problem->shared && problem->options.quality == BERTH_QUALITY_FAST &&
         berth_pattern_ranks(problem->pattern) <= MULTISECTION_LARGE;
}

/* Whether only blocks are tried on grids. With many ranks, making blocks takes so long that the
 * other ways add little. */
static bool is_for_blocks(const berth_map_problem_t *problem)
{
  enum { FEW_RANKS = 1024 };
  return is_for_grids(problem) && berth_pattern_ranks(problem->pattern) < FEW_RANKS;
}

/* Whether a way differs from earlier ones. Outside grids, blocks are halves. If all places are
 * needed, both ways to fill are the same. */
static bool is_another(const berth_map_problem_t *problem, const layout_t *l, int how, int fill)
{
  if (how == DIVIDE_BLOCKS ? !l->grid : is_for_blocks(problem)) return false;
  return fill == DIVIDE_PACKED || problem->n_pus > l->n;
}

static int try_all(trial_t *t, const graph_t *g, const layout_t *l, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int how = 0; how < DIVIDE_N_WAYS; how++)
    for (int fill = 0; !rc && fill < DIVIDE_N_FILLS; fill++) {
      if (!is_another(&t->problem, l, how, fill) || map_time_is_up(&t->problem, 1)) continue;
      rc = divide_ranks(&t->problem, g, l, (divide_how_t)how, (divide_fill_t)fill, t->now, err);
      if (!rc) judge(t);
    }
  return rc == MAP_CUT_SHORT ? BERTH_OK : rc; /* earlier results are kept */
}

static int try_layout(trial_t *t, const graph_t *g, berth_error_t *err)
{
  layout_t layout;
  bool found;
  int rc = layout_of_grid(g, &layout, &found, err);
  if (!rc && !found && is_for_grids(&t->problem))
    return berth_fail(err, BERTH_USAGE, "found a pattern that is no grid, expected one");
  if (!rc && !found) rc = layout_of_distances(g, &layout, err);
  if (rc) return rc;
  rc = try_all(t, g, &layout, err);
  layout_clear(&layout);
  return rc;
}

/* Prepares the evaluations. Instead of flow, which takes seconds for thousands of ranks, it uses
 * bound, which is never above it. */
static int trial_init(trial_t *t, const berth_map_problem_t *problem, berth_error_t *err)
{
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof(int);
  *t = (trial_t){.problem = *problem, .best_price = -1};
  if (problem->options.objective == BERTH_MODEL_FLOW)
    t->problem.options.objective = BERTH_MODEL_BOUND;
  t->now = malloc(bytes);
  t->best = malloc(bytes);
  if (!t->now || !t->best) return no_memory(err);
  return map_pricer_init(&t->pricer, &t->problem, err);
}

int map_geometric(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                  berth_error_t *err)
{
  const char *name;
  graph_t graph = {0};
  trial_t t;
  int rc = trial_init(&t, problem, err);
  if (!rc) rc = map_linear(problem, t.now, &name, err);
  if (!rc) judge(&t);
  if (!rc) rc = graph_of_pattern(problem->pattern, &graph, err);
  if (!rc) rc = map_cut_short(problem);
  if (!rc && graph.n_edges > 0) rc = try_layout(&t, &graph, err);
  if (!rc)
    memcpy(pu_of_rank, t.best, (size_t)berth_pattern_ranks(problem->pattern) * sizeof *pu_of_rank);
  *chosen = "geometric";
  graph_clear(&graph);
  map_pricer_clear(&t.pricer);
  free(t.now);
  free(t.best);
  return rc;
}
