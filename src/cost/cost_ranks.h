/* SPDX-License-Identifier: BSD-3-Clause */
/* What each rank puts on one resource in one phase, in the order of ranks: a directory by the upper
 * bits of the rank, each part of it a short sorted array. Adding and finding take constant time
 * while ranks are spread evenly; going through all is in order. */
#ifndef BERTH_COST_RANKS_H
#define BERTH_COST_RANKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rank_load {
  int rank;
  int pairs;           /* that cross the resource; an entry has at least one */
  int64_t bytes, time; /* units, as in a pair's values */
} rank_load_t;

typedef struct rank_part {
  rank_load_t *items;
  int n, cap;
} rank_part_t;

typedef struct ranks {
  rank_part_t *part; /* rank >> shift; NULL while empty */
  int n_parts, shift;
  int n; /* entries */
} ranks_t;

/* Adds to a rank's entry, whose pairs, bytes and time stay at or above 0; without pairs left it
 * goes. n_ranks bounds the ranks. Returns false, with nothing changed, when memory is out. */
bool ranks_add(ranks_t *r, int n_ranks, rank_load_t add);
void ranks_clear(ranks_t *r);

#endif
