/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds calls whose messages are too many for a list, as dense phases (pattern/dense.h). */
#ifndef BERTH_COLLECTIVES_COLL_DENSE_H
#define BERTH_COLLECTIVES_COLL_DENSE_H

#include "collectives/coll_rounds.h"

/* Adds the rounds of a group's calls, which are made of n stages, as call number in->call + 1. What
 * follows no rule is listed, if it adds few enough messages. *added is false, and nothing is added,
 * if it doesn't. */
int coll_dense_add_call(coll_rounds_t *in, const coll_group_t *g, int n,
                        const schedule_stage_t *stage, bool *added);

#endif
