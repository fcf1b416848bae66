/* SPDX-License-Identifier: BSD-3-Clause */
/* Improves a cut in two by moves of large clusters, then of ever smaller ones. */
#ifndef BERTH_MAP_PARTITION_BISECT_CYCLE_H
#define BERTH_MAP_PARTITION_BISECT_CYCLE_H

#include "map/partition/bisect.h"

/* Like bisect_again: part[] is a valid cut, and *gained is its decrease. Clusters are new each
 * time, with random numbers from *random. */
int bisect_cycle(bisector_t *b, const section_t *s, int low, int high, uint64_t *random,
                 unsigned char *part, double *gained, berth_error_t *err);

/* Fills part[v] with 0 or 1 for a small cut in which part 0 has `low` to `high` vertices: the best
 * of `tries`. Each try makes new levels, grows part 0 on the coarsest one, and improves the cut on
 * all of them. */
int bisect_grow(bisector_t *b, const section_t *s, int low, int high, int tries, uint64_t *random,
                unsigned char *part, berth_error_t *err);

#endif
