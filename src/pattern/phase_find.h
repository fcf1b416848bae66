/* SPDX-License-Identifier: BSD-3-Clause */
/* The phase of a pattern that a user asks for. */
#ifndef BERTH_PATTERN_PHASE_FIND_H
#define BERTH_PATTERN_PHASE_FIND_H

#include <berth/pattern.h>

/* The place (in berth_pattern_phases) of the phase of that number or, where there is none, of that
 * name, which is the first n bytes of `asked`. Fails with `code` and all phases in the error, as
 * far as there is room; `option` begins it. */
int pattern_find_phase(const berth_pattern_t *p, const char *asked, size_t n, const char *option,
                       int code, size_t *place, berth_error_t *err);

#endif
