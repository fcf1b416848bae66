/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds automatic phases, in programs that don't call MPI_Pcontrol.
 *
 * A segment is what the rank does from one collective call of all ranks to the next. So all ranks
 * have the same segments. Segments with the same call sites are of one class. The assembler makes
 * phases of the classes when it has all ranks' tables (src/spool/assemble/assemble_segment.c).
 *
 * A message record has a bit that says whether it was touched in this segment. The first touch
 * saves the record's counts. At the segment's end, the difference is added to the record of the
 * segment's class. So phase 0 always has all messages, and the classes have a part of them. Only
 * the first thread does this; what other threads send stays in phase 0. */
#include <string.h>

#include "trace/record.h"

enum {
  FIRST_TOUCHED = 1024,
  CLASS_SLOTS = 4096,
  PAIRS = 4096,
  MAX_RECORDS = 1 << 16, /* records of classes: 2 MiB of messages */
  MAX_RUNS = 1 << 16,    /* 1 MiB */
  BACK = SPOOL_SEGMENTS_BACK
};

/* A record that was counted up in this segment, and its values before. */
typedef struct touched {
  uint32_t place;
  enum { MESSAGE, CALL, ROW } kind;
  uint64_t count, excess;
} touched_t;

/* A word that occurred in the segment with this number. */
typedef struct met {
  uint64_t word, segment;
} met_t;

static _Atomic bool on;
static spool_auto_t *result; /* any thread may set its state */
static touched_t *touched;
static uint32_t n_touched, touched_room;
static met_t *met; /* by hash, with twice the room of `touched` */
static index_t messages = {.kind = SPOOL_CLASS_MESSAGES}, colls = {.kind = SPOOL_CLASS_COLLS},
               rows = {.kind = SPOOL_CLASS_ROWS};

static uint64_t class_hash[SPOOL_MAX_CLASSES + 1];
static uint16_t class_slot[CLASS_SLOTS];
static uint32_t n_classes;

static spool_class_t *classes[SPOOL_MAX_CLASSES + 1];
static spool_block_t *class_block;

static uint64_t n_segments;
static bool in_order = true;    /* the sequence of classes is complete so far */
static uint16_t history[BACK];  /* classes of the last segments */
static uint64_t pair_at[PAIRS]; /* number of the segment in which a class last followed another, by
                                   the pair's hash */
static spool_segments_t *run;
static spool_block_t *run_block;
static uint32_t n_runs;

/* splitmix64's finaliser (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void segment_setup(thread_t *t)
{
  const spool_auto_t begin = {.state = SPOOL_AUTO_KEPT};
  result = memory_add(&(spool_block_t *){NULL}, SPOOL_AUTO, &begin, sizeof begin);
  if (!result) return;
  t->segments = true;
  atomic_store(&on, true);
}

void segment_give_up(spool_auto_state_t why)
{
  if (atomic_exchange(&on, false) || (result && why == SPOOL_AUTO_PCONTROL))
    __atomic_store_n(&result->state, why, __ATOMIC_RELAXED);
}

/* Makes room in `touched` for one more, and in `met` accordingly. */
static bool make_room(void)
{
  if (n_touched < touched_room) return true;
  uint32_t room = touched_room ? touched_room * 2 : FIRST_TOUCHED;
  touched_t *bigger = memory_alloc(room * sizeof *bigger);
  met_t *bigger_met = memory_alloc(2 * room * sizeof *bigger_met);
  if (!bigger || !bigger_met) {
    memory_free(bigger, room * sizeof *bigger);
    memory_free(bigger_met, 2 * room * sizeof *bigger_met);
    return false;
  }
  if (n_touched) memcpy(bigger, touched, n_touched * sizeof *touched);
  memory_free(touched, touched_room * sizeof *touched);
  memory_free(met, 2 * touched_room * sizeof *met);
  touched = bigger;
  met = bigger_met;
  touched_room = room;
  return true;
}

static void touch(const touched_t *what)
{
  if (!atomic_load_explicit(&on, memory_order_relaxed)) return;
  if (make_room())
    touched[n_touched++] = *what;
  else
    segment_give_up(SPOOL_AUTO_NO_ROOM);
}

void segment_touch(spool_message_t *m)
{
  touch(&(touched_t){record_place(m), MESSAGE, m->count, m->excess});
  m->excess |= SPOOL_TOUCHED;
}

void segment_touch_row(spool_message_t *row)
{
  touch(&(touched_t){record_place(row), ROW, row->count, row->excess});
  row->excess |= SPOOL_TOUCHED;
}

void segment_touch_coll(spool_coll_t *c)
{
  touch(&(touched_t){record_place(c), CALL, c->count, c->given});
  c->flags |= SPOOL_COLL_TOUCHED;
}

/* What a message or call adds to its segment's class: its site, or its destination if sites are
 * off. */
static uint64_t message_word(const spool_message_t *m)
{
  return tracer.depth ? spool_key_site(m->key) : (uint64_t)1 << 32 | spool_key_dst(m->key);
}

static uint64_t coll_word(const spool_coll_t *c)
{
  return tracer.depth ? c->site : (uint64_t)2 << 32 | (uint64_t)c->op << 40 | c->comm;
}

/* Whether the word is new in this segment, whose number is n_segments + 1. */
static bool is_first(uint64_t word)
{
  uint32_t mask = 2 * touched_room - 1;
  for (uint32_t i = (uint32_t)mix(word) & mask;; i = (i + 1) & mask) {
    if (met[i].segment == n_segments + 1 && met[i].word == word) return false;
    if (met[i].segment == n_segments + 1) continue;
    met[i] = (met_t){word, n_segments + 1};
    return true;
  }
}

/* Drops records that were taken back. Hashes the set of the others, whatever their order and
 * counts. */
static uint64_t hash_segment(void)
{
  uint64_t hash = 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n_touched; i++) {
    const touched_t *x = &touched[i];
    spool_message_t *m = slot_record(x->place);
    spool_coll_t *c = slot_record(x->place);
    uint64_t count = x->kind == CALL ? c->count : m->count;
    if (x->kind == CALL)
      c->flags &= (uint16_t)~SPOOL_COLL_TOUCHED;
    else
      m->excess &= ~SPOOL_TOUCHED;
    if (count == x->count) continue;
    uint64_t word = x->kind == CALL ? coll_word(c) : message_word(m);
    if (x->kind != ROW && is_first(word)) hash += mix(word + 1); /* its call says the same */
    touched[kept++] = *x;
  }
  n_touched = kept;
  return hash;
}

/* The class of a hash, from 1; 0 if there are too many. */
static uint32_t find_class(uint64_t hash)
{
  uint32_t i = (uint32_t)mix(hash) & (CLASS_SLOTS - 1);
  for (; class_slot[i]; i = (i + 1) & (CLASS_SLOTS - 1))
    if (class_hash[class_slot[i]] == hash) return class_slot[i];
  if (n_classes == SPOOL_MAX_CLASSES) return 0;
  class_hash[++n_classes] = hash;
  class_slot[i] = (uint16_t)n_classes;
  return n_classes;
}

static bool count_message(const touched_t *x, uint32_t number)
{
  const spool_message_t *m = slot_record(x->place);
  uint64_t key = m->key | spool_key(0, number, 0);
  spool_message_t *to = x->kind == ROW ? tables_row_of_class(&rows, m, number)
                                       : message_lookup(&messages, key, m->size);
  if (!to && x->kind != ROW) to = tables_message_add(&messages, key, m->size, 0);
  if (!to) return false;
  to->count += m->count - x->count;
  to->excess += m->excess - x->excess;
  return true;
}

static bool count_coll(const touched_t *x, uint32_t number)
{
  const spool_coll_t *c = slot_record(x->place);
  spool_coll_t key = *c;
  key.phase = number;
  spool_coll_t *to = tables_coll_find(&colls, &key);
  if (!to) return false;
  to->count += c->count - x->count;
  to->given += c->given - x->excess;
  return true;
}

/* Adds what the segment counted to its class. Rows may be incomplete. */
static bool count_segment(uint32_t number)
{
  for (uint32_t i = 0; i < n_touched; i++) {
    const touched_t *x = &touched[i];
    if (x->kind != ROW && messages.n + colls.n >= MAX_RECORDS) return false;
    bool counted = x->kind == CALL ? count_coll(x, number) : count_message(x, number);
    if (!counted && x->kind != ROW) return false;
  }
  return true;
}

static uint16_t class_at(uint64_t segment) { return history[segment % BACK]; }

/* How many segments ago the same two classes followed each other; 0: unknown. */
static uint32_t like_before(uint64_t *at, uint32_t before, uint32_t number)
{
  uint64_t was = *at, back = n_segments - was;
  if (was == 0 || back >= BACK - 1) return 0;
  return class_at(was) == number && class_at(was - 1) == before ? (uint32_t)back : 0;
}

/* Appends the segment's class to the sequence while there is room. */
static void put_down(uint32_t number)
{
  uint32_t before = n_segments ? class_at(n_segments - 1) : 0;
  uint64_t *at = &pair_at[(before * 1009u + number) % PAIRS];
  bool as_said = run && number == (run->back ? class_at(n_segments - run->back) : run->number);
  if (as_said) {
    run->times++;
  } else {
    const spool_segments_t next = {like_before(at, before, number), number, 1};
    run = NULL;
    if (n_runs++ < MAX_RUNS) run = memory_add(&run_block, SPOOL_SEGMENTS, &next, sizeof next);
  }
  in_order = run && n_segments + 1 < SPOOL_MAX_SEGMENTS;
  *at = n_segments;
  history[n_segments % BACK] = (uint16_t)number;
}

/* The record of a class, a new one if needed; NULL if there is no room. */
static spool_class_t *class_record(uint32_t number)
{
  const spool_class_t c = {.number = number};
  if (!classes[number]) classes[number] = memory_add(&class_block, SPOOL_CLASSES, &c, sizeof c);
  return classes[number];
}

void segment_end(const thread_t *t, const spool_coll_t *by)
{
  if (!atomic_load_explicit(&on, memory_order_relaxed)) return;
  if (!t || !t->segments) {
    segment_give_up(SPOOL_AUTO_THREADS);
    return;
  }
  uint64_t hash = hash_segment();
  if (by) hash += mix(~coll_word(by));
  uint32_t number = find_class(hash);
  spool_class_t *c = class_record(number);
  result->counting = number;
  atomic_signal_fence(memory_order_seq_cst);
  bool counted = c && (number == 0 || count_segment(number));
  n_touched = 0;
  if (!counted) {
    segment_give_up(SPOOL_AUTO_NO_ROOM);
    return;
  }
  c->times++;
  c->sum += mix(n_segments + 1);
  if (in_order) put_down(number);
  atomic_signal_fence(memory_order_seq_cst);
  result->counting = 0;
  n_segments++;
}
