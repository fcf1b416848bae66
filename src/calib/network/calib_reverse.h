/* SPDX-License-Identifier: BSD-3-Clause */
/* Loss of a link's bandwidth while both directions are busy. */
#ifndef BERTH_CALIB_NETWORK_CALIB_REVERSE_H
#define BERTH_CALIB_NETWORK_CALIB_REVERSE_H

#include "calib/calib_internal.h"

/* Adds a probe of what each byte in one direction costs the other. */
void reverse_add(berth_calib_t *c, line_t *l);
/* If that gave nothing, or a switch's limit is on the path, adds another pair without one. */
void reverse_add_elsewhere(berth_calib_t *c, line_t *l);
/* n is 0 if unknown. */
calib_stat_t reverse_line(const berth_calib_t *c, const line_t *l);

#endif
