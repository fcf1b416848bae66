/* SPDX-License-Identifier: BSD-3-Clause */
/* `refine`: local search. From linear's and from greedy's placement, a rank drawn at random and a
 * PU drawn at random change places (with the rank there, or with nobody), which stays so unless it
 * costs more. Equal costs are taken, too: most changes leave the busiest port as it is, and the way
 * to a cheaper placement leads through them. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "map/map_internal.h"
#include "map/search_sum.h"

/* A search ends after so many tries for each rank that found nothing cheaper, and at last. */
enum { PATIENCE_A_RANK = 100, TRIES_MOST = 300000 };
/* A try under `port` may go through all ranks on a port: tries times ranks. */
enum { RANKS_MOST = 100000000 };
/* Where each try is a whole evaluation: messages looked at by all of them together. */
enum { MESSAGES_MOST = 500000 };

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
  /* There are no swaps under flow; bound is what flow is never below. */
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

static void note_ranks(search_t *s, const int *pu_of_rank)
{
  for (int i = 0; i < berth_topo_n_pus(s->problem->topo); i++) s->rank_on[i] = -1;
  for (int r = 0; r < s->ranks; r++) s->rank_on[pu_of_rank[r]] = r;
}

/* Whether a search goes on after `tries`, of which the last that found something was `found`. */
static bool goes_on(const search_t *s, int tries, int found, int most)
{
  return tries < most && (tries - found) / PATIENCE_A_RANK < s->ranks;
}

/* Draws a rank and another PU for it; false when it is on that one already. */
static bool draw(const search_t *s, uint64_t *random, int *rank, int *pu)
{
  const berth_map_problem_t *p = s->problem;
  *rank = (int)map_random_below(random, (uint64_t)s->ranks);
  *pu = p->pus[map_random_below(random, (uint64_t)p->n_pus)];
  return s->rank_on[*pu] != *rank;
}

static int walk(search_t *s, berth_swap_t *swap, berth_error_t *err)
{
  uint64_t random = s->problem->options.seed;
  int most = RANKS_MOST / s->ranks < TRIES_MOST ? RANKS_MOST / s->ranks : TRIES_MOST;
  for (int i = 0, found = 0, rank, pu; goes_on(s, i, found, most); i++) {
    if (!draw(s, &random, &rank, &pu)) continue;
    int other = s->rank_on[pu], from = berth_swap_placement(swap)[rank];
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
  note_ranks(s, s->start);
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

static int count_messages(const berth_pattern_t *p)
{
  size_t n_phases, total = 1;
  berth_pattern_phases(p, &n_phases);
  for (size_t k = 0, n; k < n_phases && total < MESSAGES_MOST; k++) {
    berth_pattern_messages(p, k, &n);
    total += n;
  }
  return total < MESSAGES_MOST ? (int)total : MESSAGES_MOST;
}

/* Puts a rank on a PU, and the one that is there (-1: nobody) where it was. */
static void change_places(search_t *s, int *pu_of_rank, int rank, int pu)
{
  int other = s->rank_on[pu], from = pu_of_rank[rank];
  pu_of_rank[rank] = pu;
  if (other >= 0) pu_of_rank[other] = from;
  s->rank_on[pu] = rank;
  s->rank_on[from] = other;
}

/* Goes on from the best so far under the objective itself. */
static void walk_evaluating(search_t *s)
{
  uint64_t random = s->problem->options.seed;
  int most = MESSAGES_MOST / count_messages(s->problem->pattern);
  double now = s->best_cost;
  memcpy(s->start, s->best, (size_t)s->ranks * sizeof *s->start);
  note_ranks(s, s->start);
  for (int i = 0, found = 0, rank, pu; goes_on(s, i, found, most); i++) {
    if (!draw(s, &random, &rank, &pu)) continue;
    int from = s->start[rank];
    change_places(s, s->start, rank, pu);
    double cost = berth_cost_evaluate(s->cost, s->problem->options.objective, s->start);
    if (cost > now) change_places(s, s->start, rank, from);
    if (cost < now) found = i;
    if (cost < now) now = cost;
  }
  if (now >= s->best_cost) return;
  s->best_cost = now;
  memcpy(s->best, s->start, (size_t)s->ranks * sizeof *s->best);
}

int map_refine(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err)
{
  const char *name;
  search_t s;
  berth_error_t local;
  if (!err) err = &local;
  *chosen = "refine";
  if (problem->options.objective == BERTH_MODEL_SUM)
    return map_greedy(problem, pu_of_rank, &name, err) ? err->code : search_sum(problem, pu_of_rank, err);
  int rc = search_init(&s, problem, err);
  if (!rc) rc = map_linear(problem, s.start, &name, err);
  if (!rc) rc = search_from_start(&s, err);
  if (!rc) rc = map_greedy(problem, s.start, &name, err);
  if (!rc) rc = search_from_start(&s, err);
  if (!rc && s.model != problem->options.objective) walk_evaluating(&s);
  if (!rc) memcpy(pu_of_rank, s.best, (size_t)s.ranks * sizeof *pu_of_rank);
  search_clear(&s);
  return rc;
}
