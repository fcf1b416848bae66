/* SPDX-License-Identifier: BSD-3-Clause */
/* Growable arrays: a plain pointer, and a length and a capacity that the owner keeps beside it. */
#ifndef BERTH_BASE_ARRAY_H
#define BERTH_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `need` items of `size` bytes in *items (a T *), doubling *cap as needed.
 * Returns false and changes nothing if memory is out or the product overflows. */
bool array_reserve(void *items, size_t *cap, size_t need, size_t size);

/* Makes room for one more: ARRAY_GROW(&a->items, a->n, &a->cap) before a->items[a->n++] = x. */
#define ARRAY_GROW(items, n, cap) array_reserve((items), (cap), (n) + 1, sizeof **(items))

/* Appends a value: ARRAY_ADD(&a->items, &a->n, &a->cap, x). Returns false if memory is out. */
#define ARRAY_ADD(items, n, cap, ...)                                                              \
  (ARRAY_GROW((items), *(n), (cap)) && ((*(items))[(*(n))++] = (__VA_ARGS__), true))

#endif
