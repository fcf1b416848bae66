/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts and searches lists of messages, and merges equal ones, also while a file is being read. */
#include "pattern/message_merge.h"

#include <stdlib.h>

#include "base/order.h"

enum { MERGE_FROM = 1 << 16 };

int message_order(const void *a, const void *b)
{
  const berth_message_t *m = a, *n = b;
  if (m->phase != n->phase) return ORDER(m->phase, n->phase);
  if (m->src != n->src) return ORDER(m->src, n->src);
  if (m->dst != n->dst) return ORDER(m->dst, n->dst);
  if (m->size != n->size) return ORDER(m->size, n->size);
  return ORDER(m->site, n->site);
}

size_t message_find(const berth_message_t *m, size_t n, int src, int dst)
{
  LOWER_BOUND(low, 0, n, m[middle].src != src ? m[middle].src < src : m[middle].dst < dst);
  return low;
}

/* berth writes sorted files, and sorting needs as much memory again. */
static bool is_sorted(const berth_message_t *m, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if (message_order(&m[i - 1], &m[i]) > 0) return false;
  return true;
}

size_t message_merge(berth_message_t *m, size_t n)
{
  size_t kept = 0;
  if (!is_sorted(m, n)) qsort(m, n, sizeof *m, message_order);
  for (size_t i = 0; i < n; i++) {
    berth_message_t *last = kept ? &m[kept - 1] : NULL;
    bool fits = last && message_order(last, &m[i]) == 0 &&
                m[i].count <= BERTH_MAX_AMOUNT - last->count &&
                m[i].bytes <= BERTH_MAX_AMOUNT - last->bytes;
    if (fits) {
      last->count += m[i].count;
      last->bytes += m[i].bytes;
    } else {
      m[kept++] = m[i];
    }
  }
  return kept;
}

bool message_merge_is_due(size_t n, size_t cap, size_t kept)
{
  return n == cap && n >= MERGE_FROM && n >= 2 * kept;
}
