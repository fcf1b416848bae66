/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/inbox.h"

#include <string.h>

#include "job/job_wait.h"

enum { MOST_BYTES = 512, MOST_PIECES = 8, STEP = 8 }; /* of one origin; bytes */

/* What stands before the data of each piece at the target. */
typedef struct record {
  uint64_t at; /* in the target's process */
  uint32_t bytes;
  enum { PUTS, GETS, REDUCES } does;
  apply_t how;
} record_t;

static size_t padded(size_t bytes) { return (bytes + STEP - 1) / STEP * STEP; }

/* The place of new records with so many bytes; NULL: the inbox is full. */
static char *reserve(inbox_t *b, size_t bytes)
{
  uint32_t used = atomic_load_explicit(&b->used, memory_order_relaxed);
  do {
    if (used + bytes > INBOX_ROOM) return NULL;
  } while (!atomic_compare_exchange_weak(&b->used, &used, used + (uint32_t)bytes));
  return b->record + used;
}

static bool is_small(const inbox_pieces_t *p)
{
  return p->bytes <= MOST_BYTES && p->n_there <= MOST_PIECES;
}

/* A record for each piece at the target, like r otherwise. `data` is for all of them; NULL: the
 * target writes it. Returns the first record; NULL: the inbox is full. */
static const char *write_records(inbox_t *b, record_t r, const inbox_pieces_t *p, const char *data)
{
  size_t all = 0;
  for (size_t i = 0; i < p->n_there; i++) all += sizeof r + padded(p->there[i].iov_len);
  char *begin = reserve(b, all), *at = begin;
  for (size_t i = 0; begin && i < p->n_there; i++) {
    r.at = (uint64_t)(uintptr_t)p->there[i].iov_base;
    r.bytes = (uint32_t)p->there[i].iov_len;
    memcpy(at, &r, sizeof r);
    if (data) {
      memcpy(at + sizeof r, data, r.bytes);
      data += r.bytes;
    }
    at += sizeof r + padded(r.bytes);
  }
  return begin;
}

bool inbox_leave(inbox_t *b, const apply_t *how, const inbox_pieces_t *p)
{
  char data[MOST_BYTES], *end = data;
  record_t r = {.does = how ? REDUCES : PUTS};
  if (!is_small(p)) return false;
  if (how) r.how = *how;
  for (size_t i = 0; i < p->n_here; i++) {
    memcpy(end, p->here[i].iov_base, p->here[i].iov_len);
    end += p->here[i].iov_len;
  }
  return write_records(b, r, p, data) != NULL;
}

const char *inbox_ask(inbox_t *b, const inbox_pieces_t *p)
{
  return is_small(p) ? write_records(b, (record_t){.does = GETS}, p, NULL) : NULL;
}

void inbox_take(const char *asked, const inbox_pieces_t *p)
{
  char data[MOST_BYTES], *end = data;
  for (size_t i = 0; i < p->n_there; i++) {
    size_t bytes = p->there[i].iov_len;
    memcpy(end, asked + sizeof(record_t), bytes);
    end += bytes;
    asked += sizeof(record_t) + padded(bytes);
  }
  const char *from = data;
  for (size_t i = 0; i < p->n_here; i++) {
    memcpy(p->here[i].iov_base, from, p->here[i].iov_len);
    from += p->here[i].iov_len;
  }
}

int inbox_empty(inbox_t *b, window_member_t *own)
{
  uint32_t used = atomic_load_explicit(&b->used, memory_order_acquire);
  int rc = MPI_SUCCESS;
  if (LIKELY(used == 0)) return rc;
  window_reduce_begin(own);
  for (char *at = b->record; at < b->record + used;) {
    record_t r;
    memcpy(&r, at, sizeof r);
    char *there = (char *)(uintptr_t)r.at, *data = at + sizeof r;
    if (r.does == PUTS)
      memcpy(there, data, r.bytes);
    else if (r.does == GETS)
      memcpy(data, there, r.bytes);
    else if (rc == MPI_SUCCESS)
      rc = apply_to(&r.how, there, data, NULL, r.bytes / r.how.unit);
    at = data + padded(r.bytes);
  }
  window_reduce_end(own);
  atomic_store_explicit(&b->used, 0, memory_order_release);
  return rc;
}

void inbox_wait(const inbox_t *b)
{
  for (int turn = 0; UNLIKELY(atomic_load_explicit(&b->used, memory_order_acquire) > 0); turn++)
    wait_turn(turn, WAIT_NOBODY, wait_now());
}
