/* SPDX-License-Identifier: BSD-3-Clause */
/* Multisection: from the root down, each switch's ranks are split in parts that fit its children
 * exactly, with small cuts, until each group of PUs has its ranks. */
#ifndef BERTH_MAP_PARTITION_MULTISECTION_H
#define BERTH_MAP_PARTITION_MULTISECTION_H

#include "map/map_graph.h"
#include "map/partition/group_tree.h"

/* From so many ranks on, each gets less work, so that a million take less than a minute. */
enum { MULTISECTION_LARGE = 100000 };

/* The amount of work. */
typedef struct multisection_work {
  int starts;           /* whole placements; the cheapest is kept */
  int tries;            /* for each cut in two: results of METIS, or grown parts */
  bool grows;           /* cuts grow (bisect_cycle.c); METIS isn't used */
  int passes, patience; /* of searches (bisect.h); 0: the defaults */
  int rounds;           /* maximum of rounds over pairs of siblings, whose cuts are improved */
  int pair_tries;       /* results of METIS for each pair, besides moves */
  int cycles;           /* of coarsening and refining, for each cut and pair */
  int teams;            /* how often all ranks are split again, in teams of neighbouring siblings */
  int dry_rounds;       /* consecutive rounds of teams without gain that end them; 0: no limit */
  int top_cycles, top_teams; /* minimum of cycles and teams of the first split, which costs most */
  int tries_from;            /* a cut of fewer ranks gets one try */
  int pairs_from;            /* a pair of fewer ranks gets only moves */
} multisection_work_t;

/* The work for a quality and a number of ranks. */
multisection_work_t multisection_work(berth_quality_t quality, int ranks);

/* Fills group_of_rank for the vertices of g; there must be at least as many places. */
int multisection(const group_tree_t *t, const graph_t *g, multisection_work_t work, uint64_t seed,
                 int *group_of_rank, berth_error_t *err);

/* Places the ranks of g on the problem's PUs: a multisection, then exchanges between groups. An
 * entry of problem->pus is a place for one rank. */
int multisection_map(const berth_map_problem_t *problem, const graph_t *g, multisection_work_t work,
                     uint64_t seed, int *pu_of_rank, berth_error_t *err);

#endif
