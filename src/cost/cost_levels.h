/* SPDX-License-Identifier: BSD-3-Clause */
/* Which levels of the tree messages cross. */
#ifndef BERTH_COST_COST_LEVELS_H
#define BERTH_COST_COST_LEVELS_H

#include "cost/cost_internal.h"

/* The levels that a message between two ranks crosses, from *top to *deepest. The root's level has
 * those that turn round there. */
void cost_levels_of_pair(const berth_cost_t *c, int src_pu, int dst_pu, int *top, int *deepest);

/* Adds the messages of one occurrence of phase k, and their bytes, to each level that they cross.
 */
int cost_levels_of_phase(const berth_cost_t *c, size_t k, const int *pu_of_rank, int n_levels,
                         double *messages, double *bytes, berth_error_t *err);

#endif
