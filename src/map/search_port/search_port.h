/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for placements whose busiest resource has little load: simulated annealing on a potential
 * that considers more than the worst load, with a simplified model of the problem.
 *
 * The model has the bytes between ranks by phase, and the tree of those switches that have a cost.
 * A switch has three loads: what leaves it, what enters it, and what crosses it. A load's time is
 * its bytes over the capacity of the slowest resource for the same messages. Curves count only in
 * the share of the sum, with their average over the pattern. */
#ifndef BERTH_MAP_SEARCH_PORT_SEARCH_PORT_H
#define BERTH_MAP_SEARCH_PORT_SEARCH_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "map/map_internal.h"

enum { PORT_OUT, PORT_IN, PORT_CROSS, PORT_LOADS };

/* A switch, or a PU if its own port matters. Numbers are depth first. */
typedef struct port_node {
  int parent;
  int size;          /* nodes in its subtree */
  int place, places; /* its places are the model's place[place … place + places - 1] */
  int depth, height; /* depth 0: the root; height 0: no nodes below */
  bool is_pu;
} port_node_t;

/* What two ranks exchange in one phase, seen from one of them. */
typedef struct port_link {
  int other, phase;
  int rank, back; /* that rank; index of the other rank's link */
  double out, in; /* bytes to and from the other rank */
} port_link_t;

/* The model of a problem. Threads only read it. A place is one rank's room on a PU. */
typedef struct port_model {
  const berth_map_problem_t *problem;
  int n_nodes, height;
  port_node_t *node;
  double *time;     /* [node][PORT_LOADS]: seconds for a byte */
  double *sum_time; /* the same for model sum, times the share of the sum */
  int n_ranks, n_phases, n_places;
  double *repeats;    /* by phase */
  int *phase_of;      /* by phase of the pattern: the model's phase (search_port_phases.c) */
  double *scale;      /* by phase of the pattern: what its bytes are multiplied by */
  size_t *first_link; /* by rank, and the end of the last one's */
  port_link_t *link;  /* by rank, phase and other rank */
  int *leaf;          /* by place: the node above it */
  double cost_share;  /* of the busiest loads */
  bool has_sum;       /* model sum has a share, too */
  bool is_cut;        /* links and repeats belong to another model */
} port_model_t;

int port_model_init(port_model_t *m, const map_pricer_t *pricer, berth_error_t *err);
/* A part of it: which phases of the pattern are one, and how often they occur. */
int port_model_phases(port_model_t *m, berth_error_t *err);
/* Makes a model without the nodes below some depth. `whole` must outlive it. */
int port_model_cut(port_model_t *m, const port_model_t *whole, int depth, berth_error_t *err);
void port_model_clear(port_model_t *m);
/* Whether the loads of all phases, for so many states at once, fit in a reasonable part of the
 * memory. */
bool port_model_fits(const port_model_t *m, int states);
/* The lowest depth below which no node can be busiest in any placement: no load there takes nearly
 * as long as the busiest one of this placement. */
int port_model_depth(const port_model_t *m, const int *pu_of_rank, int *depth, berth_error_t *err);

/* --- A placement and its loads (search_port_state.c). --- */

/* A load that the last try changes: its new bytes and power. */
typedef struct port_change {
  size_t load;
  double bytes, power;
} port_change_t;

/* A phase whose potential the last try changes. */
typedef struct port_phase_change {
  int phase;
  double total, norm;
} port_phase_change_t;

/* The way from a place up to below its meeting point with another place's: nodes, deepest first. */
typedef struct port_chain {
  int n, *node;
  double *inside[2]; /* bytes between rank a or b and ranks in the node, both directions */
  double *delta;     /* [node of the chain][PORT_LOADS] */
} port_chain_t;

/* Ranks on places, and the potential. A phase's potential is a norm of its loads' times: the root
 * of the sum of their powers. It is near the maximum, but the other loads count, too. */
typedef struct port_state {
  const port_model_t *model;
  int *place_of_rank, *leaf_of_rank;
  int *rank_at;         /* each place's rank, -1: none */
  double *shared;       /* [phase][rank][node]: bytes between a rank and those below a node, both
                           directions; NULL if the table would be too large */
  port_link_t *all;     /* parallel to it, [phase][rank]: everything that a rank exchanges */
  size_t n_apart;       /* number of links between ranks on different leaves */
  int *apart;           /* those links */
  int *apart_at;        /* by link: its index in that list, -1: not in it */
  double *bytes;        /* [phase][node][PORT_LOADS] */
  double *power;        /* parallel to it: (time / unit)^(2^doublings) */
  double *unit;         /* by phase: its maximal time when loads were last summed up */
  double *total, *norm; /* by phase: sum of powers; unit * root of the sum */
  int doublings;
  double sum_weight; /* 1, or 0 while ports are searched alone */
  double sum, moves; /* parts of the potential for model sum and for moved ranks */
  double potential;
  port_chain_t chain[2]; /* of the last try: from rank a's place, and from its new place */
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

/* Whether a rank exchanges bytes with a rank below a node. */
bool port_state_belongs(const port_state_t *s, int rank, int node);

/* Puts each rank on a place. Call port_state_add_up next. */
void port_state_place(port_state_t *s, const int *place_of_rank);

/* Sums up everything again, with powers of 2^doublings. */
void port_state_add_up(port_state_t *s, int doublings);
/* The maximal time of a load in a phase. */
double port_state_largest(const port_state_t *s, int phase);
/* The cost of the placement in the model: each phase's busiest load, and the other parts. */
double port_state_cost(const port_state_t *s);

/* The potential with a rank on another place; the rank there, if any, goes to the first one's. */
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
  double *worth; /* by depth: the share of the potential below it, for changes that meet there */
  int *seen;     /* ranks that want to go from one branch to another, by hash; -1: none yet */
} port_walk_t;

/* Free with port_walk_clear, also after a failure. */
int port_walk_init(port_walk_t *w, const port_model_t *m, uint64_t seed, const int *pu_of_rank,
                   berth_error_t *err);
void port_walk_clear(port_walk_t *w);
/* Sums up everything again, with powers of 2^doublings, and finds which draws can't pay. */
void port_walk_add_up(port_walk_t *w, int doublings);
/* A number above 0 and at most 1, equally distributed, for Metropolis's rule. */
static inline double port_chance(uint64_t *random)
{
  enum { STEPS = 1 << 30 };
  return (double)(1 + map_random_below(random, STEPS)) / STEPS;
}
/* The average rise of the potential by a change that raises it. */
double port_walk_average_rise(port_walk_t *w);
/* Tries changes, and makes them by Metropolis's rule (Metropolis and others, 1953). */
void port_walk_go(port_walk_t *w, uint64_t tries, double temperature);

/* --- The searches. Both start from a placement, and replace it. --- */

typedef struct port_search {
  uint64_t seed, tries;
  bool melts;        /* the first cycles remove all traces of the start */
  bool with_sum;     /* the sum counts, if it has a share */
  double time_share; /* share of the time limit at which the search ends */
} port_search_t;

/* Anneals in cycles (search_port.c). */
int port_search(const port_model_t *m, const port_search_t *how, int *pu_of_rank,
                berth_error_t *err);

/* Walks at several temperatures at once, considering only the busiest loads (search_port_temper.c).
 * Results don't depend on the number of threads. */
int port_temper(const port_model_t *m, uint64_t seed, uint64_t tries, int threads, int *pu_of_rank,
                berth_error_t *err);
/* Whether with so many tries tempering finds more than cycles, and its states fit in memory. */
bool port_temper_serves(const port_model_t *m, uint64_t tries);

#endif
