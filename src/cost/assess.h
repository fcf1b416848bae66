/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of berth_assess, for those who have costs already. */
#ifndef BERTH_COST_ASSESS_H
#define BERTH_COST_ASSESS_H

#include <berth/assess.h>

/* (before - after) / before; 0 when before is 0. */
double assess_gain(double before, double after);

/* Fills what follows from the costs in *e and *reference: all but cost_s, sharing_s, interval and
 * verdict. reference is NULL, or its cost negative, where there is none. */
void assess_compare(const berth_pattern_t *p, const berth_topo_t *t,
                    const berth_estimate_t *reference, const int *reference_pus, const int *pus,
                    berth_estimate_t *e);

#endif
