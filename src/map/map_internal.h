/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the mappers share. */
#ifndef BERTH_MAP_INTERNAL_H
#define BERTH_MAP_INTERNAL_H

#include <berth/map.h>
#include <berth/sharing.h>
#include <stdbool.h>

/* Whether this share (0 to 1) of the problem's time limit is over, or a watch stopped the run. */
bool map_time_is_up(const berth_map_problem_t *problem, double share);

/* Share of the time limit for mappers that build placements; the rest is for evaluating them. */
#define MAP_BUILD_SHARE 0.8

/* MAP_CUT_SHORT if the time of a mapper that builds is up and the problem is large, so that the
 * rest would take long; else BERTH_OK. `best` then omits that mapper; run alone, it gives the
 * default order. */
enum { MAP_CUT_SHORT = 64 };
int map_cut_short(const berth_map_problem_t *problem);

/* The used share of the time limit; 0 without a limit. */
double map_time_used(const berth_map_problem_t *problem);

/* The problem with a time limit of its own, from now to that share of the limit. */
berth_map_problem_t map_time_slice(const berth_map_problem_t *problem, double end);

/* splitmix64 (Steele, Lea, Flood, 2014): a seed gives the same numbers on every machine. *state is
 * the seed at first. */
static inline uint64_t map_random_next(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A number below n, equally distributed. *state is the seed at first. */
uint64_t map_random_below(uint64_t *state, uint64_t n);

/* Evaluates placements with everything that the options ask for. The price, in seconds of the
 * objective, is the sum of:
 * - (1 - sum_share) of the cost, and sum_share of model sum's cost, scaled to be equal for the
 *   default order;
 * - move_price_s for each rank that isn't where options.from has it;
 * - the cost of shared cores.
 * Without these options the price is the objective's cost to the bit. Only one thread may use it at
 * a time. */
typedef struct map_pricer {
  const berth_map_problem_t *problem;
  berth_cost_t *cost;
  bool borrowed;            /* cost belongs to problem->shared */
  berth_sharing_t *sharing; /* NULL: cores can't be shared, or the cost of that is unknown */
  double cost_share;        /* of the objective's cost */
  double sum_share;         /* seconds of price for one of model sum */
} map_pricer_t;

int map_pricer_init(map_pricer_t *p, const berth_map_problem_t *problem, berth_error_t *err);
void map_pricer_clear(map_pricer_t *p);
double map_price(map_pricer_t *p, const int *pu_of_rank);

/* Returns rc; BERTH_MISSING if memory was out in an evaluation. */
int map_pricer_verdict(const map_pricer_t *p, int rc, berth_error_t *err);

/* The problem with any_pus instead of pus, if it has any. Everything is borrowed; don't clear
 * it. */
berth_map_problem_t map_widened(const berth_map_problem_t *problem);

/* Whether a rank is on a PU of any_pus that has no place in pus. */
bool map_uses_more(const berth_map_problem_t *problem, const int *pu_of_rank);

/* State that the mappers of a portfolio share. */
typedef struct map_shared {
  berth_cost_t *cost; /* an evaluator for one pricer at a time; NULL while it is lent */
} map_shared_t;

/* Whether a PU has a place. */
bool map_is_usable(const berth_map_problem_t *problem, int pu);

/* A lower bound of all placements' prices (bound.c). */
int map_lower_bound(const berth_map_problem_t *of, double *bound, berth_error_t *err);

/* Counts the places below each element, itself included, in places[], which must be 0. */
void map_count_places(const berth_map_problem_t *problem, int *places);

/* Finds where each rank may stay: its PU in options.from, or -1 if it must leave that. Pinned ranks
 * get their places first, then the others by number. */
int map_take_homes(const berth_map_problem_t *problem, int *home, berth_error_t *err);

/* Gives each rank a place (an index of problem->pus) on its PU, and each place its rank, -1:
 * free. */
void map_take_places(const berth_map_problem_t *problem, const int *pu_of_rank, int *place_of_rank,
                     int *rank_at);

/* Moves each pinned rank to its place: to a free one on its PU, or by a swap with a rank that isn't
 * pinned to it. */
int map_keep_pins(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

/* The name of placements with few moves (moves.h). */
#define MAP_PARTIAL "partial"

/* The name of the cheapest placement after even_ports. */
#define MAP_EVEN "even-ports"

/* With options.from: exchanges equal subtrees, so that the fewest ranks move at the same cost
 * (rename.c). Pinned ranks stay. */
int map_rename(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

static inline bool map_is_pinned(const berth_map_problem_t *problem, int rank)
{
  return problem->options.pinned && problem->options.pinned[rank] >= 0;
}

/* berth_map_run without the report: runs the mapper, in one process of a team unless it shares its
 * work, and handles pins. */
int map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper, int *pu_of_rank,
            const char **chosen, berth_error_t *err);

/* map_run for another pattern of the same ranks. The portfolio's evaluator isn't shared. */
int map_run_for(const berth_map_problem_t *problem, const berth_pattern_t *pattern,
                const berth_mapper_t *mapper, int *pu_of_rank, berth_error_t *err);

/* The price of `exact` times this is a lower bound, because of rounding. */
#define MAP_EXACT_TO (1 - 1e-12)

/* The mappers. They return what berth_mapper_t says. */
typedef int map_mapper_t(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                         berth_error_t *err);
map_mapper_t map_linear, map_round_robin, map_random, map_greedy, map_multilevel, map_metis,
    map_geometric, map_refine, map_stay, map_exact, map_best;
/* `metis`, or `multilevel` in a build without METIS. */
map_mapper_t map_cuts;
/* What the list says of a mapper that a build may leave out. */
extern const char map_metis_about[];

#endif
