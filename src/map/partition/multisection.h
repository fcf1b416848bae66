/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks handed down the tree: at each switch those that are there are split in parts that fit its
 * children exactly, with a small cut, until each group of PUs has its ranks. */
#ifndef BERTH_MAP_PARTITION_MULTISECTION_H
#define BERTH_MAP_PARTITION_MULTISECTION_H

#include "map/map_graph.h"
#include "map/partition/group_tree.h"

/* From so many ranks on there is less work for each: a million must not take longer than a minute.
 */
enum { MULTISECTION_LARGE = 100000 };

/* How much work goes into it. */
typedef struct multisection_work {
  int starts;           /* whole placements, of which the cheapest stays */
  int tries;            /* for each cut in two: of METIS, or of growing it */
  bool grows;           /* cuts grow (bisect_cycle.h), METIS isn't called */
  int passes, patience; /* of searches (bisect.h); 0: as many as there */
  int rounds;           /* over pairs of siblings, whose cuts get better; at most */
  int pair_tries;       /* of METIS for each of these, besides moves */
  int cycles;           /* of coarsening and refining for each cut and each pair */
  int teams;            /* times that all ranks are split anew in teams of neighbouring siblings */
  int dry_rounds;       /* of teams in a row that gain next to nothing and end them; 0: no number */
  int top_cycles, top_teams; /* cycles and teams of the first split, which costs most, where more */
  int tries_from;            /* a cut of fewer ranks gets one try */
  int pairs_from;            /* a pair of fewer ranks gets moves alone */
} multisection_work_t;

/* What fits a quality and a number of ranks. */
multisection_work_t multisection_work(berth_quality_t quality, int ranks);

/* Fills group_of_rank for the vertices of g, at most as many as there are places. */
int multisection(const group_tree_t *t, const graph_t *g, multisection_work_t work, uint64_t seed,
                 int *group_of_rank, berth_error_t *err);

/* A placement of the ranks of g on the problem's PUs: a multisection, then exchanges between the
 * groups that ranks ended up in. An entry of problem->pus is a place for one rank. */
int multisection_map(const berth_map_problem_t *problem, const graph_t *g, multisection_work_t work,
                     uint64_t seed, int *pu_of_rank, berth_error_t *err);

#endif
