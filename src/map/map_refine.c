/* SPDX-License-Identifier: BSD-3-Clause */
/* `refine`: local search. From linear's and from greedy's placement, a rank drawn at random and a
 * PU drawn at random change places (with the rank there, or with nobody), which stays so unless it
 * costs more. Equal costs are taken, too: most changes leave the busiest port as it is, and the way
 * to a cheaper placement leads through them. */
#include <stdlib.h>
#include <string.h>

#include "map/map_internal.h"

/* A search ends after so many tries for each rank that found nothing cheaper, and at last. */
enum { PATIENCE_A_RANK = 100, TRIES_MOST = 300000 };

typedef struct search {
  const berth_map_problem_t *problem;
  berth_cost_t *cost;
  berth_model_t model; /* of the swaps */
  int ranks;
  int *rank_on; /* each PU's rank, -1 for none */
  int *start, *best;
  double best_cost; /* under the objective; negative: none yet */
} search_t;

static int search_init(search_t *s, const berth_map_problem_t *problem, berth_error_t *err)
{
  berth_model_t objective = problem->options.objective;
  *s = (search_t){.problem = problem, .best_cost = -1};
  s->ranks = berth_pattern_ranks(problem->pattern);
  /* A swap under flow would be a whole simulation; bound is what flow is never below. */
  s->model = objective == BERTH_MODEL_FLOW ? BERTH_MODEL_BOUND : objective;
  s->cost = berth_cost_new(problem->pattern, problem->topo, err);
  if (!s->cost) return err->code;
  s->rank_on = malloc((size_t)berth_topo_n_pus(problem->topo) * sizeof *s->rank_on);
  s->start = malloc((size_t)s->ranks * sizeof *s->start);
  s->best = malloc((size_t)s->ranks * sizeof *s->best);
  return s->rank_on && s->start && s->best ? BERTH_OK : map_no_memory(err);
}

static void search_clear(search_t *s)
{
  berth_cost_free(s->cost);
  free(s->rank_on);
  free(s->start);
  free(s->best);
}

static int walk(search_t *s, berth_swap_t *swap, berth_error_t *err)
{
  const berth_map_problem_t *p = s->problem;
  uint64_t random = p->options.seed;
  for (int i = 0, found = 0; i < TRIES_MOST && (i - found) / PATIENCE_A_RANK < s->ranks; i++) {
    int rank = (int)map_random_below(&random, (uint64_t)s->ranks);
    int pu = p->pus[map_random_below(&random, (uint64_t)p->n_pus)];
    int other = s->rank_on[pu], from = berth_swap_placement(swap)[rank];
    if (other == rank) continue;
    double cost =
        other < 0 ? berth_swap_try_move(swap, rank, pu) : berth_swap_try(swap, rank, other);
    if (cost > berth_swap_cost(swap)) continue;
    if (cost < berth_swap_cost(swap)) found = i;
    if (berth_swap_commit(swap, err)) return err->code;
    s->rank_on[pu] = rank;
    s->rank_on[from] = other;
  }
  return BERTH_OK;
}

/* Searches from s->start and keeps what is found if it is the cheapest so far. */
static int search_from_start(search_t *s, berth_error_t *err)
{
  berth_swap_t *swap = berth_swap_new(s->cost, s->model, s->start, err);
  if (!swap) return err->code;
  for (int i = 0; i < berth_topo_n_pus(s->problem->topo); i++) s->rank_on[i] = -1;
  for (int r = 0; r < s->ranks; r++) s->rank_on[s->start[r]] = r;
  int rc = walk(s, swap, err);
  const int *found[] = {s->start, berth_swap_placement(swap)};
  for (int i = 0; i < 2 && !rc; i++) {
    double cost = berth_cost_evaluate(s->cost, s->problem->options.objective, found[i]);
    if (s->best_cost >= 0 && cost >= s->best_cost) continue;
    s->best_cost = cost;
    memcpy(s->best, found[i], (size_t)s->ranks * sizeof *s->best);
  }
  berth_swap_free(swap);
  return rc;
}

int map_refine(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err)
{
  const char *name;
  search_t s;
  int rc = search_init(&s, problem, err);
  if (!rc) rc = map_linear(problem, s.start, &name, err);
  if (!rc) rc = search_from_start(&s, err);
  if (!rc) rc = map_greedy(problem, s.start, &name, err);
  if (!rc) rc = search_from_start(&s, err);
  if (!rc) memcpy(pu_of_rank, s.best, (size_t)s.ranks * sizeof *pu_of_rank);
  *chosen = "refine";
  search_clear(&s);
  return rc;
}
