/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds which segments are of one phase: the common refinement of the ranks' classes. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_segment.h"

/* A sequence's bytes: how often each class occurs, then the runs of classes in their order. */
enum { TABLE_BYTES = (SPOOL_MAX_CLASSES + 1) * sizeof(class_times_t) };

long refine_segments_intern(assembly_t *a, const rank_load_t *load)
{
  size_t bytes = load->n_runs * sizeof *load->run;
  unsigned char *whole = malloc(TABLE_BYTES + bytes);
  if (!whole) return -1;
  memcpy(whole, load->class_times, TABLE_BYTES);
  if (bytes) memcpy(whole + TABLE_BYTES, load->run, bytes);
  long number = intern(&a->sequences, whole, TABLE_BYTES + bytes);
  free(whole);
  return number;
}

static const class_times_t *times_of(const assembly_t *a, size_t sequence)
{
  return (const void *)a->sequences.items[sequence].bytes;
}

static const spool_segments_t *runs_of(const assembly_t *a, size_t sequence, size_t *n)
{
  const intern_item_t *item = &a->sequences.items[sequence];
  *n = (item->n - TABLE_BYTES) / sizeof(spool_segments_t);
  return (const void *)(item->bytes + TABLE_BYTES);
}

/* The number of segments whose order is known. */
uint64_t refine_sequence_length(const assembly_t *a, size_t sequence)
{
  size_t n_runs;
  uint64_t n = 0;
  const spool_segments_t *run = runs_of(a, sequence, &n_runs);
  for (size_t i = 0; i < n_runs; i++) n += run[i].times;
  return n;
}

/* Whether more segments were counted than the order has. */
bool refine_sequence_is_longer(const assembly_t *a, size_t sequence)
{
  uint64_t n = 0, max = refine_sequence_length(a, sequence);
  const class_times_t *times = times_of(a, sequence);
  for (uint32_t i = 0; i <= SPOOL_MAX_CLASSES && n <= max; i++) n += times[i].times;
  return n > max;
}

/* Writes the class of each segment and returns their number. */
static uint64_t expand(const assembly_t *a, size_t sequence, uint16_t *class_of)
{
  size_t n_runs;
  const spool_segments_t *run = runs_of(a, sequence, &n_runs);
  uint64_t n = 0;
  for (size_t i = 0; i < n_runs; i++)
    for (uint64_t k = 0; k < run[i].times; k++, n++)
      class_of[n] = run[i].back ? class_of[n - run[i].back] : (uint16_t)run[i].number;
  return n;
}

uint32_t refine_part_find(uint32_t *up, uint32_t part)
{
  while (up[part] != part) part = up[part] = up[up[part]];
  return part;
}

void refine_parts_unite(uint32_t *up, uint32_t a, uint32_t b)
{
  a = refine_part_find(up, a);
  b = refine_part_find(up, b);
  if (a < b) up[b] = a;
  if (b < a) up[a] = b;
}

/* Numbers pairs in the order in which they come. The last pair is remembered, because most
 * repeat it. */
typedef struct pairs {
  intern_t set;
  uint32_t last[2];
  long number; /* the last pair's */
} pairs_t;

static long pair_number(pairs_t *p, uint32_t a, uint32_t b)
{
  const uint32_t pair[] = {a, b};
  if (p->set.n == 0 || p->last[0] != a || p->last[1] != b)
    p->number = intern(&p->set, pair, sizeof pair);
  memcpy(p->last, pair, sizeof pair);
  return p->number;
}

bool refine_segments_by(settling_t *s, const uint16_t *part, const bool *is_lumped)
{
  pairs_t pairs = {0};
  bool lumped[MAX_PARTS + 1] = {false};
  long number = 0;
  for (uint64_t i = 0; i < s->n; i++) {
    number = pair_number(&pairs, s->part[i], part[i]);
    if (number >= MAX_PARTS) s->n = 0;
    if (number < 0 || number >= MAX_PARTS) break;
    lumped[number + 1] = s->lumped[s->part[i]] || is_lumped[part[i]];
    s->part[i] = (uint32_t)number + 1;
  }
  s->n_parts = s->n ? (uint32_t)pairs.set.n : 0;
  memcpy(s->lumped, lumped, sizeof lumped);
  intern_clear(&pairs.set);
  return number >= 0;
}

/* Splits parts by the classes of one more sequence. */
static int refine(settling_t *s, size_t sequence, berth_error_t *err)
{
  static const bool lumped[SPOOL_MAX_CLASSES + 1] = {true};
  expand(s->a, sequence, s->class_of);
  return refine_segments_by(s, s->class_of, lumped) ? BERTH_OK : no_memory(err);
}

ORDER_BY(piece_order, piece_t, RISING(number) RISING(part))

/* Segments at unknown positions go to REST. */
static int cut_rest(settling_t *s, size_t sequence, berth_error_t *err)
{
  const class_times_t *times = times_of(s->a, sequence);
  pieces_t *p = &s->pieces[sequence];
  memset(s->times, 0, (SPOOL_MAX_CLASSES + 1) * sizeof *s->times);
  for (size_t i = 0; i < p->n; i++) s->times[p->items[i].number] += p->items[i].times;
  for (uint32_t i = 0; i <= SPOOL_MAX_CLASSES; i++) {
    if (times[i].times <= s->times[i]) continue;
    const piece_t rest = {i, REST, times[i].times - s->times[i]};
    if (!ARRAY_ADD(&p->items, &p->n, &p->cap, rest)) return no_memory(err);
  }
  return BERTH_OK;
}

/* Counts the segments of each class of a sequence in each part. */
static int cut(settling_t *s, size_t sequence, berth_error_t *err)
{
  pairs_t pairs = {0};
  pieces_t *p = &s->pieces[sequence];
  uint64_t n = expand(s->a, sequence, s->class_of);
  int rc = BERTH_OK;
  for (uint64_t i = 0; i < n && !rc; i++) {
    uint32_t part = i < s->n ? s->part[i] : REST;
    long number = pair_number(&pairs, s->class_of[i], part);
    if (number < 0 || !array_reserve(&p->items, &p->cap, pairs.set.n, sizeof *p->items)) {
      rc = no_memory(err);
      break;
    }
    if (pairs.set.n > p->n) p->items[p->n++] = (piece_t){s->class_of[i], part, 0};
    p->items[number].times++;
  }
  if (!rc) rc = cut_rest(s, sequence, err);
  if (p->n && !rc) qsort(p->items, p->n, sizeof *p->items, piece_order);
  intern_clear(&pairs.set);
  return rc;
}

/* If all ranks have the same classes, each class is a part. Their order isn't needed. */
static int cut_by_class(settling_t *s, berth_error_t *err)
{
  pieces_t *p = &s->pieces[0];
  if (s->a->sequences.n == 0) return BERTH_OK; /* this member has no table */
  const class_times_t *times = times_of(s->a, 0);
  if (!array_reserve(&p->items, &p->cap, SPOOL_MAX_CLASSES + 1, sizeof *p->items))
    return no_memory(err);
  for (uint32_t i = 0; i <= SPOOL_MAX_CLASSES; i++)
    if (times[i].times) p->items[p->n++] = (piece_t){i, i ? i : REST, times[i].times};
  return BERTH_OK;
}

int refine_segments(settling_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (s->by_class) s->n_parts = SPOOL_MAX_CLASSES;
  for (size_t i = 0; i < s->a->sequences.n && s->n && !s->by_class && !rc; i++)
    rc = refine(s, i, err);
  return rc;
}

int refine_segments_cut(settling_t *s, berth_error_t *err)
{
  const assembly_t *a = s->a;
  int rc = BERTH_OK;
  for (uint32_t i = 0; i <= MAX_PARTS; i++) s->up[i] = i;
  for (uint32_t i = 1; i <= s->n_parts; i++)
    if (s->lumped[i]) refine_parts_unite(s->up, i, REST);
  if (s->by_class) return cut_by_class(s, err);
  for (size_t i = 0; i < a->sequences.n && !rc; i++) rc = cut(s, i, err);
  return rc;
}
