/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a cut in two smaller by moves of whole clusters, then of ever smaller ones. */
#ifndef BERTH_MAP_PARTITION_BISECT_CYCLE_H
#define BERTH_MAP_PARTITION_BISECT_CYCLE_H

#include "map/partition/bisect.h"

/* As bisect_again: part[] is a cut that fits, *gained is what it fell by. Clusters are formed anew
 * each time, with random numbers from *random. */
int bisect_cycle(bisector_t *b, const section_t *s, int low, int high, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err);

/* Fills part[v] with 0 or 1 for a small cut in which part 0 has at least `low` and at most `high`
 * vertices: the best of `tries`. Each grows part 0 on the coarsest of levels that are formed anew,
 * and makes the cut smaller on all of them. */
int bisect_grow(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                unsigned char *part, berth_error_t *err);

#endif
