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
  REPEATED = 16,         /* segments that are remembered, by the call that ends them */
  MAX_REPEATED = 32,     /* records of such a segment */
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

/* A segment that was met lately: the same records, touched in the same order, are the same class
 * again. So nothing has to be looked up. */
typedef struct repeated {
  uint32_t by; /* place of the call's record; 0: none */
  uint32_t number, n;
  uint32_t place[MAX_REPEATED];
  void *to[MAX_REPEATED]; /* the class's records */
} repeated_t;

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
static repeated_t repeated[REPEATED];

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

/* Whether the record was counted up, and not taken back. */
static bool is_counted(const touched_t *x)
{
  const void *record = slot_record(x->place);
  uint64_t count = x->kind == CALL ? ((const spool_coll_t *)record)->count
                                   : ((const spool_message_t *)record)->count;
  return count != x->count;
}

static void forget_touch(const touched_t *x)
{
  void *record = slot_record(x->place);
  if (x->kind == CALL)
    ((spool_coll_t *)record)->flags &= (uint16_t)~SPOOL_COLL_TOUCHED;
  else
    ((spool_message_t *)record)->excess &= ~SPOOL_TOUCHED;
}

/* Drops records that were taken back. Hashes the set of the others, whatever their order and
 * counts. */
static uint64_t hash_segment(const spool_coll_t *by)
{
  uint64_t hash = by ? mix(~coll_word(by)) : 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n_touched; i++) {
    const touched_t *x = &touched[i];
    const void *record = slot_record(x->place);
    forget_touch(x);
    if (!is_counted(x)) continue;
    uint64_t word = x->kind == CALL ? coll_word(record) : message_word(record);
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

/* The class's record for a touched one; NULL if there is no room. */
static void *record_of_class(const touched_t *x, uint32_t number)
{
  const void *record = slot_record(x->place);
  if (x->kind == CALL) {
    spool_coll_t key = *(const spool_coll_t *)record;
    key.phase = number;
    return tables_coll_find(&colls, &key);
  }
  const spool_message_t *m = record;
  if (x->kind == ROW) return tables_row_of_class(&rows, m, number);
  uint64_t key = m->key | spool_key(0, number, 0);
  spool_message_t *to = message_lookup(&messages, key, m->size);
  return to ? to : tables_message_add(&messages, key, m->size, 0);
}

/* Adds what the segment counted in a record to its class's record. */
static void add_to_class(const touched_t *x, void *of_class)
{
  const void *record = slot_record(x->place);
  if (x->kind == CALL) {
    const spool_coll_t *c = record;
    spool_coll_t *to = of_class;
    tables_coll_keep_common(to, c);
    to->count += c->count - x->count;
    to->given += c->given - x->excess;
  } else {
    const spool_message_t *m = record;
    spool_message_t *to = of_class;
    to->count += m->count - x->count;
    to->excess += m->excess - x->excess;
  }
}

static repeated_t *repeated_by(const spool_coll_t *by)
{
  return &repeated[record_place(by) / (sizeof *by / 32) % REPEATED];
}

/* Adds what the segment counted to its class. Rows may be incomplete. Remembers the records if `by`
 * isn't NULL. */
static bool count_segment(uint32_t number, const spool_coll_t *by)
{
  repeated_t *same = by && n_touched <= MAX_REPEATED ? repeated_by(by) : NULL;
  bool complete = true;
  if (same) same->by = 0;
  for (uint32_t i = 0; i < n_touched; i++) {
    const touched_t *x = &touched[i];
    if (x->kind != ROW && messages.n + colls.n >= MAX_RECORDS) return false;
    void *to = record_of_class(x, number);
    if (!to && x->kind != ROW) return false;
    if (to) add_to_class(x, to);
    complete &= to != NULL;
    if (!same) continue;
    same->place[i] = x->place;
    same->to[i] = to;
  }
  if (!same || !complete) return true;
  same->by = record_place(by);
  same->number = number;
  same->n = n_touched;
  return true;
}

/* The segment that this one repeats; NULL if none is known. */
static const repeated_t *find_repeated(const spool_coll_t *by)
{
  const repeated_t *same = by ? repeated_by(by) : NULL;
  if (!same || same->by != record_place(by) || same->n != n_touched) return NULL;
  for (uint32_t i = 0; i < n_touched; i++)
    if (touched[i].place != same->place[i] || !is_counted(&touched[i])) return NULL;
  return same;
}

static void count_repeated(const repeated_t *same)
{
  for (uint32_t i = 0; i < n_touched; i++) {
    forget_touch(&touched[i]);
    add_to_class(&touched[i], same->to[i]);
  }
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
  const repeated_t *same = find_repeated(by);
  uint32_t number = same ? same->number : find_class(hash_segment(by));
  spool_class_t *c = class_record(number);
  bool counted = c != NULL;
  result->counting = number;
  atomic_signal_fence(memory_order_seq_cst);
  if (same)
    count_repeated(same);
  else if (c && number)
    counted = count_segment(number, by);
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
