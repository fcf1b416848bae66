/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial moves: how cheap a placement gets if only so many ranks leave the places that
 * options.from has them on. */
#ifndef BERTH_MAP_MOVES_MOVES_H
#define BERTH_MAP_MOVES_MOVES_H

#include <math.h>

#include "map/map_draft.h"
#include "map/map_graph.h"

/* Whether the options ask for it: ranks are somewhere, and moves have a price or a limit. */
bool moves_wanted(const berth_map_problem_t *problem);

/* Whether so many ranks may move. */
static inline bool moves_allowed(const berth_map_problem_t *problem, int moved)
{
  const berth_map_options_t *o = &problem->options;
  return !o->from || o->max_moves < 0 || moved <= o->max_moves;
}

/* The ranks that aren't where options.from has them; ranks that it doesn't place aren't counted. */
int moves_count(const berth_map_problem_t *problem, const int *pu_of_rank);

/* Prices that differ by less are the same: rounding. */
#define MOVES_SAME 1e-12

static inline bool moves_is_same(double a, double b)
{
  return fabs(a - b) <= MOVES_SAME * fmax(fabs(a), fabs(b));
}

/* Whether a price is lower than another or, at the same price, fewer ranks move. */
static inline bool moves_is_better(double price, int moved, double other, int other_moved)
{
  return moves_is_same(price, other) ? moved < other_moved : price < other;
}

/* Renames, and brings ranks back to where they were as long as the cost (a price without that of
 * moves) doesn't rise: one by one, and along chains in which each takes the place of the next
 * (moves_home.c). Many ranks are renamed only. */
int moves_go_home(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

/* Fills report->point (NULL: nobody asks) from known placements, and pu_of_rank with the cheapest
 * of all points whose moves are allowed, by the price that has the price of moves. known[0] is the
 * placement of `stay`, which moves only ranks that have to; the points end where the cheapest of
 * all known is. With a team one process works and all get the result. */
int moves_find(const berth_map_problem_t *problem, const int *const *known, size_t n_known,
               int *pu_of_rank, berth_map_report_t *report, berth_error_t *err);

/* --- Its steps ------------------------------------------------------------------------------- */

enum { MOVES_MANY_RANKS = 32768 }; /* of more, single ranks aren't searched for */

/* The cheapest placement so far with at most so many moves, by the guide's price. */
typedef struct moves_point {
  int max, moved;
  int *pu_of_rank;
  double price;
} moves_point_t;

typedef struct moves {
  const berth_map_problem_t *problem;
  berth_map_problem_t guide; /* what searches go by: without the price of moves */
  moves_point_t point[BERTH_MAX_POINTS];
  size_t n;
  graph_t graph;
  uint64_t random;
  uint64_t tries; /* left of a way's */
} moves_t;

/* Takes a placement for all points that it is cheaper for than what they have, or as cheap with
 * fewer moves. */
void moves_offer(moves_t *m, const int *pu_of_rank, int moved, double price);

/* The first point with at least so many moves; m->n: there is none. */
size_t moves_point_of(const moves_t *m, int moved);

/* Goes from one placement to another by swaps and moves, in each of which a rank gets to its new
 * place, the greatest gain for each moved rank first; offers what it passes (moves_walk.c). */
int moves_walk(moves_t *m, const int *from, const int *to, berth_error_t *err);

/* Searches from point i's placement for cheaper ones with at most as many moves (moves_search.c).
 */
int moves_search(moves_t *m, size_t i, uint64_t tries, berth_error_t *err);

#endif
