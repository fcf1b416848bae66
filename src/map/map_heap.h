/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary heap: the largest key is on top, then the largest second key, then the smallest
 * order. */
#ifndef BERTH_MAP_MAP_HEAP_H
#define BERTH_MAP_MAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct heap_item {
  double key, second;
  long order;
  int value;
} heap_item_t;

typedef struct heap {
  heap_item_t *item;
  size_t n, cap;
} heap_t;

/* False when memory is out. */
bool heap_push(heap_t *h, double key, double second, long order, int value);
/* Removes and returns the top item; the heap must not be empty. */
heap_item_t heap_pop(heap_t *h);
void heap_clear(heap_t *h);

#endif
