/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a vector: a set of numbers, as spans that are apart from each other and sorted. */
#ifndef BERTH_BASE_SPANS_H
#define BERTH_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct span {
  int64_t first, end; /* the first number, and the first behind it that isn't of it */
} span_t;

/* All zero is an empty set. */
typedef struct spans {
  span_t *span;
  size_t n, cap;
} spans_t;

/* False: out of memory. */
bool spans_add(spans_t *s, span_t added);
/* The first part of a span that isn't in the set; false: there is none. */
bool spans_missing(const spans_t *s, span_t of, span_t *out);
/* Removes the first numbers of the set, at most so many, of one span. False: the set is empty. */
bool spans_take(spans_t *s, int64_t most, span_t *out);
/* How many numbers it has. */
int64_t spans_count(const spans_t *s);
void spans_clear(spans_t *s);

#endif
