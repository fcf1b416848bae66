/* SPDX-License-Identifier: BSD-3-Clause */
/* What the network between hosts is like, roughly. */
#ifndef BERTH_COLL_NETWORK_H
#define BERTH_COLL_NETWORK_H

#include "coll/coll.h"
#include "job/job_network.h"
#include "schedule/two_levels/choose.h"

/* Fills the job's `half` (schedule/two_levels/choose.h), a power of two, and its bandwidth in bytes
 * per second. Measured between the first two hosts in some messages; all ranks call it and get the
 * same. If there is one host, or if it can't be measured: CHOOSE_USUAL_HALF, 1 GB/s. */
void network_measure(coll_job_t *j);

#endif
