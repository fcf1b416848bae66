/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for placements whose busiest resource carries little: simulated annealing on a potential
 * that looks past the single worst one, over a compact picture of the problem.
 *
 * The picture: bytes between ranks by phase, and the tree of those switches that cost anything,
 * each with three loads: what leaves it, what enters it, and what crosses the switch itself. A
 * load's time is its bytes over the capacity of the slowest resource of the same messages. Curves
 * count in the share of the sum alone, with their average over the pattern. */
#ifndef BERTH_MAP_SEARCH_PORT_SEARCH_PORT_H
#define BERTH_MAP_SEARCH_PORT_SEARCH_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "map/map_internal.h"

enum { PORT_OUT, PORT_IN, PORT_CROSS, PORT_LOADS };

/* A switch, or a PU where its own port matters. Numbers are depth first. */
typedef struct port_node {
  int parent;
  int size;          /* nodes in its subtree */
  int place, places; /* its places are those from `place` on, in the model's `place` */
  int depth, height; /* 0 at the root; 0 where nothing is below */
  bool is_pu;
} port_node_t;

/* What a rank and another one exchange in one phase. */
typedef struct port_link {
  int other, phase;
  int rank, back; /* whose it is; the other one's link that says the same */
  double out, in; /* bytes to and from the other one */
} port_link_t;

/* The picture of a problem; nothing in it changes while threads search. A place is one rank's room
 * on a PU. */
typedef struct port_model {
  const berth_map_problem_t *problem;
  int n_nodes, height;
  port_node_t *node;
  double *time;     /* [node][PORT_LOADS]: seconds that a byte takes */
  double *sum_time; /* the same for model sum, times the share of the sum */
  int n_ranks, n_phases, n_places;
  double *repeats;    /* of each phase */
  size_t *first_link; /* of each rank, and the end of the last's */
  port_link_t *link;  /* by rank, phase and other */
  int *leaf;          /* of each place: the node that it hangs below */
  double cost_share;  /* of the busiest loads */
  bool has_sum;       /* model sum has a share, too */
  bool is_cut;        /* links and repeats are another model's */
} port_model_t;

int port_model_init(port_model_t *m, const map_pricer_t *pricer, berth_error_t *err);
/* The upper part of a model, which must stay: without what is below some depth. */
int port_model_cut(port_model_t *m, const port_model_t *whole, int depth, berth_error_t *err);
void port_model_clear(port_model_t *m);
/* Whether all loads of all phases fit in a sensible part of a machine's memory, in so many states
 * at once. */
bool port_model_fits(const port_model_t *m, int states);
/* The least depth below which nothing can be busiest, wherever the ranks are: no load there takes
 * nearly as long as the busiest does with the ranks on these PUs. */
int port_model_depth(const port_model_t *m, const int *pu_of_rank, int *depth, berth_error_t *err);

/* --- A placement under way (search_port_state.c). --- */

/* A load that the last try changes: its bytes and its power afterwards. */
typedef struct port_change {
  size_t load;
  double bytes, power;
} port_change_t;

/* A phase whose potential the last try changes. */
typedef struct port_phase_change {
  int phase;
  double total, norm;
} port_phase_change_t;

/* The way from a place up to below where it meets another one's: nodes, deepest first. */
typedef struct port_chain {
  int n, *node;
  double *inside[2]; /* bytes of rank a, b with ranks that the node holds, both ways */
  double *delta;     /* [node of the chain][PORT_LOADS] */
} port_chain_t;

/* Ranks on places. The potential of a phase is a norm of its loads' times, the root of the sum of
 * their powers, which is near the largest, but sees the others. */
typedef struct port_state {
  const port_model_t *model;
  int *place_of_rank, *leaf_of_rank;
  int *rank_at;         /* each place's rank, -1: none */
  double *shared;       /* [phase][rank][node]: bytes of a rank and those below a node, both ways;
                           NULL where that would be too many */
  port_link_t *all;     /* beside, [phase][rank]: all that a rank exchanges */
  size_t n_apart;       /* links of ranks that are on different leaves */
  int *apart;           /* those links */
  int *apart_at;        /* of each link: where it is among those, -1 for others */
  double *bytes;        /* [phase][node][PORT_LOADS] */
  double *power;        /* beside: (time / unit)^(2^doublings) */
  double *unit;         /* of each phase: its largest time when the loads were last added up */
  double *total, *norm; /* of each phase: the sum of its powers; unit times its root */
  int doublings;
  double sum_weight; /* 1, or 0 while the ports are searched alone */
  double sum, moves; /* what model sum and moved ranks add to the potential */
  double potential;
  port_chain_t chain[2]; /* of the last try: from rank a's place, from the place it goes to */
  int a, b, to;          /* rank a goes to place `to`; b: the rank there or -1 */
  size_t n_changes;
  port_change_t *change;
  int n_phase_changes;
  port_phase_change_t *phase_change;
  double tried_sum, tried_moves, tried;
} port_state_t;

int port_state_init(port_state_t *s, const port_model_t *m, const int *pu_of_rank,
                    berth_error_t *err);
void port_state_clear(port_state_t *s);

/* Whether a rank exchanges bytes with one below a node. */
bool port_state_belongs(const port_state_t *s, int rank, int node);

/* Puts each rank on a place; port_state_add_up is to follow. */
void port_state_place(port_state_t *s, const int *place_of_rank);

/* Adds everything up anew, with powers of 2^doublings. */
void port_state_add_up(port_state_t *s, int doublings);
/* The longest time of a load in a phase. */
double port_state_largest(const port_state_t *s, int phase);
/* What the placement costs by the picture: each phase's busiest load, and the other parts. */
double port_state_cost(const port_state_t *s);

/* The potential with a rank on another place, and the rank there, if any, where it was. */
double port_state_try(port_state_t *s, int rank, int place);
/* Makes the last try's change. */
void port_state_commit(port_state_t *s);

static inline bool port_is_below(const port_model_t *m, int leaf, int node)
{
  return (unsigned)leaf - (unsigned)node < (unsigned)m->node[node].size;
}

/* --- A walk from placement to placement (search_port_walk.c). --- */

typedef struct port_walk {
  const port_model_t *model;
  port_state_t state;
  uint64_t random;
  double *worth; /* of a change that meets at a depth: the share of the potential below it */
  int *seen;     /* ranks that would go from one branch to another, by hash; -1: none yet */
} port_walk_t;

/* What the walk holds is freed by port_walk_clear, when this fails, too. */
int port_walk_init(port_walk_t *w, const port_model_t *m, uint64_t seed, const int *pu_of_rank,
                   berth_error_t *err);
void port_walk_clear(port_walk_t *w);
/* Adds everything up anew, with powers of 2^doublings, and finds out which draws are in vain. */
void port_walk_add_up(port_walk_t *w, int doublings);
/* Above 0 and at most 1, each with the same chance: what the rule of Metropolis draws. */
static inline double port_chance(uint64_t *random)
{
  enum { STEPS = 1 << 30 };
  return (double)(1 + map_random_below(random, STEPS)) / STEPS;
}
/* How much a change raises the potential that raises it, on average. */
double port_walk_average_rise(port_walk_t *w);
/* Tries changes, and makes them by the rule of Metropolis and others (1953). */
void port_walk_go(port_walk_t *w, uint64_t tries, double temperature);

/* --- The searches. Both go on from a placement, which they replace. --- */

typedef struct port_search {
  uint64_t seed, tries;
  bool melts;        /* the first cycles leave nothing of the start */
  bool with_sum;     /* where it has a share */
  double time_share; /* of the time limit, when the search ends */
} port_search_t;

/* Anneals in cycles (search_port.c). */
int port_search(const port_model_t *m, const port_search_t *how, int *pu_of_rank,
                berth_error_t *err);

/* Walks at several temperatures at once, of the busiest loads alone (search_port_temper.c), on so
 * many threads; what it finds doesn't depend on them. The melting is in the temperatures. */
int port_temper(const port_model_t *m, uint64_t seed, uint64_t tries, int threads, int *pu_of_rank,
                berth_error_t *err);
/* Whether so many tries are enough for that to find more than cycles do, and its states fit. */
bool port_temper_serves(const port_model_t *m, uint64_t tries);

#endif
