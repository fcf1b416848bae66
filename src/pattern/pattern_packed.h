/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data aren't contiguous, and the lines of a file that have them. */
#ifndef BERTH_PATTERN_PATTERN_PACKED_H
#define BERTH_PATTERN_PATTERN_PACKED_H

#include <berth/pattern.h>

#include "base/json.h"
#include "base/json_out.h"

/* Sorts the list, adds equal ones up, and checks the sums. */
int pattern_finish_packed(berth_pattern_t *p, berth_error_t *err);

/* Reads a line into the pattern. */
int pattern_read_packed(const json_place_t *line, berth_pattern_t *p);

/* How many of the n items from x on are in one line. pattern_put_packed writes that line's members
 * into its open object. */
size_t pattern_packed_line(const berth_packed_t *x, size_t n);
void pattern_put_packed(json_out_t *j, const berth_packed_t *x, size_t n);

#endif
