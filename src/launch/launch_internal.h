/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of the launcher module. */
#ifndef BERTH_LAUNCH_INTERNAL_H
#define BERTH_LAUNCH_INTERNAL_H

#include "launch/launch.h"
#include "launch/launch_options.h"

/* Reads the option at *at and moves *at behind it. Start at the context's `begin`; returns false
 * at its program. The command line was parsed before, so options are known. */
bool launch_next_option(const launch_t *l, const launch_context_t *c, size_t *at,
                        option_match_t *m);

#endif
