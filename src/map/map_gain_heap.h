/* SPDX-License-Identifier: BSD-3-Clause */
/* A heap of vertices by the gain of moving them; gains may change. Of equal gains, the one that
 * came or changed last is on top, which keeps a search local (Hagen, Huang and Kahng, 1997). */
#ifndef BERTH_MAP_MAP_GAIN_HEAP_H
#define BERTH_MAP_MAP_GAIN_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gain_item {
  double gain;
  uint64_t stamp;
  int vertex;
} gain_item_t;

typedef struct gain_heap {
  int n;
  uint64_t stamp;
  gain_item_t *item;
  int *place; /* index of each vertex in item, -1: not in the heap */
} gain_heap_t;

/* Makes an empty heap for vertices 0 … n - 1. False when memory is out. */
bool gain_heap_init(gain_heap_t *h, int n);
void gain_heap_clear(gain_heap_t *h);

/* Adds a vertex, or changes its gain. */
void gain_heap_set(gain_heap_t *h, int vertex, double gain);
/* Removes and returns the top vertex; the heap must not be empty. */
int gain_heap_pop(gain_heap_t *h);
/* Removes all vertices. */
void gain_heap_empty(gain_heap_t *h);

#endif
