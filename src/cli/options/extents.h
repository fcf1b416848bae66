/* SPDX-License-Identifier: BSD-3-Clause */
/* Extents of grids and blocks, as in 8x8x4. */
#ifndef BERTH_CLI_OPTIONS_EXTENTS_H
#define BERTH_CLI_OPTIONS_EXTENTS_H

#include "cli/options/option.h"

enum { EXTENTS = 4 }; /* the most of them */

/* Numbers from 1 to max with an x between them. Returns how many; 0: something else is there. */
int extents_read(const char *text, uint64_t max, uint64_t out[EXTENTS]);

/* Ranks in each dimension of a grid. A usage error if the option's argument is something else. */
int extents_grid(struct argp_state *state, const option_t *option, const char *arg,
                 int out[EXTENTS]);

#endif
