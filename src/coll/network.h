/* SPDX-License-Identifier: BSD-3-Clause */
/* What the network between hosts is like, roughly. */
#ifndef BERTH_COLL_NETWORK_H
#define BERTH_COLL_NETWORK_H

#include "coll/coll.h"

/* How many bytes the link between two hosts carries in the time in which a message begins, as a
 * power of two: R. Hockney's latency times bandwidth (1994), n_1/2. Measured between the first two
 * hosts in some messages; all ranks call it and get the same. If there is one host, or if it can't
 * be measured: NETWORK_USUAL. */
double network_half(const coll_job_t *j);

/* Between Ethernet's (100 us at 12 MB/s: 1,200) and fast networks' (1.5 us at 12 GB/s: 18,000). */
#define NETWORK_USUAL 4096.0

#endif
