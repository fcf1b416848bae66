/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes the blocks of a collective call whose data aren't contiguous in this rank's memory. */
#ifndef BERTH_TRACE_BLOCKS_H
#define BERTH_TRACE_BLOCKS_H

#include "trace/record.h"

/* Equal blocks that this rank takes, or gives. */
typedef struct block {
  packing_t data;
  uint64_t count;
  bool taken;
} block_t;

static inline void blocks_begin(thread_t *t) { t->blocks.n = t->blocks.lost = 0; }

static inline bool blocks_noted(const thread_t *t) { return t->blocks.n || t->blocks.lost; }

/* Notes blocks of another datatype than type_is_plain's in t->blocks. */
void block_note_slow(thread_t *t, bool taken, uint64_t n, int64_t items, MPI_Datatype type);

/* Notes n blocks, each of so many items of a datatype. */
static inline void block_note(thread_t *t, bool taken, uint64_t n, int64_t items, MPI_Datatype type)
{
  if (UNLIKELY(!type_is_plain(t, type)) && n) block_note_slow(t, taken, n, items, type);
}

/* Counts noted blocks as messages of a site `sign` times: -1 takes them back. */
void blocks_count(thread_t *t, uint32_t site, const blocks_t *noted, int sign);
/* A copy of noted blocks, which blocks_clear frees. */
blocks_t blocks_copy(const blocks_t *noted);
void blocks_clear(blocks_t *b);

#endif
