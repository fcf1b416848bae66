/* SPDX-License-Identifier: BSD-3-Clause */
/* What a link loses while both of its directions are busy. */
#ifndef BERTH_CALIB_NETWORK_CALIB_REVERSE_H
#define BERTH_CALIB_NETWORK_CALIB_REVERSE_H

#include "calib/calib_internal.h"

/* What each byte in one direction of a link adds to the other. */
void reverse_add(berth_calib_t *c, line_t *l);
/* Where that told nothing, or a switch's limit lies in the way: another pair that has none. */
void reverse_add_elsewhere(berth_calib_t *c, line_t *l);
/* n is 0 when unknown. */
calib_stat_t reverse_line(const berth_calib_t *c, const line_t *l);

#endif
