/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a copy of a pattern, for those who change something on the way. `to` is new and
 * isn't finished. Phases of rounds that were added for estimates, and their messages, stay out. */
#ifndef BERTH_PATTERN_COPY_H
#define BERTH_PATTERN_COPY_H

#include <berth/pattern.h>

/* The command, the origin, and what is known of the ranks. */
int pattern_copy_run(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err);

/* Everything else, except call sites and phases. */
int pattern_copy_traffic(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err);

#endif
