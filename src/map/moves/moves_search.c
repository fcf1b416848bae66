/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches for cheaper placements with a limited number of moves.
 * It makes the change of a batch that gains most per moved rank. If none gains, some ranks go home,
 * and the search goes on. Half of the draws bring a rank of the most expensive resource near one
 * that it exchanges messages with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_watch.h"
#include "map/moves/moves.h"

enum { BATCH_MIN = 24, BATCH_MAX = 200, NEAR = 8, PAIRS = 64, HOME_MAX = 3, STALE = 6 };

/* What fewer moves at the same price count, relative to the price. */
static const double SLIGHT = 1e-12;

typedef struct seeking {
  moves_t *m;
  draft_t at;
  int max;
  berth_cost_t *cost; /* finds the most expensive resource; NULL: not used for few ranks */
  int *home;          /* the place where each rank may stay, -1: none */
  int *away, n_away;  /* ranks that aren't there */
  int *hot, n_hot;    /* ranks that load the most expensive resource */
  int age;            /* changes since `hot` was found */
  int *best;
  int best_moved;
  double best_price;
} seeking_t;

static int below(seeking_t *s, int n) { return (int)map_random_below(&s->m->random, (uint64_t)n); }

/* --- draws --- */

static int find_hot(seeking_t *s, berth_error_t *err)
{
  berth_cost_result_t r = {0};
  berth_model_t model = s->m->guide.options.objective;
  s->age = s->n_hot = 0;
  if (!s->cost) return BERTH_OK;
  int rc = berth_cost_explain(s->cost, model, s->at.pu_of_rank, PAIRS, &r, err);
  if (!rc && r.n_phases > 0) {
    const berth_phase_cost_t *p = &r.phases[r.max_cost_phase];
    for (size_t i = 0; i < p->n_listed; i++) {
      s->hot[s->n_hot++] = p->pairs[i].src;
      s->hot[s->n_hot++] = p->pairs[i].dst;
    }
  }
  berth_cost_result_clear(&r);
  return rc;
}

static void find_away(seeking_t *s)
{
  s->n_away = 0;
  for (int r = 0; r < s->at.ranks; r++)
    if (s->home[r] >= 0 && s->at.problem->pus[s->home[r]] != s->at.pu_of_rank[r] &&
        !map_is_pinned(s->at.problem, r))
      s->away[s->n_away++] = r;
}

static int draw_rank(seeking_t *s)
{
  if (s->n_hot && below(s, 4)) return s->hot[below(s, s->n_hot)];
  return below(s, s->at.ranks);
}

/* Draws a place: near a rank that it exchanges messages with, or any. If no more ranks may move,
 * half of the draws are a place of a moved rank, or home. */
static int draw_place(seeking_t *s, int rank)
{
  const graph_t *g = &s->m->graph;
  int places = s->at.problem->n_pus, degree = (int)(g->start[rank + 1] - g->start[rank]);
  if (s->at.moved + 1 >= s->max && s->n_away && below(s, 2)) {
    int other = s->away[below(s, s->n_away)];
    return s->at.place[other];
  }
  if (s->home[rank] >= 0 && s->home[rank] != s->at.place[rank] && below(s, 8) == 0)
    return s->home[rank];
  if (degree == 0 || below(s, 3) == 0) return below(s, places);
  int at = s->at.place[g->adjacent[g->start[rank] + (size_t)below(s, degree)]];
  at += below(s, 2 * NEAR + 1) - NEAR;
  return at < 0 ? 0 : at >= places ? places - 1 : at;
}

static bool may_change(const seeking_t *s, int rank, int place)
{
  const berth_map_problem_t *p = s->at.problem;
  int other = s->at.rank_at[place];
  return p->pus[place] != s->at.pu_of_rank[rank] && !map_is_pinned(p, rank) &&
         (other < 0 || !map_is_pinned(p, other)) && draft_moved(&s->at, rank, place) <= s->max;
}

/* --- steps --- */

/* Finds the best change of a batch; false if none gains. */
static bool best_of_batch(seeking_t *s, int batch, uint64_t *tries, int *rank, int *place)
{
  double best = 0;
  for (int i = 0; i<batch && * tries> 0; i++) {
    int r = draw_rank(s), to = draw_place(s, r);
    --*tries;
    if (!may_change(s, r, to)) continue;
    double gain = s->at.price - draft_try(&s->at, r, to);
    int more = s->at.tried_moved - s->at.moved;
    if (more < 0 && moves_is_same(s->at.price, s->at.price - gain)) gain = SLIGHT * s->at.price;
    double each = more > 0 ? gain / more : 2 * gain;
    if (each <= best) continue;
    best = each;
    *rank = r;
    *place = to;
  }
  return best > 0;
}

static int make(seeking_t *s, int rank, int place, berth_error_t *err)
{
  if (isinf(draft_try(&s->at, rank, place))) return no_memory(err);
  int rc = draft_make(&s->at, err);
  find_away(s);
  if (!rc && s->age++ >= (s->at.ranks > 512 ? STALE : 0)) rc = find_hot(s, err);
  return rc;
}

static void keep_best(seeking_t *s)
{
  if (!moves_is_better(s->at.price, s->at.moved, s->best_price, s->best_moved)) return;
  s->best_price = s->at.price;
  s->best_moved = s->at.moved;
  memcpy(s->best, s->at.pu_of_rank, (size_t)s->at.ranks * sizeof *s->best);
}

/* Sends some ranks home, exchanging places. If none is away, makes any allowed change. */
static int shake(seeking_t *s, uint64_t *tries, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int n = 1 + below(s, HOME_MAX); n > 0 && !rc && *tries > 0; n--) {
    bool homewards = s->n_away > 0 && below(s, 4);
    int rank = homewards ? s->away[below(s, s->n_away)] : draw_rank(s);
    int place = homewards ? s->home[rank] : draw_place(s, rank);
    --*tries;
    if (may_change(s, rank, place)) rc = make(s, rank, place, err);
  }
  return rc;
}

/* --- the search --- */

static int seeking_init(seeking_t *s, moves_t *m, const moves_point_t *start, berth_error_t *err)
{
  enum { FEW_RANKS = 16 };
  *s = (seeking_t){.m = m, .max = start->max};
  int rc = draft_init(&s->at, &m->guide, true, start->pu_of_rank, err);
  if (rc) return rc;
  size_t ranks = (size_t)s->at.ranks;
  int *scratch = malloc((size_t)m->guide.n_pus * sizeof *scratch);
  s->home = malloc(ranks * sizeof *s->home);
  s->away = malloc(ranks * sizeof *s->away);
  s->hot = malloc((size_t)2 * PAIRS * sizeof *s->hot);
  s->best = malloc(ranks * sizeof *s->best);
  if (s->at.ranks > FEW_RANKS) s->cost = berth_cost_new(m->guide.pattern, m->guide.topo, err);
  if (!scratch || !s->home || !s->away || !s->hot || !s->best ||
      (s->at.ranks > FEW_RANKS && !s->cost)) {
    free(scratch);
    return no_memory(err);
  }
  const int *from = m->guide.options.from, *stay = m->point[0].pu_of_rank;
  map_take_places(&m->guide, stay, s->home, scratch);
  free(scratch);
  for (int r = 0; r < s->at.ranks; r++)
    if (from[r] != stay[r]) s->home[r] = -1;
  memcpy(s->best, start->pu_of_rank, ranks * sizeof *s->best);
  s->best_price = s->at.price;
  s->best_moved = s->at.moved;
  find_away(s);
  return find_hot(s, err);
}

static void seeking_clear(seeking_t *s)
{
  draft_clear(&s->at);
  berth_cost_free(s->cost);
  free(s->home);
  free(s->away);
  free(s->hot);
  free(s->best);
}

int moves_search(moves_t *m, size_t i, uint64_t tries, berth_error_t *err)
{
  seeking_t s;
  int rank = 0, place = 0, rc = seeking_init(&s, m, &m->point[i], err);
  int batch = s.at.ranks / 2 < BATCH_MIN   ? BATCH_MIN
              : s.at.ranks / 2 > BATCH_MAX ? BATCH_MAX
                                           : s.at.ranks / 2;
  while (!rc && tries > 0 && !map_time_is_up(m->problem, 1)) {
    if (best_of_batch(&s, batch, &tries, &rank, &place)) {
      rc = make(&s, rank, place, err);
      continue;
    }
    keep_best(&s);
    rc = shake(&s, &tries, err);
  }
  if (!rc) keep_best(&s);
  if (!rc) moves_offer(m, s.best, s.best_moved, s.best_price);
  seeking_clear(&s);
  return rc;
}
