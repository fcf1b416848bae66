/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of a multisection: the ranks at a switch are split among its children. */
#ifndef BERTH_MAP_PARTITION_SIBLINGS_H
#define BERTH_MAP_PARTITION_SIBLINGS_H

#include "map/partition/bisect.h"
#include "map/partition/multisection.h"

/* What a switch hands ranks to: a switch below it, or its own group of PUs. */
typedef struct child {
  int element, group; /* group is -1 for a switch */
  int places;
  int first;             /* its ranks are rank[first … first + n - 1] of the switch's */
  int slot;              /* its ranks are in slot[slot … slot + n - 1] while pairs are cut anew */
  int n;                 /* ranks handed to it */
  bool changed, settled; /* in this round; and neither in this one nor in the last */
} child_t;

typedef struct splitter {
  const group_tree_t *tree;
  const graph_t *graph;
  multisection_work_t work;
  bool is_top; /* the split at hand is the first */
  uint64_t random;
  int *group_of_rank;
  int *rank; /* all ranks; those at one switch stand together */
  int *slot, *spare, *team;
  int *home;     /* the child of each rank at the switch at hand, -1 for others */
  int *local;    /* the number of a rank within the section at hand, -1 outside of it */
  int *child_of; /* the same among the siblings that are split at the moment */
  int *neighbour;
  bool *met; /* children that are in neighbour */
  unsigned char *part;
  child_t *child; /* a stack: the children of the switches on the way down */
  size_t n_children, children_cap;
  section_t section;
  bisector_t bisector;
  double pace; /* seconds that a cut takes for each vertex and entry of its section */
} splitter_t;

/* Room for splits of g along t; a splitter that is zero but for tree and graph. */
int siblings_init(splitter_t *s, berth_error_t *err);
void siblings_clear(splitter_t *s);

/* Hands n ranks to siblings, which have that many places at least: fills their n, and puts the
 * ranks in the siblings' order. */
int siblings_split(splitter_t *s, child_t *child, int n_children, int *rank, int n,
                   berth_error_t *err);

#endif
