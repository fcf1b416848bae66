/* SPDX-License-Identifier: BSD-3-Clause */
/* How results say that a pattern comes from a truncated file. */
#ifndef BERTH_PATTERN_CUT_H
#define BERTH_PATTERN_CUT_H

#include <berth/pattern.h>

#include "base/json_out.h"

/* One line for people: how much of the file was read, and why reading stopped. The caller frees it.
 * NULL if the pattern is whole or memory is out. */
char *pattern_cut_text(const berth_pattern_t *p);

/* Writes the member "pattern_cut_off" into the open object, unless the pattern is whole. */
void pattern_put_cut(json_out_t *j, const berth_pattern_t *p);

#endif
