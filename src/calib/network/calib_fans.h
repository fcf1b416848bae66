/* SPDX-License-Identifier: BSD-3-Clause */
/* Fans: flows between a port and several partners. */
#ifndef BERTH_CALIB_NETWORK_CALIB_FANS_H
#define BERTH_CALIB_NETWORK_CALIB_FANS_H

#include "calib/calib_internal.h"

void fans_add_ports(berth_calib_t *c); /* finds all ports and adds a fan of partners for each */
/* Adds a fan for one port alone, with partners from anywhere; a `wide` one has more of them. PUs
 * of `skip` (or NULL) are used only if there are no others. */
enum { MAX_FAN = 64 };
void fan_add_alone(berth_calib_t *c, int port, const view_t *skip, bool wide);

#endif
