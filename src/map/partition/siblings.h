/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of a multisection: splits the ranks of a switch among its children. */
#ifndef BERTH_MAP_PARTITION_SIBLINGS_H
#define BERTH_MAP_PARTITION_SIBLINGS_H

#include "map/partition/bisect.h"
#include "map/partition/multisection.h"

/* A child of a switch: a switch below it, or the group of PUs directly below it. */
typedef struct child {
  int element, group; /* group is -1 for a switch */
  int places;
  int first;             /* its ranks are the switch's rank[first … first + n - 1] */
  int slot;              /* its ranks are slot[slot … slot + n - 1] while pairs are cut */
  int n;                 /* number of ranks */
  bool changed, settled; /* changed in this round; not changed in this and the last round */
} child_t;

typedef struct splitter {
  const group_tree_t *tree;
  const graph_t *graph;
  multisection_work_t work;
  bool is_top; /* the current split is the first one */
  uint64_t random;
  int *group_of_rank;
  int *rank; /* all ranks; those of a switch are consecutive */
  int *slot, *spare, *team;
  int *home;     /* by rank: its child at the current switch, -1 for others */
  int *local;    /* by rank: its number in the current section, -1 outside */
  int *child_of; /* by rank: its child among the siblings that are split */
  int *neighbour;
  bool *met; /* children in `neighbour` */
  unsigned char *part;
  child_t *child; /* a stack: the children of all switches on the way down */
  size_t n_children, children_cap;
  section_t section;
  bisector_t bisector;
  double pace; /* seconds that a cut takes for each vertex and entry of its section */
} splitter_t;

/* Allocates what splits of g along t need. Only tree and graph of the splitter are set, all else is
 * zero. */
int siblings_init(splitter_t *s, berth_error_t *err);
void siblings_clear(splitter_t *s);

/* Splits n ranks among siblings, which have at least that many places. Sets their n, and puts the
 * ranks in their order. */
int siblings_split(splitter_t *s, child_t *child, int n_children, int *rank, int n,
                   berth_error_t *err);

#endif
