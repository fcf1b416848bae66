/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of an MPI as the job that was traced had set it. */
#ifndef BERTH_COLLECTIVES_COLL_RULES_H
#define BERTH_COLLECTIVES_COLL_RULES_H

#include <berth/pattern.h>

#include "schedule/schedule_told.h"

/* Loads rules as schedule_rules_load does, told what the pattern's parameters say. */
int coll_rules_load(const char *rules, const berth_pattern_t *p, schedule_rules_t **out,
                    berth_error_t *err);
/* The same. Says in the pattern which parameters the rules follow. `half`: of rules "berth", as
 * schedule_rules_of_library says. */
int coll_rules_load_for(berth_pattern_t *p, const char *rules, double half, schedule_rules_t **out,
                        berth_error_t *err);

/* Whether the job had told MPICH to take each rank for the only one of its host. */
bool coll_rules_apart(const berth_pattern_t *p);

#endif
