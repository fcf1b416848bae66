/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_LAUNCH_INTERNAL_H
#define BERTH_LAUNCH_INTERNAL_H

#include "launch/launch.h"
#include "launch/launch_options.h"

/* Where an option of one of the contexts stands and what it is: begin with *at at a context's
 * `begin`; false at the context's program. The command line was parsed before, so options are
 * known. Steps *at over it. */
bool launch_next_option(const launch_t *l, const launch_context_t *c, size_t *at,
                        option_match_t *m);

#endif
