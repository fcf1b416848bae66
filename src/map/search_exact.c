/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterated local search (Lourenço, Martin, Stützle, 2003): walks of random swaps and moves that
 * don't cost anything, and kicks where they end. Equal prices are taken: most changes leave the
 * busiest port as it is, and the way to a cheaper placement leads through them. */
#include "map/search_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/watch.h"

enum {
  KICK_MOST = 4,   /* changes of a kick */
  FAR_KICK = 8,    /* each so many kicks, one changes as much as there are ranks */
  LOOK_EVERY = 16, /* tries between two looks at the clock */
};

/* A placement under way, and its last try. */
typedef struct spot {
  const exact_search_t *how;
  const berth_map_problem_t *problem;
  map_pricer_t pricer;
  berth_swap_t *cost, *sum; /* NULL where these have no part, or each try is an evaluation */
  bool evaluates;
  int ranks, moved;                  /* moved: ranks that aren't where they were */
  int *pu_of_rank, *place, *rank_at; /* rank_at: -1 for none */
  double price;
  int *best; /* places */
  double best_price;
  int rank, to, tried_moved;
  double tried;
  uint64_t random, left;
} spot_t;

/* --- one change --- */

/* Puts a rank on a place, and the one that is there where it was. */
static void change_places(spot_t *s, int rank, int place)
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

/* 1 for a rank that isn't where it was. */
static int is_away(const spot_t *s, int rank, int place)
{
  const int *from = s->problem->options.from;
  return from && rank >= 0 && from[rank] >= 0 && from[rank] != s->problem->pus[place];
}

/* A price as map_price adds it up, so that both are equal to the bit. */
static double price_of(const spot_t *s, int moved, double cost, double sum, double sharing)
{
  const berth_map_options_t *o = &s->problem->options;
  double price = o->from && o->move_price_s > 0 ? moved * o->move_price_s : 0;
  if (s->cost) price += s->pricer.cost_share * cost;
  if (s->sum) price += s->pricer.sum_share * sum;
  if (s->pricer.sharing) price += sharing;
  return price;
}

/* What sharing cores costs with a rank on another place; a pass over the ranks. */
static double try_sharing(spot_t *s, int rank, int place)
{
  int from = s->place[rank];
  if (!s->pricer.sharing) return 0;
  change_places(s, rank, place);
  double sharing = berth_sharing_evaluate(s->pricer.sharing, s->pu_of_rank);
  change_places(s, rank, from);
  return sharing;
}

static double try_swap(berth_swap_t *swap, int rank, int other, int pu)
{
  if (!swap) return 0;
  return other < 0 ? berth_swap_try_move(swap, rank, pu) : berth_swap_try(swap, rank, other);
}

static double try_change(spot_t *s, int rank, int place)
{
  int other = s->rank_at[place], from = s->place[rank], pu = s->problem->pus[place];
  s->rank = rank;
  s->to = place;
  s->tried_moved = s->moved + is_away(s, rank, place) - is_away(s, rank, from) +
                   is_away(s, other, from) - is_away(s, other, place);
  if (s->evaluates) {
    change_places(s, rank, place);
    s->tried = map_price(&s->pricer, s->pu_of_rank);
    change_places(s, rank, from);
  } else {
    double cost = try_swap(s->cost, rank, other, pu), sum = try_swap(s->sum, rank, other, pu);
    s->tried = price_of(s, s->tried_moved, cost, sum, try_sharing(s, rank, place));
  }
  return s->tried;
}

static int make_change(spot_t *s, berth_error_t *err)
{
  int rc = s->cost ? berth_swap_commit(s->cost, err) : BERTH_OK;
  if (!rc && s->sum) rc = berth_swap_commit(s->sum, err);
  if (rc) return rc;
  change_places(s, s->rank, s->to);
  s->price = s->tried;
  s->moved = s->tried_moved;
  return BERTH_OK;
}

/* --- setting up --- */

static berth_swap_t *swaps_of(const spot_t *s, berth_model_t model, berth_error_t *err)
{
  return s->problem->most_on_pu > 1
             ? berth_swap_new_shared(s->pricer.cost, model, s->pu_of_rank, err)
             : berth_swap_new(s->pricer.cost, model, s->pu_of_rank, err);
}

static int start_swaps(spot_t *s, berth_error_t *err)
{
  berth_model_t model = s->problem->options.objective;
  if (model == BERTH_MODEL_FLOW) model = BERTH_MODEL_BOUND;
  if (s->pricer.cost_share > 0) {
    s->cost = swaps_of(s, model, err);
    if (!s->cost) return err->code;
  }
  if (s->pricer.sum_share > 0) {
    s->sum = swaps_of(s, BERTH_MODEL_SUM, err);
    if (!s->sum) return err->code;
  }
  s->price = price_of(
      s, s->moved, s->cost ? berth_swap_cost(s->cost) : 0, s->sum ? berth_swap_cost(s->sum) : 0,
      s->pricer.sharing ? berth_sharing_evaluate(s->pricer.sharing, s->pu_of_rank) : 0);
  return BERTH_OK;
}

static int spot_init(spot_t *s, const exact_search_t *how, const int *pu_of_rank,
                     berth_error_t *err)
{
  const berth_map_problem_t *problem = how->problem;
  int ranks = berth_pattern_ranks(problem->pattern);
  size_t bytes = (size_t)ranks * sizeof(int);
  *s = (spot_t){.how = how, .problem = problem, .ranks = ranks};
  s->random = how->seed;
  s->left = how->tries;
  s->evaluates = problem->options.objective == BERTH_MODEL_FLOW && !how->bound;
  int rc = map_pricer_init(&s->pricer, problem, err);
  if (rc) return rc;
  s->pu_of_rank = malloc(bytes);
  s->place = malloc(bytes);
  s->best = malloc(bytes);
  s->rank_at = malloc((size_t)problem->n_pus * sizeof *s->rank_at);
  if (!s->pu_of_rank || !s->place || !s->best || !s->rank_at) return map_no_memory(err);
  memcpy(s->pu_of_rank, pu_of_rank, bytes);
  map_take_places(problem, pu_of_rank, s->place, s->rank_at);
  memcpy(s->best, s->place, bytes);
  for (int r = 0; r < ranks; r++) s->moved += is_away(s, r, s->place[r]);
  if (s->evaluates)
    s->price = map_price(&s->pricer, s->pu_of_rank);
  else
    rc = start_swaps(s, err);
  s->best_price = s->price;
  return rc;
}

static void spot_clear(spot_t *s)
{
  berth_swap_free(s->cost);
  berth_swap_free(s->sum);
  map_pricer_clear(&s->pricer);
  free(s->pu_of_rank);
  free(s->place);
  free(s->best);
  free(s->rank_at);
}

/* --- searching --- */

/* Whether there is a try left; takes it. */
static bool may_try(spot_t *s)
{
  if (s->left == 0) return false;
  s->left--;
  if (!s->evaluates && s->left % LOOK_EVERY != 0) return true;
  watch_did(s->problem, s->evaluates ? 1 : LOOK_EVERY);
  if (!map_time_is_up(s->problem, s->how->time_share)) return true;
  s->left = 0; /* for good */
  return false;
}

/* Whether two PUs are of one core. */
static bool is_one_core(const berth_topo_t *t, int a, int b)
{
  const berth_pu_t *x = berth_topo_pu(t, a), *y = berth_topo_pu(t, b);
  return x->host == y->host && x->core == y->core;
}

/* PUs below one switch are the same to every model, as long as ranks don't share them; which core
 * they are of matters where cores are shared. */
static bool are_alike(const spot_t *s, int a, int b)
{
  const berth_topo_t *t = s->problem->topo;
  if (a == b) return true;
  if (s->problem->most_on_pu > 1 || s->problem->options.from) return false;
  if (s->pricer.sharing && !is_one_core(t, a, b)) return false;
  return berth_topo_element(t, berth_topo_pu(t, a)->element)->parent ==
         berth_topo_element(t, berth_topo_pu(t, b)->element)->parent;
}

/* Draws a rank and another place for it; false when that changes nothing or a rank is pinned. */
static bool draw(spot_t *s, int *rank, int *place)
{
  const berth_map_problem_t *p = s->problem;
  *rank = (int)map_random_below(&s->random, (uint64_t)s->ranks);
  *place = (int)map_random_below(&s->random, (uint64_t)p->n_pus);
  if (are_alike(s, p->pus[*place], s->pu_of_rank[*rank]) || map_is_pinned(p, *rank)) return false;
  return s->rank_at[*place] < 0 || !map_is_pinned(p, s->rank_at[*place]);
}

static int walk(spot_t *s, berth_error_t *err)
{
  int rc = BERTH_OK, rank, place;
  for (uint64_t idle = 0; !rc && idle < s->how->patience && may_try(s); idle++) {
    if (!draw(s, &rank, &place) || try_change(s, rank, place) > s->price) continue;
    if (s->tried < s->price) idle = 0;
    rc = make_change(s, err);
  }
  if (rc || s->price >= s->best_price) return rc;
  s->best_price = s->price;
  if (!s->how->bound) watch_found(s->problem, s->price);
  memcpy(s->best, s->place, (size_t)s->ranks * sizeof *s->best);
  return BERTH_OK;
}

static int go_back(spot_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int r = 0; r < s->ranks && !rc; r++) {
    if (s->place[r] == s->best[r]) continue;
    if (s->evaluates) {
      change_places(s, r, s->best[r]);
      continue;
    }
    rc = isinf(try_change(s, r, s->best[r])) ? map_no_memory(err) : make_change(s, err);
  }
  s->price = s->best_price;
  return rc;
}

static int kick(spot_t *s, uint64_t number, berth_error_t *err)
{
  int rc = s->price > s->best_price ? go_back(s, err) : BERTH_OK;
  int n = 1 + (int)map_random_below(&s->random, KICK_MOST), rank, place;
  if (number % FAR_KICK == FAR_KICK - 1) n = s->ranks;
  for (int i = 0; i < n && !rc; i++) {
    if (!draw(s, &rank, &place) || !may_try(s) || isinf(try_change(s, rank, place))) continue;
    rc = make_change(s, err);
  }
  return rc;
}

/* Whether a change lowers the sum; the price is left to be looked at. */
static bool lowers_sum(spot_t *s, int rank, int place)
{
  int pu = s->problem->pus[place];
  return try_swap(s->sum, rank, s->rank_at[place], pu) < berth_swap_cost(s->sum);
}

int exact_lower_sum(const exact_search_t *how, int *pu_of_rank, berth_error_t *err)
{
  spot_t s;
  int rank, place, rc = spot_init(&s, how, pu_of_rank, err);
  if (!rc && !s.sum) s.sum = swaps_of(&s, BERTH_MODEL_SUM, err);
  if (!rc && !s.sum) rc = err->code;
  while (!rc && may_try(&s))
    if (draw(&s, &rank, &place) && lowers_sum(&s, rank, place) &&
        try_change(&s, rank, place) <= s.price)
      rc = make_change(&s, err);
  if (!rc) memcpy(pu_of_rank, s.pu_of_rank, (size_t)s.ranks * sizeof *pu_of_rank);
  spot_clear(&s);
  return rc;
}

int exact_search(const exact_search_t *how, int *pu_of_rank, berth_error_t *err)
{
  spot_t s;
  int rc = spot_init(&s, how, pu_of_rank, err);
  if (!rc) rc = walk(&s, err);
  for (uint64_t i = 0; !rc && how->kicks && may_try(&s); i++) {
    rc = kick(&s, i, err);
    if (!rc) rc = walk(&s, err);
  }
  for (int r = 0; r < s.ranks && !rc; r++) pu_of_rank[r] = s.problem->pus[s.best[r]];
  spot_clear(&s);
  return rc;
}
