/* SPDX-License-Identifier: BSD-3-Clause */
/* Insides of hosts. */
#ifndef BERTH_CALIB_NETWORK_CALIB_INSIDE_H
#define BERTH_CALIB_NETWORK_CALIB_INSIDE_H

#include "calib/calib_internal.h"

void inside_series_add(berth_calib_t *c);
/* What elements of a type inside hosts carry in all (n is 0 when unknown), what their ports would
 * allow, and what follows. */
extern const double calib_series_tolerance; /* less than that below its ports is no limit */
limit_t inside_series_limit(const berth_calib_t *c, int type, calib_stat_t *total, double *ports);
/* Other hosts of the types that have series; those that look different are measured again, in turns
 * with the one that has the series. */
void insides_add(berth_calib_t *c);
void insides_look_again(berth_calib_t *c);
/* Whether one differs from its type's, and what it carries in all then. */
typedef enum { INSIDE_ALIKE, INSIDE_DIFFERS, INSIDE_UNSURE, INSIDE_UNCONFIRMED } inside_verdict_t;
inside_verdict_t inside_judge(const berth_calib_t *c, const inside_t *i, calib_stat_t *found,
                              calib_stat_t *usual);

#endif
