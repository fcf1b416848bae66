/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the phase that a user asks for. */
#ifndef BERTH_PATTERN_PHASE_FIND_H
#define BERTH_PATTERN_PHASE_FIND_H

#include <berth/pattern.h>

/* Returns the index (in berth_pattern_phases) of the phase with that number, else with that name.
 * The number or name is the first n bytes of `asked`. Fails with `code`; the error begins with
 * `option` and lists the phases as far as they fit. */
int pattern_find_phase(const berth_pattern_t *p, const char *asked, size_t n, const char *option,
                       int code, size_t *place, berth_error_t *err);

#endif
