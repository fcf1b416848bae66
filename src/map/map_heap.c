/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary heap with a tie-breaking order. */
#include "map/map_heap.h"

#include <stdlib.h>

#include "base/array.h"

static bool before(const heap_item_t *a, const heap_item_t *b)
{
  if (a->key != b->key) return a->key > b->key;
  if (a->second != b->second) return a->second > b->second;
  return a->order < b->order;
}

bool heap_push(heap_t *h, double key, double second, long order, int value)
{
  if (!ARRAY_GROW(&h->item, h->n, &h->cap)) return false;
  heap_item_t new = {key, second, order, value};
  size_t i = h->n++;
  for (; i > 0 && before(&new, &h->item[(i - 1) / 2]); i = (i - 1) / 2)
    h->item[i] = h->item[(i - 1) / 2];
  h->item[i] = new;
  return true;
}

heap_item_t heap_pop(heap_t *h)
{
  heap_item_t top = h->item[0], last = h->item[--h->n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
    if (child + 1 < h->n && before(&h->item[child + 1], &h->item[child])) child++;
    if (!before(&h->item[child], &last)) break;
    h->item[i] = h->item[child];
  }
  h->item[i] = last;
  return top;
}

void heap_clear(heap_t *h)
{
  free(h->item);
  *h = (heap_t){0};
}
