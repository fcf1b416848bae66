/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial moves: the price of placements in which only so many ranks leave their PU in
 * options.from. */
#ifndef BERTH_MAP_MOVES_MOVES_H
#define BERTH_MAP_MOVES_MOVES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "map/map_draft.h"
#include "map/map_graph.h"

/* Whether the options ask for it: `from` is given, and moves have a price or a limit. */
bool moves_wanted(const berth_map_problem_t *problem);

/* Whether so many ranks may move. */
static inline bool moves_allowed(const berth_map_problem_t *problem, int moved)
{
  const berth_map_options_t *o = &problem->options;
  return !o->from || o->max_moves < 0 || moved <= o->max_moves;
}

/* Counts the ranks that aren't where options.from has them. Ranks without a PU there don't
 * count. */
int moves_count(const berth_map_problem_t *problem, const int *pu_of_rank);

/* Relative differences of prices below this are rounding errors. */
#define MOVES_SAME 1e-12

static inline bool moves_is_same(double a, double b)
{
  return fabs(a - b) <= MOVES_SAME * fmax(fabs(a), fabs(b));
}

/* Whether a price is lower, or equal with fewer moves. */
static inline bool moves_is_better(double price, int moved, double other, int other_moved)
{
  return moves_is_same(price, other) ? moved < other_moved : price < other;
}

/* Renames subtrees, then brings ranks back to where they were, as long as the cost (without moves)
 * doesn't rise: one by one, and in chains in which each rank takes the next one's place
 * (moves_home.c). Many ranks are only renamed. */
int moves_go_home(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

/* Fills report->point (NULL: not needed), starting from known placements. Fills pu_of_rank with the
 * cheapest allowed point, by the price with moves. known[0] is the placement of `stay`, which moves
 * only ranks that must. The last point is the cheapest known placement. One process of a team
 * works; all get the result. */
int moves_find(const berth_map_problem_t *problem, const int *const *known, size_t n_known,
               int *pu_of_rank, berth_map_report_t *report, berth_error_t *err);

/* --- Steps of moves_find ---------------------------------------------------------------------- */

enum { MOVES_MANY_RANKS = 32768 }; /* with more, single ranks aren't searched for */

/* The cheapest placement so far with at most `max` moves, by the guide's price. */
typedef struct moves_point {
  int max, moved;
  int *pu_of_rank;
  double price;
} moves_point_t;

typedef struct moves {
  const berth_map_problem_t *problem;
  berth_map_problem_t guide; /* the problem that searches use: moves have no price */
  moves_point_t point[BERTH_MAX_POINTS];
  size_t n;
  graph_t graph;
  uint64_t random;
  uint64_t tries; /* left for each way */
} moves_t;

/* Offers a placement to all points. A point takes it if it is cheaper, or equally cheap with fewer
 * moves. */
void moves_offer(moves_t *m, const int *pu_of_rank, int moved, double price);

/* The first point with at least so many moves; m->n if there is none. */
size_t moves_point_of(const moves_t *m, int moved);

/* Goes from one placement to another in swaps and moves. Each step brings a rank to its new place,
 * the greatest gain per moved rank first. Offers the placements on the way (moves_walk.c). */
int moves_walk(moves_t *m, const int *from, const int *to, berth_error_t *err);

/* Searches from point i's placement for cheaper ones within its moves (moves_search.c). */
int moves_search(moves_t *m, size_t i, uint64_t tries, berth_error_t *err);

typedef struct assignment_edge {
  int left, right; /* any numbers; each pair at most once */
  int weight;      /* above 0 */
  bool taken;      /* the result: part of the assignment */
} assignment_edge_t;

/* An assignment of greatest weight between two sets (assignment.c) chooses edges so that no number
 * is used twice on its side. The total weight is maximal (Kuhn, 1955; Munkres, 1957) if that is
 * bounded work; otherwise the heaviest edges are taken first. False when memory is out. */
bool assignment_find(assignment_edge_t *edge, size_t n);

#endif
