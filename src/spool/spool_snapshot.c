/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies the tables of a running process consistently. */
#include "spool/spool_snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/no_memory.h"
#include "spool/spool_record.h"

enum { TRIES = 16 /* for a record that is counted up all the time */ };

/* The current time in the tables' ticks (trace/trace_clock.h). Only the clock of nanoseconds has
 * exactly a billion ticks per second. */
static uint64_t now_in_ticks(const spool_header_t *h)
{
#if defined(__x86_64__)
  if (h->ticks_per_s != 1e9) return __builtin_ia32_rdtsc();
#endif
  struct timespec t;
  (void)h;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Copies whole words. Sizes are multiples of 8. */
static void copy_words(void *to, const void *from, size_t size)
{
  const uint64_t *in = from;
  for (size_t i = 0; i < size / sizeof *in; i++) {
    uint64_t word = __atomic_load_n(&in[i], __ATOMIC_RELAXED);
    memcpy((unsigned char *)to + i * sizeof word, &word, sizeof word);
  }
}

/* Copies message records. Retries until the count is the same before and after the other words. */
static void copy_messages(spool_message_t *to, const spool_message_t *from, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    for (int try = 0; try < TRIES; try++) {
      copy_words(&to[i], &from[i], sizeof *to);
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (__atomic_load_n(&from[i].count, __ATOMIC_RELAXED) == to[i].count) break;
    }
  }
}

/* Automatic phases are counted when a segment ends, phase 0 at once. Copies of different moments
 * don't fit together, so only phase 0 is copied. */
static bool is_automatic(uint32_t kind)
{
  return kind == SPOOL_CLASS_MESSAGES || kind == SPOOL_CLASS_COLLS || kind == SPOOL_CLASS_ROWS ||
         kind == SPOOL_SEGMENTS || kind == SPOOL_CLASSES || kind == SPOOL_AUTO;
}

/* Copies the head of the block at a place of live tables to *head. Returns false at the end. */
static bool live_block(const spool_image_t *live, size_t at, spool_block_t *head)
{
  if (live->size < at || live->size - at < sizeof *head) return false;
  const spool_block_t *b = (const void *)(live->bytes + at);
  if (__atomic_load_n(&b->magic, __ATOMIC_ACQUIRE) != SPOOL_BLOCK_MAGIC) return false;
  *head = (spool_block_t){.magic = SPOOL_BLOCK_MAGIC, .kind = b->kind, .bytes = b->bytes};
  head->used = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE);
  return head->bytes >= sizeof *head && head->bytes % 8 == 0 && head->bytes <= live->size - at &&
         head->used <= head->bytes - sizeof *head;
}

int spool_copy(const spool_image_t *live, spool_bytes_t *copy, berth_error_t *err)
{
  if (live->size < sizeof(spool_header_t))
    return berth_fail(err, BERTH_BAD_INPUT, "%s: found %zu bytes, expected at least a header",
                      live->name, live->size);
  unsigned char *to = malloc(live->size); /* at least as large as the packed copy */
  if (!to) return no_memory(err);
  size_t size = sizeof(spool_header_t);
  spool_header_t *h = (void *)to;
  copy_words(to, live->bytes, size);
  if (h->state == SPOOL_RUNNING && !h->end_tick) h->end_tick = now_in_ticks(h);
  spool_block_t head;
  for (size_t at = size; live_block(live, at, &head); at += head.bytes) {
    const unsigned char *from = live->bytes + at + sizeof head;
    if (is_automatic(head.kind)) head.used = 0;
    size_t used = (head.used + 7) / 8 * 8;
    spool_block_t *b = (void *)(to + size);
    *b = head;
    b->bytes = sizeof head + used;
    if (head.kind == SPOOL_MESSAGES || head.kind == SPOOL_REST || head.kind == SPOOL_OPERATIONS ||
        head.kind == SPOOL_ROWS)
      copy_messages((void *)(b + 1), (const void *)from, used / sizeof(spool_message_t));
    else
      copy_words(b + 1, from, used);
    size += b->bytes;
  }
  *copy = (spool_bytes_t){to, size};
  return BERTH_OK;
}

static bool is_name(uint32_t kind)
{
  return kind == SPOOL_SITES || kind == SPOOL_MODULES || kind == SPOOL_COMMS ||
         kind == SPOOL_WINDOWS || kind == SPOOL_RMAS;
}

/* Lines of operations refer to names, but their epochs are counts: those of the first copy. */
static void put_epochs_back(spool_block_t *lines, const spool_block_t *earlier)
{
  spool_rma_t *to = (void *)(lines + 1);
  const spool_rma_t *from = (const void *)(earlier + 1);
  for (size_t i = 0; i < earlier->used / sizeof *from; i++) to[i].epochs = from[i].epochs;
}

int spool_join(const spool_bytes_t *first, const spool_bytes_t *second, spool_bytes_t *joined,
               berth_error_t *err)
{
  unsigned char *to = malloc(second->size); /* blocks are only added and filled */
  if (!to) return no_memory(err);
  size_t size = sizeof(spool_header_t), a = size, b = size;
  memcpy(to, first->bytes, size);
  while (second->size - b >= sizeof(spool_block_t)) {
    const spool_block_t *later = (const void *)(second->bytes + b), *from = later;
    const spool_block_t *earlier = NULL;
    if (first->size - a >= sizeof *earlier) earlier = (const void *)(first->bytes + a);
    if (earlier && (earlier->kind != later->kind || earlier->bytes > later->bytes)) {
      free(to);
      return berth_fail(err, BERTH_BAD_INPUT, "found tables that shrank, expected them to grow");
    }
    if (!is_name(later->kind)) from = earlier;
    if (from) {
      memcpy(to + size, from, from->bytes);
      if (from->kind == SPOOL_RMAS && earlier) put_epochs_back((void *)(to + size), earlier);
      size += from->bytes;
    }
    if (earlier) a += earlier->bytes;
    b += later->bytes;
  }
  *joined = (spool_bytes_t){to, size};
  return BERTH_OK;
}
