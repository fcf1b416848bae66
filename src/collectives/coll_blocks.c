/* SPDX-License-Identifier: BSD-3-Clause */
#include "collectives/coll_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/coll_class.h"
#include "pattern/pattern_rows.h"

/* Bytes of each block in all calls together; blocks of pairs by source, then by destination. */
typedef struct totals {
  uint64_t *bytes;
  size_t n;
  uint64_t calls;
} totals_t;

size_t coll_blocks_number(const berth_coll_t *coll, schedule_op_t op, int size)
{
  size_t n = (size_t)size;
  if (schedule_block_kind(op) == SCHEDULE_PAIR_BLOCKS) return n * n;
  return schedule_block_kind(op) == SCHEDULE_RANK_BLOCKS && coll->n_shares ? n : 0;
}

/* --- what a pattern says --- */

/* Writes the bytes of n ranks; ranks that the shares lack have 0. */
static void read_shares(const berth_share_t *shares, size_t n_shares, uint64_t *bytes, size_t n)
{
  size_t at = 0;
  for (size_t i = 0; i < n_shares; i++)
    for (uint64_t k = 0; k < shares[i].ranks && at < n; k++) bytes[at++] = shares[i].bytes;
  while (at < n) bytes[at++] = 0;
}

/* The rank's place in a communicator; -1: it has none. */
static int place_of(const berth_pattern_t *p, int comm, int size, int rank)
{
  const int *ranks = coll_comm_ranks(p, comm);
  int place = 0;
  while (place < size && (ranks ? ranks[place] : place) != rank) place++;
  return place < size ? place : -1;
}

/* Replaces the blocks of the ranks that have a row. */
static void read_rows(const berth_pattern_t *p, const berth_coll_t *coll, int size, uint64_t *bytes)
{
  size_t n, width = (size_t)size;
  const berth_row_t *rows = pattern_rows_of(p, coll, &n);
  for (size_t i = 0; i < n; i++) {
    int place = place_of(p, coll->comm, size, rows[i].src);
    if (place >= 0)
      read_shares(rows[i].shares, rows[i].n_shares, &bytes[(size_t)place * width], width);
  }
}

/* Makes n parts of what each of n ranks sent, from the last rank on, because the parts of rank 0
 * lie where all ranks' bytes are. */
static void spread(uint64_t *bytes, size_t n)
{
  for (size_t r = n; r-- > 0;) {
    uint64_t sent = bytes[r];
    for (size_t i = n; i-- > 0;) bytes[r * n + i] = sent / n + (i < sent % n);
  }
}

/* False: bytes of all calls are too many to be counted. */
static bool read_totals(const berth_pattern_t *p, const berth_coll_t *coll, schedule_op_t op,
                        int size, totals_t *t)
{
  size_t n = (size_t)size;
  berth_share_t alike = {0, n};
  if (__builtin_mul_overflow(coll->bytes, t->calls, &alike.bytes)) return false;
  read_shares(coll->n_shares ? coll->shares : &alike, coll->n_shares ? coll->n_shares : 1, t->bytes,
              n);
  if (schedule_block_kind(op) != SCHEDULE_PAIR_BLOCKS) return true;
  spread(t->bytes, n);
  read_rows(p, coll, size, t->bytes);
  return true;
}

/* --- one call of them --- */

static bool divides_all(const totals_t *t, uint64_t a, uint64_t b)
{
  uint64_t divisor;
  if (__builtin_mul_overflow(a, b, &divisor)) return false;
  for (size_t i = 0; i < t->n; i++)
    if (t->bytes[i] % divisor) return false;
  return true;
}

/* What divides each block of so many calls: the bytes of an element, if they are known, or else
 * the largest power of two up to 8; 0: there is none. */
static int64_t element_in(const totals_t *t, uint64_t calls, uint64_t known)
{
  uint64_t element = 8;
  if (known && divides_all(t, known, calls)) return (int64_t)known;
  while (element > 0 && !divides_all(t, element, calls)) element /= 2;
  return (int64_t)element;
}

static uint64_t rounded(uint64_t a, uint64_t b) { return a / b + (a % b >= b - a % b); }

/* Divides totals by the calls. Means are rounded so that the sums of the first blocks, however
 * many, are off by half an element at most. False: a call has more than 2^53 bytes. */
static bool divide(const totals_t *t, int64_t element, int64_t *counts)
{
  uint64_t end = 0, before = 0, divisor = t->calls * (uint64_t)element;
  for (size_t i = 0; i < t->n; i++) {
    if (__builtin_add_overflow(end, t->bytes[i], &end)) return false;
    uint64_t count = rounded(end, divisor) - before;
    before += count;
    counts[i] = (int64_t)count;
  }
  return before <= BERTH_MAX_AMOUNT / (uint64_t)element;
}

/* Takes the counts as one, if they are all equal. */
static bool take(const int64_t *counts, const totals_t *t, schedule_op_t op, int size,
                 coll_blocks_t *out)
{
  size_t same = 1;
  while (same < t->n && counts[same] == counts[0]) same++;
  out->count = same == t->n ? counts[0] : 0;
  out->blocks = same == t->n ? NULL : schedule_blocks_new(op, size, counts);
  return same == t->n || out->blocks;
}

static bool divided(const berth_pattern_t *p, const berth_coll_t *coll, schedule_op_t op, int size,
                    totals_t *t, coll_blocks_t *out, bool *no_memory)
{
  int64_t *counts = malloc(t->n * sizeof *counts);
  bool can = counts && read_totals(p, coll, op, size, t);
  *no_memory = !counts;
  if (can) out->element = element_in(t, t->calls, coll->element);
  if (can && out->element == 0) out->element = element_in(t, 1, coll->element);
  if (can) can = divide(t, out->element, counts);
  if (can) *no_memory = !take(counts, t, op, size, out);
  free(counts);
  return can && !*no_memory;
}

bool coll_blocks_of(const berth_pattern_t *p, const berth_coll_t *coll, schedule_op_t op, int size,
                    uint64_t bytes, uint64_t repeats, coll_blocks_t *out, bool *no_memory)
{
  totals_t t = {.n = coll_blocks_number(coll, op, size)};
  bool countable = !__builtin_mul_overflow(coll->count, repeats, &t.calls);
  *no_memory = false;
  if (t.n == 0 || t.calls == 0) {
    int64_t element = element_in(&(totals_t){.bytes = &bytes, .n = 1}, 1, coll->element);
    *out = (coll_blocks_t){.element = element, .count = (int64_t)bytes / element};
    return bytes <= BERTH_MAX_AMOUNT / (uint64_t)size;
  }
  if (!countable || t.calls > BERTH_MAX_AMOUNT) return false;
  t.bytes = malloc(t.n * sizeof *t.bytes);
  bool found = t.bytes && divided(p, coll, op, size, &t, out, no_memory);
  if (!t.bytes) *no_memory = true;
  free(t.bytes);
  return found;
}
