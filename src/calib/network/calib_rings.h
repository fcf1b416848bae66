/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of all ports of a switch, and the limits that they show. */
#ifndef BERTH_CALIB_NETWORK_CALIB_RINGS_H
#define BERTH_CALIB_NETWORK_CALIB_RINGS_H

#include "calib/calib_internal.h"

/* Adds rings, bottom up; then finds the limits. */
void rings_add(berth_calib_t *c);
/* Marks ports that rings contradict. */
void rings_check(berth_calib_t *c);
/* Measures rings and ports again that disagree. */
void rings_look_again(berth_calib_t *c);
void rings_find_limits(berth_calib_t *c);
/* A switch's limit (0: none known), and the ring that shows it (NULL: none). */
double rings_switch_limit(const berth_calib_t *c, int element);
const ring_t *rings_switch_ring(const berth_calib_t *c, int element);
/* Whether flows with that joint rate come near a known limit. */
bool rings_limit_flows(const berth_calib_t *c, const berth_calib_flow_t *flows, size_t n,
                       double rate);

#endif
