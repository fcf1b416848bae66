/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of an order in a file: the member "sends" of a line or a loop. */
#ifndef BERTH_PATTERN_PATTERN_STEPS_H
#define BERTH_PATTERN_PATTERN_STEPS_H

#include <berth/pattern.h>

#include "base/json.h"
#include "base/json_out.h"

typedef struct pattern_steps {
  berth_step_t *items;
  size_t n, cap;
} pattern_steps_t;

/* Reads the member of that object into the list, which it empties before. */
int pattern_read_steps(const json_place_t *of, int ranks, pattern_steps_t *to);
void pattern_put_steps(json_out_t *j, const berth_step_t *s, size_t n);

/* Reads an item of three or four whole numbers up to `max`. `names` are those of the items in
 * errors. */
int pattern_read_numbers(const json_place_t *at, const uint64_t max[4], const char *names,
                         uint64_t value[4]);

#endif
