/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches by exact prices: iterated local search (Lourenço, Martin, Stützle, 2003).
 * It walks by random swaps and moves that don't raise the price, and makes random changes (a kick)
 * where a walk ends. Changes of equal price are made: most changes don't affect the busiest port,
 * and the way to a cheaper placement leads through them. */
#include "map/map_search_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_watch.h"

enum {
  KICK_MAX = 4,    /* changes of a kick */
  FAR_KICK = 8,    /* one of so many kicks changes as much as there are ranks */
  LOOK_EVERY = 16, /* tries between two readings of the clock */
};

/* A search: its placement, and the best one so far. */
typedef struct walk {
  const exact_search_t *how;
  const berth_map_problem_t *problem;
  draft_t at;
  int *best; /* places */
  double best_price;
  uint64_t random, left;
} walk_t;

static int walk_init(walk_t *s, const exact_search_t *how, const int *pu_of_rank,
                     berth_error_t *err)
{
  *s = (walk_t){.how = how, .problem = how->problem, .random = how->seed, .left = how->tries};
  int rc = draft_init(&s->at, how->problem, how->swaps, pu_of_rank, err);
  if (rc) return rc;
  s->best = malloc((size_t)s->at.ranks * sizeof *s->best);
  if (!s->best) return no_memory(err);
  memcpy(s->best, s->at.place, (size_t)s->at.ranks * sizeof *s->best);
  s->best_price = s->at.price;
  return BERTH_OK;
}

static void walk_clear(walk_t *s)
{
  draft_clear(&s->at);
  free(s->best);
}

/* Whether a try is left; takes it. */
static bool may_try(walk_t *s)
{
  if (s->left == 0) return false;
  s->left--;
  if (!s->at.evaluates && s->left % LOOK_EVERY != 0) return true;
  watch_did(s->problem, s->at.evaluates ? 1 : LOOK_EVERY);
  if (!map_time_is_up(s->problem, s->how->time_share)) return true;
  s->left = 0; /* ends the search */
  return false;
}

/* Whether two PUs belong to one core. */
static bool is_one_core(const berth_topo_t *t, int a, int b)
{
  const berth_pu_t *x = berth_topo_pu(t, a), *y = berth_topo_pu(t, b);
  return x->host == y->host && x->core == y->core;
}

/* Whether two PUs are equal for all models: they are below one switch, and either no core is shared
 * or they are of one core. */
static bool are_alike(const walk_t *s, int a, int b)
{
  const berth_topo_t *t = s->problem->topo;
  if (a == b) return true;
  if (s->problem->max_on_pu > 1 || s->problem->options.from) return false;
  if (s->at.pricer.sharing && !is_one_core(t, a, b)) return false;
  return berth_topo_element(t, berth_topo_pu(t, a)->element)->parent ==
         berth_topo_element(t, berth_topo_pu(t, b)->element)->parent;
}

/* Draws a rank and another place for it. False if that changes nothing, or the rank is pinned. */
static bool draw(walk_t *s, int *rank, int *place)
{
  const berth_map_problem_t *p = s->problem;
  *rank = (int)map_random_below(&s->random, (uint64_t)s->at.ranks);
  *place = (int)map_random_below(&s->random, (uint64_t)p->n_pus);
  if (are_alike(s, p->pus[*place], s->at.pu_of_rank[*rank]) || map_is_pinned(p, *rank))
    return false;
  return s->at.rank_at[*place] < 0 || !map_is_pinned(p, s->at.rank_at[*place]);
}

static int run(walk_t *s, berth_error_t *err)
{
  int rc = BERTH_OK, rank, place;
  for (uint64_t idle = 0; !rc && idle < s->how->patience && may_try(s); idle++) {
    if (!draw(s, &rank, &place) || draft_try(&s->at, rank, place) > s->at.price) continue;
    if (s->at.tried < s->at.price) idle = 0;
    rc = draft_make(&s->at, err);
  }
  if (rc || s->at.price >= s->best_price) return rc;
  s->best_price = s->at.price;
  if (!s->how->swaps) watch_found(s->problem, s->at.price);
  memcpy(s->best, s->at.place, (size_t)s->at.ranks * sizeof *s->best);
  return BERTH_OK;
}

static int go_back(walk_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int r = 0; r < s->at.ranks && !rc; r++) {
    if (s->at.place[r] == s->best[r]) continue;
    if (s->at.evaluates) {
      draft_put(&s->at, r, s->best[r]);
      continue;
    }
    rc = isinf(draft_try(&s->at, r, s->best[r])) ? no_memory(err) : draft_make(&s->at, err);
  }
  s->at.price = s->best_price;
  return rc;
}

static int kick(walk_t *s, uint64_t number, berth_error_t *err)
{
  int rc = s->at.price > s->best_price ? go_back(s, err) : BERTH_OK;
  int n = 1 + (int)map_random_below(&s->random, KICK_MAX), rank, place;
  if (number % FAR_KICK == FAR_KICK - 1) n = s->at.ranks;
  for (int i = 0; i < n && !rc; i++) {
    if (!draw(s, &rank, &place) || !may_try(s) || isinf(draft_try(&s->at, rank, place))) continue;
    rc = draft_make(&s->at, err);
  }
  return rc;
}

/* Whether a change lowers the sum; doesn't check the price. */
static bool lowers_sum(walk_t *s, int rank, int place)
{
  int pu = s->problem->pus[place];
  return draft_try_swap(s->at.sum, rank, s->at.rank_at[place], pu) < berth_swap_cost(s->at.sum);
}

int exact_lower_sum(const exact_search_t *how, int *pu_of_rank, berth_error_t *err)
{
  walk_t s;
  int rank, place, rc = walk_init(&s, how, pu_of_rank, err);
  if (!rc && !s.at.sum) s.at.sum = draft_swaps(&s.at, BERTH_MODEL_SUM, err);
  if (!rc && !s.at.sum) rc = err->code;
  while (!rc && may_try(&s))
    if (draw(&s, &rank, &place) && lowers_sum(&s, rank, place) &&
        draft_try(&s.at, rank, place) <= s.at.price)
      rc = draft_make(&s.at, err);
  if (!rc) memcpy(pu_of_rank, s.at.pu_of_rank, (size_t)s.at.ranks * sizeof *pu_of_rank);
  walk_clear(&s);
  return rc;
}

int exact_search(const exact_search_t *how, int *pu_of_rank, berth_error_t *err)
{
  walk_t s;
  int rc = walk_init(&s, how, pu_of_rank, err);
  if (!rc) rc = run(&s, err);
  for (uint64_t i = 0; !rc && how->kicks && may_try(&s); i++) {
    rc = kick(&s, i, err);
    if (!rc) rc = run(&s, err);
  }
  for (int r = 0; r < s.at.ranks && !rc; r++) pu_of_rank[r] = s.problem->pus[s.best[r]];
  walk_clear(&s);
  return rc;
}
