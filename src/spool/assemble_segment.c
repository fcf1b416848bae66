/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic phases. Each rank tells which of its segments (from one collective call of all ranks to
 * the next) are of one class, and what the segments of a class sent together. Two segments are of
 * one phase when every rank has them in one class: phases are the common refinement of the ranks'
 * classes.
 *
 * A rank may have segments of several phases in one class, since it knew no difference: what it
 * sent in them is divided in proportion, where every count is a multiple of the class's segments,
 * and else these phases are one. Phases without messages are part of phase 0, and so are segments
 * that not all ranks reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "spool/assemble_internal.h"

enum { MOST_PARTS = 4096 /* of a refinement */, REST = 0 };

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* So many of a class's segments are in one part of the refinement. */
typedef struct piece {
  uint32_t number, part;
  uint64_t times;
} piece_t;

typedef struct pieces {
  piece_t *items;
  size_t n, cap;
} pieces_t;

/* Parts of the refinement are numbered from 1, by their first segment; REST is phase 0. */
typedef struct settling {
  assembly_t *a;
  uint64_t n, longest; /* segments that all ranks reached, and any rank */
  uint32_t *part;      /* of each of the n segments */
  uint16_t *class_of;  /* of each segment of one sequence */
  uint32_t n_parts;
  uint32_t *up;     /* parts that became one: the least of them leads to itself */
  uint32_t *id;     /* the phase of such a part */
  uint64_t *length; /* segments of each part; of each phase in the end */
  bool *lumped, *sends;
  pieces_t *pieces; /* of each sequence, by class */
  uint64_t *times;  /* segments of each class of a rank, */
  bool *uneven;     /* whose counts are not all multiples of that */
} settling_t;

/* --- one rank: phase 0 has everything, classes have what is theirs once more --- */

static int sent_record_order(const void *x, const void *y)
{
  const sent_t *a = x, *b = y;
  int order = ORDER(a->dst, b->dst);
  if (!order) order = ORDER(a->site, b->site);
  if (!order) order = ORDER(a->bin, b->bin);
  if (!order) order = ORDER(a->size, b->size);
  return order ? order : ORDER(a->phase, b->phase);
}

static int called_record_order(const void *x, const void *y)
{
  const called_t *a = x, *b = y;
  int order = ORDER(a->comm, b->comm);
  if (!order) order = ORDER(a->site, b->site);
  if (!order) order = ORDER(a->root, b->root);
  if (!order) order = ORDER(a->op, b->op);
  if (!order) order = ORDER(a->varies, b->varies);
  if (!order && !a->varies) order = ORDER(a->bytes, b->bytes);
  return order ? order : ORDER(a->phase, b->phase);
}

static bool same_sent(const sent_t *a, const sent_t *b)
{
  return a->dst == b->dst && a->site == b->site && a->bin == b->bin && a->size == b->size;
}

static bool same_called(const called_t *a, const called_t *b)
{
  return a->comm == b->comm && a->site == b->site && a->root == b->root && a->op == b->op &&
         a->varies == b->varies && (a->varies || a->bytes == b->bytes);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* A class has no more than there is: a call that MPI refused was taken back from phase 0 alone. */
static void take_sent(sent_t *whole, sent_t *s)
{
  uint64_t count = whole ? least(s->count, whole->count) : 0;
  uint64_t bytes = count < s->count ? s->bytes / s->count * count : s->bytes;
  s->count = count;
  s->bytes = whole ? least(bytes, whole->bytes) : 0;
  if (!whole) return;
  whole->count -= s->count;
  whole->bytes -= s->bytes;
}

static void take_called(called_t *whole, called_t *k)
{
  uint64_t count = whole ? least(k->count, whole->count) : 0;
  k->count = k->sum = count;
  if (!whole) return;
  whole->count -= count;
  whole->sum = whole->count;
  if (k->varies) k->bytes = least(k->bytes, whole->bytes);
  if (k->varies) whole->bytes -= k->bytes;
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
      if (whole->varies) whole->bytes += k[i].bytes;
      k[i].count = 0;
    }
    if (k[i].phase == 0 && !whole) whole = &k[i];
    if (k[i].phase >= CLASS_0 && classes) take_called(whole, &k[i]);
    if (k[i].phase >= CLASS_0 && !classes) k[i].count = 0;
  }
  for (size_t i = 0; i < load->n_called; i++)
    if (k[i].count) k[kept++] = k[i];
  load->n_called = kept;
}

/* Of a class that was being counted when the rank died, what is more than so many times the same
 * stays in phase 0. */
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
    if (k->varies) k->bytes -= k->bytes / k->count * left;
    k->count = k->sum = k->count - left;
  }
}

void segments_take_away(rank_load_t *load)
{
  bool classes = load->automatic && load->auto_state != SPOOL_AUTO_PCONTROL;
  if (load->counting) round_down(load, load->class_times[load->counting].times);
  take_all_sent(load, classes);
  take_all_called(load, classes);
}

/* --- all ranks --- */

/* Classes of segments in one piece: how often each occurs, and the runs of their order. */
enum { TABLE_BYTES = (SPOOL_MOST_CLASSES + 1) * sizeof(class_times_t) };

long segments_intern(assembly_t *a, const rank_load_t *load)
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

/* Segments whose order is known. */
static uint64_t length_of(const assembly_t *a, size_t sequence)
{
  size_t n_runs;
  uint64_t n = 0;
  const spool_segments_t *run = runs_of(a, sequence, &n_runs);
  for (size_t i = 0; i < n_runs; i++) n += run[i].times;
  return n;
}

/* Whether more segments were counted. */
static bool is_longer(const assembly_t *a, size_t sequence)
{
  uint64_t n = 0, most = length_of(a, sequence);
  const class_times_t *times = times_of(a, sequence);
  for (uint32_t i = 0; i <= SPOOL_MOST_CLASSES && n <= most; i++) n += times[i].times;
  return n > most;
}

/* Writes the class of each segment, and returns their number. */
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

static uint32_t find(const settling_t *s, uint32_t part)
{
  while (s->up[part] != part) part = s->up[part] = s->up[s->up[part]];
  return part;
}

/* The least part leads, so that REST does, and then the first. */
static void unite(const settling_t *s, uint32_t a, uint32_t b)
{
  a = find(s, a);
  b = find(s, b);
  if (a < b) s->up[b] = a;
  if (b < a) s->up[a] = b;
}

static const char too_different[] =
    "no automatic phases: ranks are too unlike one another between their collective calls";

/* Numbers pairs in the order in which they come. Mostly it is the last one again. */
typedef struct pairs {
  intern_t set;
  uint32_t last[2];
  long number; /* of the last */
} pairs_t;

static long pair_number(pairs_t *p, uint32_t a, uint32_t b)
{
  const uint32_t pair[] = {a, b};
  if (p->set.n == 0 || p->last[0] != a || p->last[1] != b)
    p->number = intern(&p->set, pair, sizeof pair);
  memcpy(p->last, pair, sizeof pair);
  return p->number;
}

/* Tells parts apart by the classes of one more sequence. */
static int refine(settling_t *s, size_t sequence, berth_error_t *err)
{
  pairs_t pairs = {0};
  bool lumped[MOST_PARTS + 1] = {false};
  int rc = BERTH_OK;
  expand(s->a, sequence, s->class_of);
  for (uint64_t i = 0; i < s->n && !rc; i++) {
    long number = pair_number(&pairs, s->part[i], s->class_of[i]);
    if (number < 0) rc = assembly_no_memory(err);
    if (number >= MOST_PARTS) {
      snprintf(s->a->auto_note, sizeof s->a->auto_note, "%s", too_different);
      s->n = 0;
    }
    if (number < 0 || number >= MOST_PARTS) break;
    lumped[number + 1] = s->lumped[s->part[i]] || s->class_of[i] == 0;
    s->part[i] = (uint32_t)number + 1;
  }
  s->n_parts = s->n ? (uint32_t)pairs.set.n : 0;
  memcpy(s->lumped, lumped, sizeof lumped);
  intern_clear(&pairs.set);
  return rc;
}

static int piece_order(const void *x, const void *y)
{
  const piece_t *a = x, *b = y;
  int order = ORDER(a->number, b->number);
  return order ? order : ORDER(a->part, b->part);
}

/* Segments of which it isn't known where they were are REST. */
static int cut_rest(settling_t *s, size_t sequence, berth_error_t *err)
{
  const class_times_t *times = times_of(s->a, sequence);
  pieces_t *p = &s->pieces[sequence];
  memset(s->times, 0, (SPOOL_MOST_CLASSES + 1) * sizeof *s->times);
  for (size_t i = 0; i < p->n; i++) s->times[p->items[i].number] += p->items[i].times;
  for (uint32_t i = 0; i <= SPOOL_MOST_CLASSES; i++) {
    if (times[i].times <= s->times[i]) continue;
    if (!ARRAY_GROW(&p->items, p->n, &p->cap)) return assembly_no_memory(err);
    p->items[p->n++] = (piece_t){i, REST, times[i].times - s->times[i]};
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
      rc = assembly_no_memory(err);
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

/* All ranks have the same classes, of which the order need not be known: each is a part. */
static int cut_by_class(settling_t *s, berth_error_t *err)
{
  const class_times_t *times = times_of(s->a, 0);
  pieces_t *p = &s->pieces[0];
  s->n_parts = SPOOL_MOST_CLASSES;
  if (!array_reserve(&p->items, &p->cap, SPOOL_MOST_CLASSES + 1, sizeof *p->items))
    return assembly_no_memory(err);
  for (uint32_t i = 0; i <= SPOOL_MOST_CLASSES; i++)
    if (times[i].times) p->items[p->n++] = (piece_t){i, i ? i : REST, times[i].times};
  return BERTH_OK;
}

/* The pieces of a class; *n of them. */
static const piece_t *pieces_of(const settling_t *s, const share_t *share, uint32_t number,
                                size_t *n)
{
  const pieces_t *p = &s->pieces[share->sequence];
  size_t low = 0, high = p->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->items[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  for (*n = 0; low + *n < p->n && p->items[low + *n].number == number;) ++*n;
  return p->items + low;
}

/* Where all of a class goes that cannot be divided: the parts of such were united. */
static uint32_t only_part(const piece_t *piece, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (piece[i].part != REST) return piece[i].part;
  return REST;
}

/* Finds which classes of a rank can be divided. */
static void look_at(settling_t *s, const share_t *share)
{
  const pieces_t *p = &s->pieces[share->sequence];
  memset(s->times, 0, (SPOOL_MOST_CLASSES + 1) * sizeof *s->times);
  memset(s->uneven, 0, (SPOOL_MOST_CLASSES + 1) * sizeof *s->uneven);
  for (size_t i = 0; i < p->n; i++) s->times[p->items[i].number] += p->items[i].times;
  for (size_t i = 0; i < share->n_sent; i++) {
    const sent_t *m = &s->a->sent[share->first_sent + i];
    if (m->phase < CLASS_0) continue;
    uint64_t times = s->times[m->phase - CLASS_0];
    s->uneven[m->phase - CLASS_0] |= !times || m->count % times || m->bytes % times;
  }
  for (size_t i = 0; i < share->n_called; i++) {
    const called_t *k = &s->a->called[share->first_called + i];
    if (k->phase < CLASS_0) continue;
    uint64_t times = s->times[k->phase - CLASS_0];
    s->uneven[k->phase - CLASS_0] |= !times || k->count % times;
  }
}

static void join_uneven(settling_t *s, const share_t *share)
{
  look_at(s, share);
  const pieces_t *p = &s->pieces[share->sequence];
  for (size_t i = 1; i < p->n; i++) {
    const piece_t *a = &p->items[i - 1], *b = &p->items[i];
    if (a->number == b->number && s->uneven[a->number] && a->part != REST)
      unite(s, a->part, b->part);
  }
}

static void mark_senders(settling_t *s, const share_t *share)
{
  size_t n;
  look_at(s, share);
  for (size_t i = 0; i < share->n_sent; i++) {
    uint32_t phase = s->a->sent[share->first_sent + i].phase;
    if (phase < CLASS_0) continue;
    const piece_t *piece = pieces_of(s, share, phase - CLASS_0, &n);
    if (s->uneven[phase - CLASS_0]) s->sends[find(s, only_part(piece, n))] = true;
    for (size_t k = 0; k < n && !s->uneven[phase - CLASS_0]; k++)
      s->sends[find(s, piece[k].part)] = true;
  }
}

static uint32_t phase_at(const settling_t *s, uint32_t part) { return s->id[find(s, part)]; }

/* Gives phases their numbers, in the order of their first segments. */
static void number_phases(settling_t *s)
{
  assembly_t *a = s->a;
  for (uint32_t i = 1; i <= s->n_parts; i++)
    if (s->up[i] == i && !s->sends[i]) unite(s, i, REST);
  memset(s->length, 0, (s->n_parts + 1) * sizeof *s->length);
  for (uint32_t i = 1; i <= s->n_parts; i++)
    if (s->up[i] == i) s->id[i] = ++a->n_auto;
  for (size_t i = 0; i < s->pieces[0].n; i++) /* each sequence has all of the segments */
    s->length[phase_at(s, s->pieces[0].items[i].part)] += s->pieces[0].items[i].times;
  if (a->n_auto != 1 || s->length[1] != 1) return;
  for (uint32_t i = 1; i <= s->n_parts; i++) s->id[i] = REST; /* nothing to tell apart */
  a->n_auto = 0;
}

/* Puts what a rank sent in a class into the phases. */
static int divide_sent(settling_t *s, const share_t *share, const sent_t *m, sent_t **to,
                       size_t *n_to, size_t *cap, berth_error_t *err)
{
  size_t n = 0;
  const piece_t *piece = NULL;
  uint32_t number = m->phase - CLASS_0;
  if (m->phase >= CLASS_0) piece = pieces_of(s, share, number, &n);
  bool divided = n > 0 && !s->uneven[number];
  if (!array_reserve(to, cap, *n_to + n + 1, sizeof **to)) return assembly_no_memory(err);
  sent_t *next = *to + *n_to;
  *next = *m;
  if (m->phase >= CLASS_0) next->phase = phase_at(s, only_part(piece, n));
  for (size_t i = 0; i < n && divided; i++) {
    next[i] = *m;
    next[i].phase = phase_at(s, piece[i].part);
    next[i].count = m->count / s->times[number] * piece[i].times;
    next[i].bytes = m->bytes / s->times[number] * piece[i].times;
  }
  *n_to += divided ? n : 1;
  return BERTH_OK;
}

/* Bytes of calls that vary need not be a multiple: the last phase gets what is left. */
static int divide_called(settling_t *s, const share_t *share, const called_t *k, called_t **to,
                         size_t *n_to, size_t *cap, berth_error_t *err)
{
  size_t n = 0;
  const piece_t *piece = NULL;
  uint32_t number = k->phase - CLASS_0;
  if (k->phase >= CLASS_0) piece = pieces_of(s, share, number, &n);
  bool divided = n > 0 && !s->uneven[number];
  if (!array_reserve(to, cap, *n_to + n + 1, sizeof **to)) return assembly_no_memory(err);
  called_t *next = *to + *n_to;
  uint64_t left = k->bytes;
  *next = *k;
  if (k->phase >= CLASS_0) next->phase = phase_at(s, only_part(piece, n));
  for (size_t i = 0; i < n && divided; i++) {
    next[i] = *k;
    next[i].phase = phase_at(s, piece[i].part);
    next[i].count = next[i].sum = k->count / s->times[number] * piece[i].times;
    if (!k->varies) continue;
    next[i].bytes = i + 1 < n ? k->bytes / s->times[number] * piece[i].times : left;
    left -= next[i].bytes;
  }
  *n_to += divided ? n : 1;
  return BERTH_OK;
}

/* All ranks' entries, of phases instead of classes. */
typedef struct divided {
  sent_t *sent;
  called_t *called;
  size_t n_sent, cap_sent, n_called, cap_called;
} divided_t;

static int divide_rank(settling_t *s, const share_t *share, divided_t *d, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t sent = d->n_sent, called = d->n_called;
  look_at(s, share);
  for (size_t i = 0; i < share->n_sent && !rc; i++)
    rc = divide_sent(s, share, &s->a->sent[share->first_sent + i], &d->sent, &d->n_sent,
                     &d->cap_sent, err);
  for (size_t i = 0; i < share->n_called && !rc; i++)
    rc = divide_called(s, share, &s->a->called[share->first_called + i], &d->called, &d->n_called,
                       &d->cap_called, err);
  if (rc) return rc;
  if (d->n_sent > sent) d->n_sent = sent + sent_merge(d->sent + sent, d->n_sent - sent);
  if (d->n_called > called)
    d->n_called = called + called_merge(d->called + called, d->n_called - called, false);
  return BERTH_OK;
}

static int divide(settling_t *s, berth_error_t *err)
{
  assembly_t *a = s->a;
  divided_t d = {0};
  int rc = BERTH_OK;
  for (size_t i = 0; i < a->n_ranks && !rc; i++) rc = divide_rank(s, &a->share[i], &d, err);
  if (rc) {
    free(d.sent);
    free(d.called);
    return rc;
  }
  free(a->sent);
  free(a->called);
  a->sent = d.sent;
  a->n_sent = d.n_sent;
  a->cap_sent = d.cap_sent;
  a->called = d.called;
  a->n_called = d.n_called;
  a->cap_called = d.cap_called;
  return BERTH_OK;
}

static int add_entries(const settling_t *s, berth_error_t *err)
{
  assembly_t *a = s->a;
  if (!array_reserve(&a->phase, &a->cap_phases, a->n_phases + a->n_auto, sizeof *a->phase))
    return assembly_no_memory(err);
  for (uint32_t i = 1; i <= a->n_auto; i++)
    a->phase[a->n_phases++] = (phase_entry_t){.id = i, .repeats = s->length[i]};
  return BERTH_OK;
}

/* Segments that all ranks reached and know; 0 when there cannot be automatic phases. */
static uint64_t common_segments(assembly_t *a)
{
  uint64_t n = SPOOL_MOST_SEGMENTS;
  bool room = true;
  for (size_t i = 0; i < a->n_phases; i++)
    if (a->phase[i].id) return 0; /* the program tells phases apart */
  for (size_t i = 0; i < a->n_ranks; i++) {
    const share_t *share = &a->share[i];
    if (!share->automatic || share->state == SPOOL_AUTO_PCONTROL) return 0;
    n = least(n, length_of(a, share->sequence));
    room = room && share->state != SPOOL_AUTO_NO_ROOM;
    room = room && (a->sequences.n == 1 || !is_longer(a, share->sequence));
    if (share->state != SPOOL_AUTO_THREADS) continue;
    snprintf(a->auto_note, sizeof a->auto_note,
             "no automatic phases: several threads of rank %u make collective calls of all ranks",
             a->rank[i].rank);
    return 0;
  }
  if (!room)
    snprintf(a->auto_note, sizeof a->auto_note,
             "automatic phases are known up to the collective call number %llu of all ranks; "
             "what follows is in phase 0",
             (unsigned long long)n);
  return n;
}

static bool settling_alloc(settling_t *s)
{
  const assembly_t *a = s->a;
  for (size_t i = 0; i < a->sequences.n; i++) {
    uint64_t n = length_of(a, i);
    if (n > s->longest) s->longest = n;
  }
  s->part = calloc(s->n + 1, sizeof *s->part);
  s->class_of = calloc(s->longest + 1, sizeof *s->class_of);
  s->up = calloc(MOST_PARTS + 1, sizeof *s->up);
  s->id = calloc(MOST_PARTS + 1, sizeof *s->id);
  s->length = calloc(MOST_PARTS + 1, sizeof *s->length);
  s->lumped = calloc(MOST_PARTS + 1, sizeof *s->lumped);
  s->sends = calloc(MOST_PARTS + 1, sizeof *s->sends);
  s->pieces = calloc(a->sequences.n + 1, sizeof *s->pieces);
  s->times = calloc(SPOOL_MOST_CLASSES + 1, sizeof *s->times);
  s->uneven = calloc(SPOOL_MOST_CLASSES + 1, sizeof *s->uneven);
  return s->part && s->class_of && s->up && s->id && s->length && s->lumped && s->sends &&
         s->pieces && s->times && s->uneven;
}

static void settling_free(settling_t *s)
{
  for (size_t i = 0; s->pieces && i < s->a->sequences.n; i++) free(s->pieces[i].items);
  free(s->part);
  free(s->class_of);
  free(s->up);
  free(s->id);
  free(s->length);
  free(s->lumped);
  free(s->sends);
  free(s->pieces);
  free(s->times);
  free(s->uneven);
}

static int settle(settling_t *s, berth_error_t *err)
{
  assembly_t *a = s->a;
  int rc = BERTH_OK;
  bool by_class = s->n && a->sequences.n == 1;
  for (size_t i = 0; i < a->sequences.n && s->n && !by_class && !rc; i++) rc = refine(s, i, err);
  for (uint32_t i = 0; i <= MOST_PARTS; i++) s->up[i] = i;
  for (uint32_t i = 1; i <= s->n_parts; i++)
    if (s->lumped[i]) unite(s, i, REST);
  if (by_class) rc = cut_by_class(s, err);
  for (size_t i = 0; i < a->sequences.n && !by_class && !rc; i++) rc = cut(s, i, err);
  for (size_t i = 0; i < a->n_ranks && !rc; i++) join_uneven(s, &a->share[i]);
  for (size_t i = 0; i < a->n_ranks && !rc; i++) mark_senders(s, &a->share[i]);
  if (!rc) number_phases(s);
  if (!rc) rc = divide(s, err);
  return rc ? rc : add_entries(s, err);
}

int segments_settle(assembly_t *a, berth_error_t *err)
{
  bool any = false;
  for (size_t i = 0; i < a->n_ranks; i++) any = any || a->share[i].automatic;
  if (!any) return BERTH_OK;
  settling_t s = {.a = a, .n = common_segments(a)};
  int rc = settling_alloc(&s) ? settle(&s, err) : assembly_no_memory(err);
  settling_free(&s);
  for (size_t i = 0; i < a->n_ranks; i++) a->share[i].automatic = false; /* it is done */
  return rc;
}
