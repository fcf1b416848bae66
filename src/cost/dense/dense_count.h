/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the messages of a dense phase by node of a tree. */
#ifndef BERTH_COST_DENSE_DENSE_COUNT_H
#define BERTH_COST_DENSE_DENSE_COUNT_H

#include "cost/dense/cost_dense.h"

/* Scratch space of an evaluator, by node. */
typedef struct dense_count {
  dense_node_t *node;
  int *inside; /* members of the current communicator; 0 before and after */
  int *touched;
} dense_count_t;

/* Replaces node[0] to node[n - 1]. Ranks are at nodes c->node_of_rank: switches, or PUs if
 * with_pus. */
void dense_count(const berth_cost_t *c, const dense_phase_t *d, bool with_pus, int n,
                 dense_count_t *out);

/* What n of a communicator's members send out of a part of the machine, and what they get. */
static inline dense_load_t dense_out(const dense_phase_t *d, int64_t n)
{
  return (dense_load_t){n * (d->size - n), n < d->size ? n : 0};
}

static inline dense_load_t dense_in(const dense_phase_t *d, int64_t n)
{
  return (dense_load_t){n * (d->size - n), n > 0 ? d->size - n : 0};
}

#endif
