/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_PATTERN_GRID_H
#define BERTH_PATTERN_GRID_H

#include <berth/pattern.h>

#include "base/json_out.h"

/* Writes the member "grids" into the open object. */
void pattern_put_grids(json_out_t *j, const berth_pattern_t *p);

#endif
