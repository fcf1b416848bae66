/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a pattern's collective calls, as one call has them. */
#ifndef BERTH_COLLECTIVES_COLL_BLOCKS_H
#define BERTH_COLLECTIVES_COLL_BLOCKS_H

#include <berth/pattern.h>

#include "schedule/schedule.h"

typedef struct coll_blocks {
  int64_t element;           /* bytes of an element */
  int64_t count;             /* elements of a block, if all have as many */
  schedule_blocks_t *blocks; /* otherwise; free it */
} coll_blocks_t;

/* How many blocks of different sizes the pattern may say that a call has; 0: all are equal. */
size_t coll_blocks_number(const berth_coll_t *coll, schedule_op_t op, int size);

/* The blocks of one of the calls, all of which are alike. `bytes`: of a block if the pattern says
 * nothing else; `repeats`: occurrences of the calls' phase. What a rank sent to each other in
 * MPI_Alltoallv is what its row says, or else equal parts of what it sent to all. If the calls
 * can't be alike, since their bytes aren't a multiple of their number, blocks are the mean, in
 * whole elements.
 *
 * False: they have more than 2^53 bytes, or memory is out; then *no_memory. */
bool coll_blocks_of(const berth_pattern_t *p, const berth_coll_t *coll, schedule_op_t op, int size,
                    uint64_t bytes, uint64_t repeats, coll_blocks_t *out, bool *no_memory);

#endif
