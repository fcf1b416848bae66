/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings moved ranks back to their old places without raising the cost.
 * A rank goes back, and the rank that is there goes to the first one's place. If that raises the
 * cost, the second one goes home in turn, and so on. With few places, it tries all of them. A chain
 * that doesn't restore the cost is undone. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_watch.h"
#include "map/moves/moves.h"

/* Tries in all. An evaluation takes much longer than a try by swaps. */
static const uint64_t tries_of[] = {
    [BERTH_QUALITY_FAST] = 30000, [BERTH_QUALITY_ECO] = 300000, [BERTH_QUALITY_STRONG] = 1500000};
enum { AN_EVALUATION = 1000, FEW_PLACES = 64 };

typedef struct homing {
  draft_t at;
  int *first;        /* by PU: its first place */
  int *rank, *place; /* steps of the chain that aren't final: which rank left which place */
  int n_steps;
  double max; /* the price that must not be exceeded */
  uint64_t tries;
} homing_t;

/* Whether a place is free, or its rank may leave because it has moved before. */
static bool may_leave(const homing_t *h, int place)
{
  const berth_map_problem_t *p = h->at.problem;
  int rank = h->at.rank_at[place];
  return rank < 0 || (p->options.from[rank] != p->pus[place] && !map_is_pinned(p, rank));
}

/* A place on the rank's old PU that it may take; -1: none. */
static int find_home(const homing_t *h, int rank)
{
  const berth_map_problem_t *p = h->at.problem;
  int pu = p->options.from[rank];
  if (pu < 0 || pu == h->at.pu_of_rank[rank] || map_is_pinned(p, rank)) return -1;
  for (int i = h->first[pu]; i >= 0 && i < p->n_pus && p->pus[i] == pu; i++)
    if (may_leave(h, i)) return i;
  return -1;
}

static int step(homing_t *h, int rank, int to, berth_error_t *err)
{
  if (isinf(draft_try(&h->at, rank, to))) return no_memory(err);
  h->tries -= h->tries > 0;
  return draft_make(&h->at, err);
}

/* Ends a chain: tries all places for its last rank. */
static int try_all(homing_t *h, int rank, int moved, berth_error_t *err)
{
  if (rank < 0 || h->at.problem->n_pus > FEW_PLACES) return BERTH_OK;
  for (int i = 0; i < h->at.problem->n_pus && h->tries > 0; i++) {
    if (i == h->at.place[rank] || !may_leave(h, i) || draft_moved(&h->at, rank, i) >= moved)
      continue;
    h->tries--;
    double price = draft_try(&h->at, rank, i);
    if (isinf(price)) return no_memory(err);
    if (price > h->max) continue;
    h->n_steps = 0;
    return draft_make(&h->at, err);
  }
  return BERTH_OK;
}

/* Follows a rank's chain: each goes home, and displaces the next one. */
static int follow(homing_t *h, int rank, berth_error_t *err)
{
  int rc = BERTH_OK, moved = h->at.moved;
  h->n_steps = 0;
  for (int to; rank >= 0 && h->tries > 0 && (to = find_home(h, rank)) >= 0 && !rc;) {
    int other = h->at.rank_at[to];
    h->rank[h->n_steps] = rank;
    h->place[h->n_steps++] = h->at.place[rank];
    rc = step(h, rank, to, err);
    if (h->at.price <= h->max && h->at.moved < moved) {
      h->n_steps = 0;
      moved = h->at.moved;
    }
    if (!rc && h->n_steps > 0) rc = try_all(h, other, moved, err);
    rank = h->n_steps > 0 ? other : -1;
  }
  while (!rc && h->n_steps-- > 0) rc = step(h, h->rank[h->n_steps], h->place[h->n_steps], err);
  return rc;
}

static int homing_init(homing_t *h, const berth_map_problem_t *problem, const int *pu_of_rank,
                       berth_error_t *err)
{
  *h = (homing_t){.tries = tries_of[problem->options.quality]};
  if (draft_needs_evaluations(problem)) h->tries /= AN_EVALUATION;
  int rc = draft_init(&h->at, problem, false, pu_of_rank, err);
  if (rc) return rc;
  int pus = berth_topo_n_pus(problem->topo);
  h->first = malloc((size_t)pus * sizeof *h->first);
  h->rank = malloc((size_t)h->at.ranks * sizeof *h->rank);
  h->place = malloc((size_t)h->at.ranks * sizeof *h->place);
  if (!h->first || !h->rank || !h->place) return no_memory(err);
  for (int p = 0; p < pus; p++) h->first[p] = -1;
  for (int i = problem->n_pus - 1; i >= 0; i--) h->first[problem->pus[i]] = i;
  h->max = h->at.price * (1 + MOVES_SAME);
  return BERTH_OK;
}

static void homing_clear(homing_t *h)
{
  draft_clear(&h->at);
  free(h->first);
  free(h->rank);
  free(h->place);
}

static int bring_home(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err)
{
  homing_t h;
  int rc = homing_init(&h, problem, pu_of_rank, err);
  for (int before = -1; !rc && h.at.moved > 0 && h.at.moved != before && h.tries > 0;) {
    before = h.at.moved;
    for (int r = 0; r < h.at.ranks && !rc && !map_time_is_up(problem, 1); r++)
      rc = follow(&h, r, err);
  }
  if (!rc) memcpy(pu_of_rank, h.at.pu_of_rank, (size_t)h.at.ranks * sizeof *pu_of_rank);
  homing_clear(&h);
  return rc;
}

int moves_go_home(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err)
{
  berth_map_problem_t free_of_charge = *problem;
  free_of_charge.options.move_price_s = 0;
  if (!problem->options.from) return BERTH_OK;
  int rc = map_rename(problem, pu_of_rank, err);
  if (rc || berth_pattern_ranks(problem->pattern) > MOVES_MANY_RANKS) return rc;
  return bring_home(&free_of_charge, pu_of_rank, err);
}
