/* SPDX-License-Identifier: BSD-3-Clause */
/* What the mappers share inside the module. */
#ifndef BERTH_MAP_INTERNAL_H
#define BERTH_MAP_INTERNAL_H

#include <berth/map.h>
#include <berth/sharing.h>
#include <stdbool.h>

/* Whether a share (0 to 1) of the problem's time limit is over, or a watch stopped the run. */
bool map_time_is_up(const berth_map_problem_t *problem, double share);

/* Share of the time limit that mappers which build get; the rest is for pricing what they made. */
#define MAP_BUILD_SHARE 0.8

/* MAP_CUT_SHORT where a mapper that builds has no time left and its problem is large, so that the
 * rest of its work would take long; else BERTH_OK. A portfolio goes without that mapper, and alone
 * it gives linear's placement. */
enum { MAP_CUT_SHORT = 64 };
int map_cut_short(const berth_map_problem_t *problem);

/* The share of the problem's time limit that is over, 0 without a limit. */
double map_time_used(const berth_map_problem_t *problem);

/* The problem with a time limit of its own: from now to the end of that share of its time limit. */
berth_map_problem_t map_time_slice(const berth_map_problem_t *problem, double end);

/* splitmix64 (Steele, Lea, Flood, 2014): the same numbers everywhere for the same seed, which
 * *state is at first. */
static inline uint64_t map_random_next(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A number below n, each with the same chance; *state is the seed at first. */
uint64_t map_random_below(uint64_t *state, uint64_t n);

/* Prices placements of a problem under all that its options ask for, in seconds of the objective:
 * (1 - sum_share) of its cost, and sum_share of model sum's, which counts as much for linear's
 * placement; move_price_s for each rank that isn't where options.from has it; and what ranks lose
 * by sharing cores. With none of these it is the objective's cost, to the bit. For one thread at a
 * time. */
typedef struct map_pricer {
  const berth_map_problem_t *problem;
  berth_cost_t *cost;
  bool borrowed;            /* cost is problem->shared's */
  berth_sharing_t *sharing; /* NULL: no core can be shared, or nobody knows what that costs */
  double cost_share;        /* of the objective's cost */
  double sum_share;         /* seconds for one of model sum */
} map_pricer_t;

int map_pricer_init(map_pricer_t *p, const berth_map_problem_t *problem, berth_error_t *err);
void map_pricer_clear(map_pricer_t *p);
double map_price(map_pricer_t *p, const int *pu_of_rank);

/* rc, or BERTH_MISSING if memory was out in one of those prices. */
int map_pricer_verdict(const map_pricer_t *p, int rc, berth_error_t *err);

/* The problem with any_pus in place of pus, where there are some; else the problem. What it points
 * to is borrowed: nothing is to be cleared. */
berth_map_problem_t map_widened(const berth_map_problem_t *problem);

/* Whether a rank is on a PU that has no place, which any_pus has. */
bool map_uses_more(const berth_map_problem_t *problem, const int *pu_of_rank);

/* What the mappers of a portfolio have in common. */
typedef struct map_shared {
  berth_cost_t *cost; /* an evaluator, which one pricer borrows at a time; NULL while it is lent */
} map_shared_t;

/* The part of a price for ranks that aren't where options.from has them. */
double map_price_of_moves(const berth_map_problem_t *problem, const int *pu_of_rank);

/* Whether a PU has a place. */
bool map_is_usable(const berth_map_problem_t *problem, int pu);

/* What no placement's price is below (bound.c). */
int map_lower_bound(const berth_map_problem_t *of, double *bound, berth_error_t *err);

/* Counts the places below each element, itself among them, in places[], which is 0 at first. */
void map_count_places(const berth_map_problem_t *problem, int *places);

/* Where each rank may stay: the PU that options.from has it on, or -1 if it must leave that. Pinned
 * ranks have their places first, then the ranks in their order. */
int map_take_homes(const berth_map_problem_t *problem, int *home, berth_error_t *err);

/* Gives each rank a place (an index of problem->pus) on its PU, and each place its rank, -1: none.
 */
void map_take_places(const berth_map_problem_t *problem, const int *pu_of_rank, int *place_of_rank,
                     int *rank_at);

/* Gives each pinned rank its place, by a move where one is free there, else by a swap with a rank
 * that belongs elsewhere. */
int map_keep_pins(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

/* The name of placements with few moves (moves.h). */
#define MAP_PARTIAL "partial"

/* The name of the cheapest placement after even_ports. */
#define MAP_EVEN "even-ports"

/* With options.from: lets subtrees of one kind change places, pinned ranks apart, so that the
 * placement costs the same, and the fewest ranks move that can be (rename.c). */
int map_rename(const berth_map_problem_t *problem, int *pu_of_rank, berth_error_t *err);

static inline bool map_is_pinned(const berth_map_problem_t *problem, int rank)
{
  return problem->options.pinned && problem->options.pinned[rank] >= 0;
}

/* What berth_map_run does but for the report: the mapper, in one process of a team unless it shares
 * its work, and pins. */
int map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper, int *pu_of_rank,
            const char **chosen, berth_error_t *err);

/* The price that `exact` finds is above this part of the least one: rounding. */
#define MAP_EXACT_TO (1 - 1e-12)

/* The mappers; see berth_mapper_t for what they return. */
int map_linear(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err);
int map_round_robin(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                    berth_error_t *err);
int map_random(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err);
int map_greedy(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err);
int map_multilevel(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                   berth_error_t *err);
int map_metis(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
              berth_error_t *err);
int map_geometric(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
                  berth_error_t *err);
int map_refine(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
               berth_error_t *err);
int map_stay(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err);
int map_exact(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
              berth_error_t *err);
int map_best(const berth_map_problem_t *problem, int *pu_of_rank, const char **chosen,
             berth_error_t *err);

#endif
