/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap of vertices by gain, whose gains may change. */
#include "map/map_gain_heap.h"

#include <stdlib.h>

bool gain_heap_init(gain_heap_t *h, int n)
{
  *h = (gain_heap_t){.item = malloc(((size_t)n + 1) * sizeof *h->item),
                     .place = malloc(((size_t)n + 1) * sizeof *h->place)};
  if (!h->item || !h->place) return false;
  for (int v = 0; v < n; v++) h->place[v] = -1;
  return true;
}

void gain_heap_clear(gain_heap_t *h)
{
  free(h->item);
  free(h->place);
  *h = (gain_heap_t){0};
}

static bool before(const gain_item_t *a, const gain_item_t *b)
{
  return a->gain > b->gain || (a->gain == b->gain && a->stamp > b->stamp);
}

static void put(gain_heap_t *h, int i, gain_item_t item)
{
  h->item[i] = item;
  h->place[item.vertex] = i;
}

static void sift_up(gain_heap_t *h, int i, gain_item_t item)
{
  for (; i > 0 && before(&item, &h->item[(i - 1) / 2]); i = (i - 1) / 2)
    put(h, i, h->item[(i - 1) / 2]);
  put(h, i, item);
}

static void sift_down(gain_heap_t *h, int i, gain_item_t item)
{
  for (int child; (child = 2 * i + 1) < h->n; i = child) {
    if (child + 1 < h->n && before(&h->item[child + 1], &h->item[child])) child++;
    if (!before(&h->item[child], &item)) break;
    put(h, i, h->item[child]);
  }
  put(h, i, item);
}

void gain_heap_set(gain_heap_t *h, int vertex, double gain)
{
  gain_item_t item = {gain, ++h->stamp, vertex};
  int i = h->place[vertex];
  if (i < 0)
    sift_up(h, h->n++, item);
  else if (gain >= h->item[i].gain)
    sift_up(h, i, item);
  else
    sift_down(h, i, item);
}

int gain_heap_pop(gain_heap_t *h)
{
  int top = h->item[0].vertex;
  gain_item_t last = h->item[--h->n];
  if (h->n) sift_down(h, 0, last);
  h->place[top] = -1;
  return top;
}

void gain_heap_empty(gain_heap_t *h)
{
  for (int i = 0; i < h->n; i++) h->place[h->item[i].vertex] = -1;
  h->n = 0;
}
