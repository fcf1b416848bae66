/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how cheap placements with few moved ranks are: one point for each round number of moves.
 * A point gets the cheapest of these placements: known ones; those on the ways between the
 * placement with fewest moves and the cheapest one, in both directions; results of a search with
 * that many moves. */
#include "map/moves/moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/map_share.h"
#include "map/map_watch.h"

enum {
  EACH = 10,                     /* numbers of moves up to this have points of their own */
  FEW_RANKS = 32,                /* up to as many ranks, searches use only the price */
  MANY_RANKS = MOVES_MANY_RANKS, /* with more, points come from ways only */
  HUGE_RANKS = 1 << 18           /* with more, from known placements only */
};

/* The sum's share in the price of searches with more ranks. The busiest port alone says that nearly
 * all changes are equal. */
static const double GUIDING_SUM = 0.02;

/* Tries of all searches together. */
static const uint64_t tries_of[] = {
    [BERTH_QUALITY_FAST] = 30000, [BERTH_QUALITY_ECO] = 300000, [BERTH_QUALITY_STRONG] = 1500000};
/* The share of tries for ways; and the maximum of a search for each place. */
static const double WALKING = 0.4;
enum { TRIES_A_PLACE = 600 };

bool moves_wanted(const berth_map_problem_t *problem)
{
  const berth_map_options_t *o = &problem->options;
  return o->from && (o->move_price_s > 0 || o->max_moves >= 0);
}

int moves_count(const berth_map_problem_t *problem, const int *pu_of_rank)
{
  int moved = 0, ranks = berth_pattern_ranks(problem->pattern);
  const int *from = problem->options.from;
  for (int r = 0; from && r < ranks; r++) moved += from[r] >= 0 && from[r] != pu_of_rank[r];
  return moved;
}

static size_t bytes_of(const moves_t *m)
{
  return (size_t)berth_pattern_ranks(m->problem->pattern) * sizeof(int);
}

size_t moves_point_of(const moves_t *m, int moved)
{
  size_t i = 0;
  while (i < m->n && m->point[i].max < moved) i++;
  return i;
}

void moves_offer(moves_t *m, const int *pu_of_rank, int moved, double price)
{
  for (size_t i = moves_point_of(m, moved); i < m->n; i++) {
    moves_point_t *p = &m->point[i];
    if (!moves_is_better(price, moved, p->price, p->moved)) continue;
    p->price = price;
    p->moved = moved;
    memcpy(p->pu_of_rank, pu_of_rank, bytes_of(m));
  }
}

/* --- the points --- */

static int add_point(moves_t *m, int max, const int *pu_of_rank, double price, berth_error_t *err)
{
  moves_point_t *p = &m->point[m->n];
  if (m->n == BERTH_MAX_POINTS || (m->n && max <= m->point[m->n - 1].max)) return BERTH_OK;
  *p = (moves_point_t){max, m->n ? m->point[0].moved : max, malloc(bytes_of(m)), price};
  if (!p->pu_of_rank) return no_memory(err);
  memcpy(p->pu_of_rank, pu_of_rank, bytes_of(m));
  m->n++;
  return BERTH_OK;
}

/* The next round number: 1, 2, … 10, 20, 50, 100 and so on. */
static int next_round(int k, bool many)
{
  int decade = 1;
  if (k < EACH) return k + 1;
  while (decade <= k / 10) decade *= 10;
  if (many) return 10 * decade;
  return k < 2 * decade ? 2 * decade : k < 5 * decade ? 5 * decade : 10 * decade;
}

/* Adds points from the fewest moves to the last ones, all with the placement of fewest moves. */
static int add_points(moves_t *m, const int *stay, int last, double price, berth_error_t *err)
{
  int min = moves_count(m->problem, stay), limit = m->problem->options.max_moves;
  bool many = berth_pattern_ranks(m->problem->pattern) > MANY_RANKS;
  int rc = add_point(m, min, stay, price, err);
  for (int k = 0; k < last && !rc; k = next_round(k, many)) {
    if (k > min) rc = add_point(m, k, stay, price, err);
    bool between = limit > k && limit < last && limit < next_round(k, many);
    if (!rc && between) rc = add_point(m, limit, stay, price, err);
  }
  return rc ? rc : add_point(m, last, stay, price, err);
}

/* --- known placements --- */

/* The cheapest known placement; of equal ones the one with the fewest moves. */
static size_t find_goal(const moves_t *m, map_pricer_t *pricer, const int *const *known, size_t n)
{
  size_t goal = 0;
  int min_moved = moves_count(m->problem, known[0]);
  double min = map_price(pricer, known[0]);
  for (size_t i = 1; i < n; i++) {
    double price = map_price(pricer, known[i]);
    int moved = moves_count(m->problem, known[i]);
    if (!moves_is_better(price, moved, min, min_moved)) continue;
    goal = i;
    min = price;
    min_moved = moved;
  }
  return goal;
}

static void offer_known(moves_t *m, map_pricer_t *pricer, const int *const *known, size_t n)
{
  for (size_t i = 0; i < n; i++)
    moves_offer(m, known[i], moves_count(m->problem, known[i]), map_price(pricer, known[i]));
}

/* --- the work --- */

static berth_map_problem_t guide_of(const berth_map_problem_t *problem)
{
  berth_map_problem_t guide = *problem;
  berth_map_options_t *o = &guide.options;
  o->move_price_s = 0;
  if (o->objective == BERTH_MODEL_FLOW) o->objective = BERTH_MODEL_BOUND;
  if (berth_pattern_ranks(problem->pattern) > FEW_RANKS && o->sum_share < GUIDING_SUM)
    o->sum_share = GUIDING_SUM;
  guide.shared = NULL;
  guide.watch = NULL;
  return guide;
}

static uint64_t at_most(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Searches from each point, the fewest moves first. Its result is offered to the next points. */
static int search_all(moves_t *m, uint64_t tries, berth_error_t *err)
{
  int rc = BERTH_OK;
  uint64_t max = TRIES_A_PLACE * (uint64_t)m->problem->n_pus;
  for (size_t i = 0; i + 1 < m->n && !rc && !map_time_is_up(m->problem, 1); i++) {
    watch_did(m->problem, 1);
    rc = moves_search(m, i, at_most(tries / m->n, max), err);
  }
  return rc;
}

/* Brings ranks home from each point, the most moves first: a good placement with many moves may
 * lead to one with fewer. */
static int walk_home(moves_t *m, uint64_t tries, const int *stay, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t bytes = bytes_of(m);
  int *from = malloc(bytes);
  if (!from) return no_memory(err);
  for (size_t i = m->n; i-- > 1 && !rc && !map_time_is_up(m->problem, 1);) {
    if (m->point[i].moved == m->point[i - 1].moved) continue;
    memcpy(from, m->point[i].pu_of_rank, bytes); /* the walk may replace the point's placement */
    m->tries = tries / m->n;
    rc = moves_walk(m, from, stay, err);
  }
  free(from);
  return rc;
}

static int improve(moves_t *m, const int *const *known, size_t n_known, size_t goal,
                   berth_error_t *err)
{
  map_pricer_t pricer;
  int ranks = berth_pattern_ranks(m->problem->pattern);
  uint64_t all = tries_of[m->problem->options.quality];
  int rc = map_pricer_init(&pricer, &m->guide, err);
  if (rc) return rc;
  offer_known(m, &pricer, known, n_known);
  rc = map_pricer_verdict(&pricer, rc, err);
  map_pricer_clear(&pricer);
  if (m->guide.options.iterations) all = m->guide.options.iterations;
  bool hurried = m->problem->options.time_limit_s > 0; /* a way's start can't be stopped */
  if (rc || ranks > (hurried ? MANY_RANKS : HUGE_RANKS)) return rc;
  for (int back = 0; back < 2 && !rc && !map_time_is_up(m->problem, 1); back++) {
    m->tries = (uint64_t)((double)all * WALKING / 2);
    rc = moves_walk(m, known[back ? goal : 0], known[back ? 0 : goal], err);
  }
  if (rc || ranks > MANY_RANKS) return rc;
  uint64_t tries = (uint64_t)((double)all * (1 - WALKING));
  rc = search_all(m, tries, err);
  return rc ? rc : walk_home(m, tries, known[0], err);
}

/* Drops the difference of points that gain only rounding errors. */
static void level_out(moves_t *m)
{
  for (size_t i = 1; i < m->n; i++) {
    moves_point_t *p = &m->point[i], *before = p - 1;
    if (p->price < before->price && !moves_is_same(p->price, before->price)) continue;
    p->price = before->price;
    p->moved = before->moved;
    memcpy(p->pu_of_rank, before->pu_of_rank, bytes_of(m));
  }
}

/* Brings ranks of the points home, and evaluates the points in the objective. No point costs more
 * than the one before it or a known placement. */
static int settle(moves_t *m, map_pricer_t *pricer, const int *const *known, size_t n_known,
                  berth_error_t *err)
{
  int rc = BERTH_OK;
  berth_map_problem_t wide = map_widened(m->problem);
  for (size_t i = 0; i < m->n && !rc; i++) {
    moves_point_t *p = &m->point[i];
    if (!map_time_is_up(m->problem, 1)) rc = moves_go_home(&wide, p->pu_of_rank, err);
    p->price = map_price(pricer, p->pu_of_rank);
    p->moved = moves_count(m->problem, p->pu_of_rank);
  }
  if (rc) return rc;
  for (size_t i = 0; i + 1 < m->n; i++)
    moves_offer(m, m->point[i].pu_of_rank, m->point[i].moved, m->point[i].price);
  offer_known(m, pricer, known, n_known);
  level_out(m);
  return BERTH_OK;
}

/* The cheapest point, with the price of moves and within the limit. */
static const moves_point_t *choose(const moves_t *m)
{
  const moves_point_t *best = &m->point[0];
  double each = m->problem->options.move_price_s;
  for (size_t i = 1; i < m->n; i++) {
    const moves_point_t *p = &m->point[i];
    if (moves_allowed(m->problem, p->moved) &&
        moves_is_better(p->price + each * p->moved, p->moved, best->price + each * best->moved,
                        best->moved))
      best = p;
  }
  return best;
}

static int find(moves_t *m, map_pricer_t *pricer, const int *const *known, size_t n_known,
                int *pu_of_rank, berth_error_t *err)
{
  size_t goal = find_goal(m, pricer, known, n_known);
  int rc = add_points(m, known[0], moves_count(m->problem, known[goal]), 1e300, err);
  if (!rc) rc = graph_of_pattern(m->problem->pattern, &m->graph, err);
  watch_stage(m->problem, "moving few ranks", (double)m->n);
  if (!rc) rc = improve(m, known, n_known, goal, err);
  if (!rc) rc = settle(m, pricer, known, n_known, err);
  if (rc) return rc;
  memcpy(pu_of_rank, choose(m)->pu_of_rank, bytes_of(m));
  return BERTH_OK;
}

static void report_points(const moves_t *m, berth_map_report_t *report)
{
  report->n_points = m->n;
  for (size_t i = 0; i < m->n; i++)
    report->point[i] = (berth_move_point_t){m->point[i].max, m->point[i].moved, m->point[i].price};
}

static int find_here(const berth_map_problem_t *problem, const int *const *known, size_t n_known,
                     int *pu_of_rank, berth_map_report_t *report, berth_error_t *err)
{
  map_pricer_t pricer;
  berth_map_problem_t free_of_charge = map_widened(problem);
  free_of_charge.options.move_price_s = 0;
  moves_t m = {.problem = problem, .guide = guide_of(problem), .random = problem->options.seed};
  int rc = map_pricer_init(&pricer, &free_of_charge, err);
  if (!rc) rc = find(&m, &pricer, known, n_known, pu_of_rank, err);
  rc = map_pricer_verdict(&pricer, rc, err);
  if (!rc) report_points(&m, report);
  map_pricer_clear(&pricer);
  graph_clear(&m.graph);
  for (size_t i = 0; i < m.n; i++) free(m.point[i].pu_of_rank);
  return rc;
}

int moves_find(const berth_map_problem_t *problem, const int *const *known, size_t n_known,
               int *pu_of_rank, berth_map_report_t *report, berth_error_t *err)
{
  berth_error_t found = {0};
  berth_map_report_t own = {0}, *r = report ? report : &own;
  int rc = BERTH_OK;
  if (share_is_mine(problem, 0)) rc = find_here(problem, known, n_known, pu_of_rank, r, &found);
  if (!problem->options.team && rc) *err = found;
  rc = share_result(problem, 0, rc, &found, pu_of_rank, err);
  if (!rc) rc = share_data(problem, 0, &r->n_points, sizeof r->n_points, err);
  return rc ? rc : share_data(problem, 0, r->point, sizeof r->point, err);
}
