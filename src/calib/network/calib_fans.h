/* SPDX-License-Identifier: BSD-3-Clause */
/* Fans: flows between a port and several partners. */
#ifndef BERTH_CALIB_NETWORK_CALIB_FANS_H
#define BERTH_CALIB_NETWORK_CALIB_FANS_H

#include "calib/calib_internal.h"

void fans_add_ports(berth_calib_t *c); /* finds all ports, and adds a fan of partners for each */
/* One port's fan by itself, with partners from anywhere, more of them where it shall be wide. Those
 * of `skip` are left out while there are others; NULL for none. */
enum { MAX_FAN = 64 };
void fan_add_alone(berth_calib_t *c, int port, const view_t *skip, bool wide);

#endif
