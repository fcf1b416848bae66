/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a pattern's operations estimates leave out. */
#ifndef BERTH_COST_COVERAGE_H
#define BERTH_COST_COVERAGE_H

#include <berth/pattern.h>

/* A line of operations, in all occurrences of its phase. */
typedef struct cost_operations {
  double calls; /* of a collective operation: of the communicator */
  double bytes; /* what all ranks gave */
  int ranks;    /* of the communicator, or 1 */
} cost_operations_t;

cost_operations_t cost_operations_of_coll(const berth_pattern_t *p, const berth_coll_t *c);
cost_operations_t cost_operations_of_rma(const berth_pattern_t *p, const berth_rma_t *r);

#endif
