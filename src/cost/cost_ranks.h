/* SPDX-License-Identifier: BSD-3-Clause */
/* The load of each rank on one resource in one phase, in the order of ranks. A directory by the
 * upper bits of the rank leads to short sorted arrays. If ranks are spread evenly, adding and
 * finding take constant time. Iteration is in order. */
#ifndef BERTH_COST_RANKS_H
#define BERTH_COST_RANKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rank_load {
  int rank;
  int pairs;           /* pairs that cross the resource; at least one */
  int64_t bytes, time; /* in units, like a pair's values */
} rank_load_t;

typedef struct rank_part {
  rank_load_t *items;
  int n, cap;
} rank_part_t;

typedef struct ranks {
  rank_part_t *part; /* index: rank >> shift; NULL while empty */
  int n_parts, shift;
  int n; /* number of entries */
} ranks_t;

/* Adds to a rank's entry. Its pairs, bytes and time must stay at or above 0; an entry without pairs
 * is removed. Ranks are below n_ranks. False, with nothing changed, when memory is out. */
bool ranks_add(ranks_t *r, int n_ranks, rank_load_t add);
void ranks_clear(ranks_t *r);

#endif
