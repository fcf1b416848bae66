/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves the messages and calls of a rank's segment classes out of phase 0, which has everything. */
#include "spool/assemble/assemble_load.h"

#include <stdlib.h>

ORDER_BY(sent_record_order, sent_t, RISING(dst) RISING(site) RISING(bin) RISING(size) RISING(phase))

static int called_record_order(const void *x, const void *y)
{
  const called_t *a = x, *b = y;
  int order = merge_called_kind_order(a, b, false);
  if (!order) order = ORDER(a->src, b->src);
  if (!order) order = ORDER(a->dst, b->dst);
  return order ? order : ORDER(a->phase, b->phase);
}

static bool same_sent(const sent_t *a, const sent_t *b)
{
  return a->dst == b->dst && a->site == b->site && a->bin == b->bin && a->size == b->size;
}

static bool same_called(const called_t *a, const called_t *b)
{
  return merge_called_kind_order(a, b, false) == 0 && a->src == b->src && a->dst == b->dst;
}

static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Limits a class to what phase 0 has: a call that MPI refused was taken back from phase 0 alone. */
static void take_sent(sent_t *whole, sent_t *s)
{
  uint64_t count = whole ? min(s->count, whole->count) : 0;
  uint64_t bytes = count < s->count ? s->bytes / s->count * count : s->bytes;
  s->count = count;
  s->bytes = whole ? min(bytes, whole->bytes) : 0;
  if (!whole) return;
  whole->count -= s->count;
  whole->bytes -= s->bytes;
}

static void take_called(called_t *whole, called_t *k)
{
  uint64_t count = whole ? min(k->count, whole->count) : 0;
  k->count = k->sum = count;
  if (!whole) return;
  whole->count -= count;
  whole->sum = whole->count;
  k->given = min(k->given, whole->given);
  whole->given -= k->given;
}

static void take_all_sent(rank_load_t *load, bool classes)
{
  sent_t *s = load->sent, *whole = NULL;
  size_t kept = 0;
  if (load->n_sent) qsort(s, load->n_sent, sizeof *s, sent_record_order);
  for (size_t i = 0; i < load->n_sent; i++) {
    if (whole && !same_sent(whole, &s[i])) whole = NULL;
    if (s[i].phase == 0 && whole) { /* of another thread */
      whole->count += s[i].count;
      whole->bytes += s[i].bytes;
      s[i].count = 0;
    }
    if (s[i].phase == 0 && !whole) whole = &s[i];
    if (s[i].phase >= CLASS_0 && classes) take_sent(whole, &s[i]);
    if (s[i].phase >= CLASS_0 && !classes) s[i].count = 0;
  }
  for (size_t i = 0; i < load->n_sent; i++)
    if (s[i].count) s[kept++] = s[i];
  load->n_sent = kept;
}

/* If a class had no room for its rows, they are still in phase 0. They move to their calls. The
 * entries are sorted, so that a rank's part comes before its rows. */
static void follow_calls(called_t *k, size_t n)
{
  const called_t *first = NULL, *last = NULL; /* the rank's parts, by phase */
  for (size_t i = 0; i < n; i++) {
    if (first && merge_called_kind_order(first, &k[i], false) != 0) first = NULL;
    if (k[i].src && !k[i].dst) {
      if (!first) first = &k[i];
      last = &k[i];
    }
    if (first && first->phase && k[i].dst && !k[i].phase) k[i].phase = last->phase;
  }
}

static void take_all_called(rank_load_t *load, bool classes)
{
  called_t *k = load->called, *whole = NULL;
  size_t kept = 0;
  if (load->n_called) qsort(k, load->n_called, sizeof *k, called_record_order);
  for (size_t i = 0; i < load->n_called; i++) {
    if (whole && !same_called(whole, &k[i])) whole = NULL;
    if (k[i].phase == 0 && whole) {
      whole->count += k[i].count;
      whole->sum = whole->count;
      whole->given += k[i].given;
      k[i].count = 0;
    }
    if (k[i].phase == 0 && !whole) whole = &k[i];
    if (k[i].phase >= CLASS_0 && classes) take_called(whole, &k[i]);
    if (k[i].phase >= CLASS_0 && !classes) k[i].count = 0;
  }
  for (size_t i = 0; i < load->n_called; i++)
    if (k[i].count) k[kept++] = k[i];
  load->n_called = kept;
  follow_calls(k, kept);
}

/* If the rank died while it added a segment to a class, the class's counts may be incomplete.
 * Each is rounded down to a multiple of `times`; the remainder stays in phase 0. */
static void round_down(rank_load_t *load, uint64_t times)
{
  for (size_t i = 0; i < load->n_sent; i++) {
    sent_t *m = &load->sent[i];
    uint64_t left = times ? m->count % times : m->count;
    if (m->phase != CLASS_0 + load->counting || !left) continue;
    m->bytes -= m->bytes / m->count * left;
    m->count -= left;
  }
  for (size_t i = 0; i < load->n_called; i++) {
    called_t *k = &load->called[i];
    uint64_t left = times ? k->count % times : k->count;
    if (k->phase != CLASS_0 + load->counting || !left) continue;
    k->given -= k->given / k->count * left;
    k->count = k->sum = k->count - left;
  }
}

void class_take_away(rank_load_t *load)
{
  bool classes = load->automatic && load->auto_state != SPOOL_AUTO_PCONTROL;
  if (load->counting) round_down(load, load->class_times[load->counting].times);
  take_all_sent(load, classes);
  take_all_called(load, classes);
}
