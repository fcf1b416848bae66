/* SPDX-License-Identifier: BSD-3-Clause */
/* The definition of gains. */
#ifndef BERTH_COST_ASSESS_H
#define BERTH_COST_ASSESS_H

#include <berth/assess.h>

/* (before - after) / before; 0 when before is 0. */
double assess_gain(double before, double after);

#endif
