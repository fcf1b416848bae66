/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of a relation's messages: a few that stand for all of them. */
#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "scale/scale_candidates.h"

typedef struct size {
  double size, messages, bytes;
} scale_size_t;

typedef struct list {
  size_t n, cap;
  scale_size_t *size;
} list_t;

ORDER_BY(size_order, scale_size_t, RISING(size))

static bool collect(const scale_candidates_t *c, const scale_relation_t *r, list_t *list)
{
  scale_walk_t w = scale_walk(c, r, c->job->n - 1);
  while (scale_walk_next(&w)) {
    for (size_t k = 0; w.pair && k < w.pair->n; k++) {
      const berth_message_t *m = &w.cell->entries[w.pair->first + k];
      const scale_weight_t by = w.weight;
      const scale_size_t size = {(double)m->size * by.messages / by.bytes,
                                 (double)m->count / by.messages, (double)m->bytes / by.bytes};
      if (!ARRAY_ADD(&list->size, &list->n, &list->cap, size)) return false;
    }
  }
  return true;
}

/* Adds up what has the same size. */
static size_t merge(scale_size_t *size, size_t n)
{
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (kept && size[kept - 1].size == size[i].size) {
      size[kept - 1].messages += size[i].messages;
      size[kept - 1].bytes += size[i].bytes;
    } else {
      size[kept++] = size[i];
    }
  }
  return kept;
}

/* Puts sizes into as many parts as there may be, each with as many messages. */
static void divide(const list_t *list, double messages, double mean, scale_sizes_t *out)
{
  double before = 0, bytes[SCALE_SIZES] = {0}, in[SCALE_SIZES] = {0};
  bool few = list->n <= SCALE_SIZES;
  for (size_t i = 0; i < list->n; i++) {
    const scale_size_t *s = &list->size[i];
    int part = few ? (int)i : (int)(SCALE_SIZES * (before + s->messages / 2) / messages);
    if (part >= SCALE_SIZES) part = SCALE_SIZES - 1;
    before += s->messages;
    in[part] += s->messages;
    bytes[part] += s->bytes;
  }
  for (int i = 0; i < SCALE_SIZES; i++) {
    if (in[i] <= 0) continue;
    out->part[out->n] = in[i] / messages;
    out->size[out->n++] = bytes[i] / in[i] / mean;
  }
}

void scale_sizes_find(const scale_candidates_t *c, const scale_relation_t *r, scale_sizes_t *sizes)
{
  list_t list = {0};
  double messages = 0, bytes = 0;
  *sizes = (scale_sizes_t){0};
  if (collect(c, r, &list) && list.n) {
    qsort(list.size, list.n, sizeof *list.size, size_order);
    list.n = merge(list.size, list.n);
    for (size_t i = 0; i < list.n; i++) {
      messages += list.size[i].messages;
      bytes += list.size[i].bytes;
    }
    if (bytes > 0) divide(&list, messages, bytes / messages, sizes);
  }
  if (!sizes->n) *sizes = (scale_sizes_t){1, {1}, {1}};
  free(list.size);
}
