/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of which only some ranks have an order: the recorder had no room for the others'. */
#ifndef BERTH_PATTERN_PATTERN_ORDERED_H
#define BERTH_PATTERN_PATTERN_ORDERED_H

#include <berth/pattern.h>
#include <stdbool.h>

typedef struct pattern_ordered {
  int phase; /* its identity */
  int senders, ordered;
} pattern_ordered_t;

/* Finds the first phase in which some of the ranks that send have an order, and others don't.
 * False: there is none. */
bool pattern_partly_ordered(const berth_pattern_t *p, pattern_ordered_t *out);

#endif
