/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of different sizes. */
#include <stdlib.h>

#include "schedule/schedule.h"

/* Writes where n blocks begin, and where the last one ends. `apart`: places in `counts` from one to
 * the next. */
static void put_row(int64_t *begin, size_t n, const int64_t *counts, size_t apart)
{
  begin[0] = 0;
  for (size_t i = 0; i < n; i++) begin[i + 1] = begin[i] + counts[i * apart];
}

static void sum_up(schedule_blocks_t *b, const int64_t *counts, size_t n)
{
  b->least = b->most = counts[0];
  for (size_t i = 0; i < n; i++) {
    b->total += counts[i];
    if (counts[i] < b->least) b->least = counts[i];
    if (counts[i] > b->most) b->most = counts[i];
  }
}

size_t schedule_blocks_bytes(schedule_op_t op, int size)
{
  size_t n = (size_t)size, rows = schedule_block_kind(op) == SCHEDULE_PAIR_BLOCKS ? 2 * n : 1;
  return sizeof(schedule_blocks_t) + rows * (n + 1) * sizeof(int64_t);
}

schedule_blocks_t *schedule_blocks_new(schedule_op_t op, int size, const int64_t *counts)
{
  size_t n = (size_t)size, row = n + 1;
  bool pairs = schedule_block_kind(op) == SCHEDULE_PAIR_BLOCKS;
  schedule_blocks_t *b = calloc(1, schedule_blocks_bytes(op, size));
  if (!b) return NULL;
  sum_up(b, counts, pairs ? n * n : n);
  for (size_t r = 0; r < (pairs ? n : 1); r++) put_row(&b->begin[r * row], n, &counts[r * n], 1);
  for (size_t r = 0; pairs && r < n; r++) put_row(&b->begin[(n + r) * row], n, &counts[r], n);
  return b;
}
