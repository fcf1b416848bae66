/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls: blocks whose data aren't contiguous in this rank's memory. */
#include "trace/blocks.h"

#include <string.h>

#include "trace/packed.h"

enum { FIRST_ROOM = 16 };

static bool same_block(const block_t *a, const block_t *b)
{
  return a->taken == b->taken && a->data.size == b->data.size && a->data.pieces == b->data.pieces &&
         a->data.span == b->data.span;
}

static bool make_room(blocks_t *b)
{
  if (b->n < b->room) return true;
  const uint32_t room = b->room ? b->room * 2 : FIRST_ROOM;
  block_t *bigger = memory_alloc(room * sizeof *bigger);
  if (!bigger) return false;
  if (b->n) memcpy(bigger, b->list, b->n * sizeof *bigger);
  memory_free(b->list, b->room * sizeof *b->list);
  b->list = bigger;
  b->room = room;
  return true;
}

/* Equal ones after one another are one entry: many ranks get or give the same. */
void block_note_slow(thread_t *t, bool taken, uint64_t n, int64_t items, MPI_Datatype type)
{
  blocks_t *b = &t->blocks;
  const block_t new = {type_layout_packing_slow(t, items, type), n, taken};
  if (new.data.pieces < 2) return;
  if (b->n && same_block(&b->list[b->n - 1], &new))
    b->list[b->n - 1].count += n;
  else if (make_room(b))
    b->list[b->n++] = new;
  else
    b->lost += n;
}

void blocks_count(thread_t *t, uint32_t site, const blocks_t *noted, int sign)
{
  if (watched() & WATCH_STOPPED) return;
  if (noted->lost) packed_count(&missed()->lost_layouts, sign * (int64_t)noted->lost);
  for (uint32_t i = 0; i < noted->n; i++) {
    const block_t *x = &noted->list[i];
    packed_count(packed_find(t, site, x->taken, &x->data), sign * (int64_t)x->count);
  }
}

blocks_t blocks_copy(const blocks_t *noted)
{
  blocks_t copy = {.n = noted->n, .room = noted->n, .lost = noted->lost};
  if (copy.n) copy.list = memory_alloc(copy.n * sizeof *copy.list);
  if (copy.list) memcpy(copy.list, noted->list, copy.n * sizeof *copy.list);
  if (copy.list) return copy;
  for (uint32_t i = 0; i < noted->n; i++) copy.lost += noted->list[i].count;
  copy.n = copy.room = 0;
  return copy;
}

void blocks_clear(blocks_t *b)
{
  memory_free(b->list, b->room * sizeof *b->list);
  *b = (blocks_t){0};
}
