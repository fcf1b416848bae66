/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a pattern's operations estimates don't include; the definition of gains. */
#ifndef BERTH_COST_COVERAGE_H
#define BERTH_COST_COVERAGE_H

#include <berth/assess.h>

/* A line of operations, over all occurrences of its phase. */
typedef struct cost_operations {
  double calls; /* a collective call counts once for each rank of the communicator */
  double bytes; /* given by all ranks */
  int ranks;    /* ranks of the communicator, or 1 */
} cost_operations_t;

cost_operations_t cost_operations_of_coll(const berth_pattern_t *p, const berth_coll_t *c);
cost_operations_t cost_operations_of_rma(const berth_pattern_t *p, const berth_rma_t *r);

/* (before - after) / before; 0 when before is 0. */
double assess_gain(double before, double after);

#endif
