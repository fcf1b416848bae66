/* SPDX-License-Identifier: BSD-3-Clause */
/* How a pattern that was cut off is told from a whole one. */
#ifndef BERTH_PATTERN_CUT_H
#define BERTH_PATTERN_CUT_H

#include <berth/pattern.h>

#include "base/json_out.h"

/* A line for people: how much of it is there, and what stopped the reader. The caller frees it;
 * NULL when the pattern is whole, or memory is out. */
char *pattern_cut_text(const berth_pattern_t *p);

/* The member "pattern_cut_off" of an open object; nothing where the pattern is whole. */
void pattern_put_cut(json_out_t *j, const berth_pattern_t *p);

#endif
