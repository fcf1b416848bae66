/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of all ports of a switch, and the limits that follow from them. */
#ifndef BERTH_CALIB_NETWORK_CALIB_RINGS_H
#define BERTH_CALIB_NETWORK_CALIB_RINGS_H

#include "calib/calib_internal.h"

/* Rings, bottom up, and what follows from them. */
void rings_add(berth_calib_t *c);
/* Marks ports that rings contradict. */
void rings_check(berth_calib_t *c);
/* Has measured again what rings and ports don't agree about. */
void rings_look_again(berth_calib_t *c);
void rings_find_limits(berth_calib_t *c);
/* What a switch carries in all, 0 for no limit that is known; the ring that tells, NULL for none.
 */
double rings_switch_limit(const berth_calib_t *c, int element);
const ring_t *rings_switch_ring(const berth_calib_t *c, int element);
/* Whether flows that carry so much together come near a limit that was found. */
bool rings_limit_flows(const berth_calib_t *c, const berth_calib_flow_t *flows, size_t n,
                       double rate);

#endif
