/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS's cut of a graph in two parts. */
#ifndef BERTH_MAP_PARTITION_METIS_CUT_H
#define BERTH_MAP_PARTITION_METIS_CUT_H

#include "map/partition/bisect.h"

/* Fills b->part with a cut in which part 0 has about `target` vertices, by the weights in
 * b->adjwgt, with a seed from *random. */
int metis_cut(bisector_t *b, const section_t *s, int target, uint64_t *random, berth_error_t *err);

#endif
