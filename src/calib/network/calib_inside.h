/* SPDX-License-Identifier: BSD-3-Clause */
/* Capacities inside hosts. */
#ifndef BERTH_CALIB_NETWORK_CALIB_INSIDE_H
#define BERTH_CALIB_NETWORK_CALIB_INSIDE_H

#include "calib/calib_internal.h"

void inside_series_add(berth_calib_t *c);
/* The capacity of elements of a type inside hosts (n is 0 if unknown), what their ports would
 * allow, and whether that makes a limit. */
extern const double calib_series_tolerance; /* a smaller difference to its ports is no limit */
limit_t inside_series_limit(const berth_calib_t *c, int type, calib_stat_t *total, double *ports);
/* Adds other hosts of the types that have series. Hosts that look different are measured again,
 * in turns with the one that has the series. */
void insides_add(berth_calib_t *c);
void insides_look_again(berth_calib_t *c);
/* Whether a host differs from its type's, and its capacity if so. */
typedef enum { INSIDE_ALIKE, INSIDE_DIFFERS, INSIDE_UNSURE, INSIDE_UNCONFIRMED } inside_verdict_t;
inside_verdict_t inside_judge(const berth_calib_t *c, const inside_t *i, calib_stat_t *found,
                              calib_stat_t *usual);

#endif
