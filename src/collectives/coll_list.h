/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds a stage of very many rounds, such as those of a chain of ranks, as one dense phase. */
#ifndef BERTH_COLLECTIVES_COLL_LIST_H
#define BERTH_COLLECTIVES_COLL_LIST_H

#include "collectives/coll_rounds.h"

/* Adds the phase, and its messages also as those of the phase, because searches look there. */
int coll_list_add_stage(coll_rounds_t *in, const coll_group_t *g, const schedule_stage_t *s);

#endif
