/* SPDX-License-Identifier: BSD-3-Clause */
/* Tries and makes changes of a placement, with exact prices. */
#include "map/map_draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "pattern/by_hosts.h"

/* --- one change --- */

void draft_put(draft_t *s, int rank, int place)
{
  int other = s->rank_at[place], from = s->place[rank];
  s->rank_at[place] = rank;
  s->rank_at[from] = other;
  s->place[rank] = place;
  s->pu_of_rank[rank] = s->problem->pus[place];
  if (other < 0) return;
  s->place[other] = from;
  s->pu_of_rank[other] = s->problem->pus[from];
}

/* 1 if the rank is not where options.from has it. */
static int is_away(const draft_t *s, int rank, int place)
{
  const int *from = s->problem->options.from;
  return from && rank >= 0 && from[rank] >= 0 && from[rank] != s->problem->pus[place];
}

/* A price, summed up in the order of map_price, so that both are equal to the bit. */
static double price_of(const draft_t *s, int moved, double cost, double sum, double sharing)
{
  const berth_map_options_t *o = &s->problem->options;
  double price = o->from && o->move_price_s > 0 ? moved * o->move_price_s : 0;
  if (s->cost) price += s->pricer.cost_share * cost;
  if (s->sum) price += s->pricer.sum_share * sum;
  if (s->pricer.sharing) price += sharing;
  return price;
}

/* The cost of shared cores with a rank on another place; takes a pass over the ranks. */
static double try_sharing(draft_t *s, int rank, int place)
{
  int from = s->place[rank];
  if (!s->pricer.sharing) return 0;
  draft_put(s, rank, place);
  double sharing = berth_sharing_evaluate(s->pricer.sharing, s->pu_of_rank);
  draft_put(s, rank, from);
  return sharing;
}

double draft_try_swap(berth_swap_t *swap, int rank, int other, int pu)
{
  if (!swap) return 0;
  return other < 0 ? berth_swap_try_move(swap, rank, pu) : berth_swap_try(swap, rank, other);
}

int draft_moved(const draft_t *s, int rank, int place)
{
  int other = s->rank_at[place], from = s->place[rank];
  return s->moved + is_away(s, rank, place) - is_away(s, rank, from) + is_away(s, other, from) -
         is_away(s, other, place);
}

double draft_try(draft_t *s, int rank, int place)
{
  int other = s->rank_at[place], from = s->place[rank], pu = s->problem->pus[place];
  s->rank = rank;
  s->to = place;
  s->tried_moved = draft_moved(s, rank, place);
  if (s->evaluates) {
    draft_put(s, rank, place);
    s->tried = map_price(&s->pricer, s->pu_of_rank);
    draft_put(s, rank, from);
  } else {
    double cost = draft_try_swap(s->cost, rank, other, pu),
           sum = draft_try_swap(s->sum, rank, other, pu);
    s->tried = price_of(s, s->tried_moved, cost, sum, try_sharing(s, rank, place));
  }
  return s->tried;
}

int draft_make(draft_t *s, berth_error_t *err)
{
  int rc = s->cost ? berth_swap_commit(s->cost, err) : BERTH_OK;
  if (!rc && s->sum) rc = berth_swap_commit(s->sum, err);
  if (rc) return rc;
  draft_put(s, s->rank, s->to);
  s->price = s->tried;
  s->moved = s->tried_moved;
  return BERTH_OK;
}

/* --- setting up --- */

berth_swap_t *draft_swaps(const draft_t *s, berth_model_t model, berth_error_t *err)
{
  return s->problem->max_on_pu > 1
             ? berth_swap_new_shared(s->pricer.cost, model, s->pu_of_rank, err)
             : berth_swap_new(s->pricer.cost, model, s->pu_of_rank, err);
}

static int start_swaps(draft_t *s, berth_error_t *err)
{
  berth_model_t model = s->problem->options.objective;
  if (model == BERTH_MODEL_FLOW) model = BERTH_MODEL_BOUND;
  if (s->pricer.cost_share > 0) {
    s->cost = draft_swaps(s, model, err);
    if (!s->cost) return err->code;
  }
  if (s->pricer.sum_share > 0) {
    s->sum = draft_swaps(s, BERTH_MODEL_SUM, err);
    if (!s->sum) return err->code;
  }
  s->price = price_of(
      s, s->moved, s->cost ? berth_swap_cost(s->cost) : 0, s->sum ? berth_swap_cost(s->sum) : 0,
      s->pricer.sharing ? berth_sharing_evaluate(s->pricer.sharing, s->pu_of_rank) : 0);
  return BERTH_OK;
}

bool draft_needs_evaluations(const berth_map_problem_t *problem)
{
  return problem->options.objective == BERTH_MODEL_FLOW || pattern_is_by_hosts(problem->pattern);
}

int draft_init(draft_t *s, const berth_map_problem_t *problem, bool swaps, const int *pu_of_rank,
               berth_error_t *err)
{
  int ranks = berth_pattern_ranks(problem->pattern);
  size_t bytes = (size_t)ranks * sizeof(int);
  *s = (draft_t){.problem = problem, .ranks = ranks};
  s->evaluates = !swaps && draft_needs_evaluations(problem);
  int rc = map_pricer_init(&s->pricer, problem, err);
  if (rc) return rc;
  s->pu_of_rank = malloc(bytes);
  s->place = malloc(bytes);
  s->rank_at = malloc((size_t)problem->n_pus * sizeof *s->rank_at);
  if (!s->pu_of_rank || !s->place || !s->rank_at) return no_memory(err);
  memcpy(s->pu_of_rank, pu_of_rank, bytes);
  map_take_places(problem, pu_of_rank, s->place, s->rank_at);
  for (int r = 0; r < ranks; r++) s->moved += is_away(s, r, s->place[r]);
  if (!s->evaluates) return start_swaps(s, err);
  s->price = map_price(&s->pricer, s->pu_of_rank);
  return BERTH_OK;
}

void draft_clear(draft_t *s)
{
  berth_swap_free(s->cost);
  berth_swap_free(s->sum);
  map_pricer_clear(&s->pricer);
  free(s->pu_of_rank);
  free(s->place);
  free(s->rank_at);
}
