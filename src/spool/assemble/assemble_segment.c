/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes automatic phases of the ranks' segment classes.
 *
 * A segment is the time between two collective calls of all ranks. Two segments are of one phase if
 * every rank has them in one class. So phases are the common refinement of the ranks' classes.
 *
 * A rank may have segments of several phases in one class. What it sent in them is divided in
 * proportion, if every count is a multiple of the class's segments. Otherwise these phases become
 * one. Phases without messages belong to phase 0, and so do segments that not all ranks reached. */

#include "spool/assemble/assemble_segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"

/* The pieces of a class, and *n, their number. NULL if there are none. */
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
  return *n ? p->items + low : NULL;
}

/* The part that gets all of a class that can't be divided. Its parts were united before. */
static uint32_t only_part(const piece_t *piece, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (piece[i].part != REST) return piece[i].part;
  return REST;
}

/* Finds which classes of a rank can't be divided. */
static void look_at(settling_t *s, const share_t *share)
{
  const pieces_t *p = &s->pieces[share->sequence];
  memset(s->times, 0, (SPOOL_MAX_CLASSES + 1) * sizeof *s->times);
  memset(s->uneven, 0, (SPOOL_MAX_CLASSES + 1) * sizeof *s->uneven);
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
      refine_parts_unite(s->up, a->part, b->part);
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
    if (s->uneven[phase - CLASS_0]) s->sends[refine_part_find(s->up, only_part(piece, n))] = true;
    for (size_t k = 0; k < n && !s->uneven[phase - CLASS_0]; k++)
      s->sends[refine_part_find(s->up, piece[k].part)] = true;
  }
}

/* Counts the segments of each part. */
static void measure_parts(settling_t *s)
{
  const pieces_t *p = &s->pieces[0]; /* one sequence is enough: each has all segments */
  memset(s->length, 0, (MAX_PARTS + 1) * sizeof *s->length);
  for (size_t i = 0; i < p->n; i++)
    s->length[refine_part_find(s->up, p->items[i].part)] += p->items[i].times;
}

static uint32_t phase_at(const settling_t *s, uint32_t part)
{
  return s->id[refine_part_find(s->up, part)];
}

/* Numbers phases in the order of their first segments. */
static void number_phases(settling_t *s)
{
  assembly_t *a = s->a;
  for (uint32_t i = 1; i <= s->n_parts; i++)
    if (s->up[i] == i && !s->sends[i]) refine_parts_unite(s->up, i, REST);
  for (uint32_t i = 1; i <= s->n_parts; i++) {
    if (s->up[i] != i) continue;
    s->id[i] = ++a->n_auto;
    s->length[a->n_auto] = s->length[i]; /* i was read before */
  }
  if (a->n_auto != 1 || s->length[1] != 1) return;
  for (uint32_t i = 1; i <= s->n_parts; i++) s->id[i] = REST; /* a single phase isn't one */
  a->n_auto = 0;
}

/* The pieces among which an entry is divided; *n is 0 if it isn't. *phase becomes the phase of an
 * entry that isn't divided. */
static const piece_t *division_of(const settling_t *s, const share_t *share, uint32_t *phase,
                                  size_t *n)
{
  *n = 0;
  if (*phase < CLASS_0) return NULL;
  uint32_t number = *phase - CLASS_0;
  const piece_t *piece = pieces_of(s, share, number, n);
  *phase = phase_at(s, only_part(piece, *n));
  if (s->uneven[number]) *n = 0;
  return piece;
}

/* The entries of all ranks, with phases instead of classes. */
typedef struct divided {
  sent_t *sent;
  called_t *called;
  size_t n_sent, cap_sent, n_called, cap_called;
} divided_t;

/* Divides messages among the phases. Returns false if memory is out. */
static bool divide_sent(const settling_t *s, const share_t *share, const sent_t *m, divided_t *to)
{
  size_t n;
  sent_t part = *m;
  const piece_t *piece = division_of(s, share, &part.phase, &n);
  if (n == 0) return ARRAY_ADD(&to->sent, &to->n_sent, &to->cap_sent, part);
  uint64_t times = s->times[piece->number];
  for (size_t i = 0; i < n; i++) {
    part.phase = phase_at(s, piece[i].part);
    part.count = m->count / times * piece[i].times;
    part.bytes = m->bytes / times * piece[i].times;
    if (!ARRAY_ADD(&to->sent, &to->n_sent, &to->cap_sent, part)) return false;
  }
  return true;
}

/* What a rank gave may not be a multiple of the segments: the last phase gets the remainder. */
static bool divide_called(const settling_t *s, const share_t *share, const called_t *k,
                          divided_t *to)
{
  size_t n;
  called_t part = *k;
  const piece_t *piece = division_of(s, share, &part.phase, &n);
  if (n == 0) return ARRAY_ADD(&to->called, &to->n_called, &to->cap_called, part);
  uint64_t left = k->given, times = s->times[piece->number];
  for (size_t i = 0; i < n; i++, left -= part.given) {
    part.phase = phase_at(s, piece[i].part);
    part.count = part.sum = k->count / times * piece[i].times;
    part.given = i + 1 < n ? k->given / times * piece[i].times : left;
    if (!ARRAY_ADD(&to->called, &to->n_called, &to->cap_called, part)) return false;
  }
  return true;
}

static int divide_rank(settling_t *s, share_t *share, divided_t *d, berth_error_t *err)
{
  size_t sent = d->n_sent, called = d->n_called;
  look_at(s, share);
  for (size_t i = 0; i < share->n_sent; i++)
    if (!divide_sent(s, share, &s->a->sent[share->first_sent + i], d)) return no_memory(err);
  for (size_t i = 0; i < share->n_called; i++)
    if (!divide_called(s, share, &s->a->called[share->first_called + i], d)) return no_memory(err);
  if (d->n_sent > sent) d->n_sent = sent + merge_sent(d->sent + sent, d->n_sent - sent);
  if (d->n_called > called)
    d->n_called = called + merge_called(d->called + called, d->n_called - called, false);
  share->first_called = called;
  share->n_called = d->n_called - called;
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
  for (uint32_t i = 1; i <= a->n_auto; i++)
    if (!ARRAY_ADD(&a->phase, &a->n_phases, &a->cap_phases,
                   (phase_entry_t){.id = i, .repeats = s->length[i]}))
      return no_memory(err);
  return BERTH_OK;
}

/* The state of automatic phases at the ranks of this member. */
static common_t look_at_ranks(const assembly_t *a)
{
  common_t c = {.stop = UINT32_MAX, .n = SPOOL_MAX_SEGMENTS, .several = a->sequences.n > 1};
  if (a->sequences.n) c.hash = a->sequences.items[0].hash, c.bytes = a->sequences.items[0].n;
  for (size_t i = 0; i < a->n_phases; i++) c.told_apart |= a->phase[i].id != 0;
  for (size_t i = 0; i < a->n_ranks; i++) {
    const share_t *share = &a->share[i];
    bool threads = share->automatic && share->state == SPOOL_AUTO_THREADS;
    bool stops = threads || !share->automatic || share->state == SPOOL_AUTO_PCONTROL;
    c.any |= share->automatic;
    c.no_room |= share->state == SPOOL_AUTO_NO_ROOM;
    c.longer |= refine_sequence_is_longer(a, share->sequence);
    uint64_t length = refine_sequence_length(a, share->sequence);
    if (length < c.n) c.n = length;
    if (!stops || a->rank[i].rank > c.stop) continue;
    c.stop = a->rank[i].rank;
    c.threads = threads;
  }
  return c;
}

/* Sets the note that automatic phases end after `known` segments. */
static void say_end(assembly_t *a, uint64_t known)
{
  if (known == 0)
    snprintf(a->auto_note, sizeof a->auto_note,
             "no automatic phases: their tables were full before the first collective call of all "
             "ranks; all is in phase 0");
  else
    snprintf(a->auto_note, sizeof a->auto_note,
             "automatic phases end with collective call %llu of all ranks, as their tables were "
             "full; what follows is in phase 0",
             (unsigned long long)known);
}

/* The number of segments that all ranks reached and know; 0 if there can't be automatic phases. */
static uint64_t common_segments(assembly_t *a, const common_t *c)
{
  if (c->told_apart) return 0;
  if (c->stop != UINT32_MAX && c->threads)
    snprintf(a->auto_note, sizeof a->auto_note,
             "no automatic phases: several threads of rank %u make collective calls of all ranks",
             c->stop);
  if (c->stop != UINT32_MAX) return 0;
  if (c->no_room || (c->several && c->longer)) say_end(a, c->n);
  return c->n;
}

static bool settling_alloc(settling_t *s)
{
  const assembly_t *a = s->a;
  for (size_t i = 0; i < a->sequences.n; i++) {
    uint64_t n = refine_sequence_length(a, i);
    if (n > s->longest) s->longest = n;
  }
  s->part = calloc(s->n + 1, sizeof *s->part);
  s->class_of = calloc(s->longest + 1, sizeof *s->class_of);
  s->up = calloc(MAX_PARTS + 1, sizeof *s->up);
  s->id = calloc(MAX_PARTS + 1, sizeof *s->id);
  s->length = calloc(MAX_PARTS + 1, sizeof *s->length);
  s->lumped = calloc(MAX_PARTS + 1, sizeof *s->lumped);
  s->sends = calloc(MAX_PARTS + 1, sizeof *s->sends);
  s->pieces = calloc(a->sequences.n + 1, sizeof *s->pieces);
  s->times = calloc(SPOOL_MAX_CLASSES + 1, sizeof *s->times);
  s->uneven = calloc(SPOOL_MAX_CLASSES + 1, sizeof *s->uneven);
  return s->part && s->class_of && s->up && s->id && s->length && s->lumped && s->sends &&
         s->pieces && s->times && s->uneven;
}

static void settling_free(settling_t *s)
{
  for (size_t i = 0; s->pieces && i < s->a->sequences.n; i++) free(s->pieces[i].items);
  void *const arrays[] = {s->part,   s->class_of, s->up,     s->id,    s->length,
                          s->lumped, s->sends,    s->pieces, s->times, s->uneven};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

static const char too_different[] =
    "no automatic phases: ranks differ too much between their collective calls";

/* Finds the parts that all ranks have in common. Team calls are made in any case. */
static int find_parts(settling_t *s, const common_t *c, int rc, berth_error_t *err)
{
  assembly_t *a = s->a;
  if (!rc && c->any) {
    s->n = common_segments(a, c);
    s->by_class = s->n && !c->several;
    s->some = s->n != 0;
    rc = settling_alloc(s) ? refine_segments(s, err) : no_memory(err);
  }
  rc = team_parts(s, rc, err);
  if (!rc && s->some && !s->n) snprintf(a->auto_note, sizeof a->auto_note, "%s", too_different);
  return rc;
}

/* Finds which parts are phases. */
static int settle_parts(settling_t *s, bool any, int rc, berth_error_t *err)
{
  assembly_t *a = s->a;
  if (!rc && any) rc = refine_segments_cut(s, err);
  for (size_t i = 0; i < a->n_ranks && !rc && any; i++) join_uneven(s, &a->share[i]);
  rc = team_unions(s, rc, err);
  for (size_t i = 0; i < a->n_ranks && !rc && any; i++) mark_senders(s, &a->share[i]);
  if (!rc && any) measure_parts(s);
  return team_senders(s, rc, err);
}

int segments_settle(assembly_t *a, int rc, berth_error_t *err)
{
  common_t c = look_at_ranks(a);
  settling_t s = {.a = a};
  rc = team_common(a, &c, rc, err);
  rc = find_parts(&s, &c, rc, err);
  rc = settle_parts(&s, c.any, rc, err);
  if (!rc && c.any) number_phases(&s);
  if (!rc && c.any) rc = divide(&s, err);
  if (!rc && c.any) rc = add_entries(&s, err);
  settling_free(&s);
  for (size_t i = 0; i < a->n_ranks; i++) a->share[i].automatic = false; /* done */
  return rc;
}
