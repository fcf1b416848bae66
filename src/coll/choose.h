/* SPDX-License-Identifier: BSD-3-Clause */
/* Which schedule the leaders of hosts carry out. */
#ifndef BERTH_COLL_CHOOSE_H
#define BERTH_COLL_CHOOSE_H

#include "schedule/schedule.h"

/* For a call whose operation, size, root and count are set; sets its segment. `element` is in
 * bytes, `half` what links carry while a message begins (network.h). All ranks get the same. The
 * algorithm of a reduction doesn't depend on `half`, which is measured: its result would differ
 * from run to run. NULL: none serves the call. */
const schedule_algorithm_t *choose_schedule(schedule_call_t *call, size_t element, double half);

#endif
