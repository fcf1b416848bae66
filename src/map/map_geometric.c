/* SPDX-License-Identifier: BSD-3-Clause */
/* `geometric`: ranks get coordinates, and the tree's switches get compact pieces of that space: of
 * a grid that the pattern is found to be (layout_grid.c), else of distances in the pattern
 * (layout_distance.c). All ways of divide.h and linear are tried, the cheapest is taken. */
#include <stdlib.h>
#include <string.h>

#include "map/divide.h"

typedef struct trial {
  const berth_map_problem_t *problem;
  berth_cost_t *cost;
  int *now, *best;
  double best_cost; /* negative: none yet */
} trial_t;

/* Flow is not evaluated here but what it is never below: for thousands of ranks it takes seconds.
 */
static void judge(trial_t *t)
{
  berth_model_t model = t->problem->options.objective;
  double cost =
      berth_cost_evaluate(t->cost, model == BERTH_MODEL_FLOW ? BERTH_MODEL_BOUND : model, t->now);
  if (t->best_cost >= 0 && cost >= t->best_cost) return;
  int *kept = t->best;
  t->best_cost = cost;
  t->best = t->now;
  t->now = kept;
}

/* Outside grids blocks are halves; where all places are taken both ways to fill are one. */
static bool is_another(const berth_map_problem_t *problem, const layout_t *l, int how, int fill)
{
  if (how == DIVIDE_BLOCKS && !l->grid) return false;
  return fill == DIVIDE_PACKED || problem->n_pus > l->n;
}

static int try_all(trial_t *t, const graph_t *g, const layout_t *l, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int how = 0; how < DIVIDE_N_WAYS; how++)
    for (int fill = 0; !rc && fill < DIVIDE_N_FILLS; fill++) {
      if (!is_another(t->problem, l, how, fill)) continue;
      rc = divide_ranks(t->problem, g, l, (divide_how_t)how, (divide_fill_t)fill, t->now, err);
      if (!rc) judge(t);
    }
  return rc;
}

static int try_layout(trial_t *t, const graph_t *g, berth_error_t *err)
{
  layout_t layout;
  bool found;
  int rc = layout_of_grid(g, &layout, &found, err);
  if (!rc && !found) rc = layout_of_distances(g, &layout, err);
  if (rc) return rc;
  rc = try_all(t, g, &layout, err);
  layout_clear(&layout);
  return rc;
}

int map_geometric(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                  berth_error_t *err)
{
  const char *name;
  graph_t graph = {0};
  berth_error_t local;
  if (!err) err = &local;
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof(int);
  trial_t t = {.problem = problem, .now = malloc(bytes), .best = malloc(bytes), .best_cost = -1};
  t.cost = berth_cost_new(problem->pattern, problem->topo, err);
  int rc = t.cost ? BERTH_OK : err->code;
  if (!rc && (!t.now || !t.best)) rc = map_no_memory(err);
  if (!rc) rc = map_linear(problem, t.now, &name, err);
  if (!rc) judge(&t);
  if (!rc) rc = graph_of_pattern(problem->pattern, &graph, err);
  if (!rc && graph.n_edges > 0) rc = try_layout(&t, &graph, err);
  if (!rc) memcpy(pu_of_rank, t.best, bytes);
  *chosen = "geometric";
  graph_clear(&graph);
  berth_cost_free(t.cost);
  free(t.now);
  free(t.best);
  return rc;
}
