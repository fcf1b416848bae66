/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and adds the records of a thread's messages, collective calls and one-sided operations. */
#include <string.h>

#include "base/divisor.h"
#include "trace/record.h"

/* Slots of a new index: one page. */
enum { FIRST_SLOTS = 1024 };

static uint32_t *slot_of(const index_t *x, uint32_t hash)
{
  return &x->slots[hash & (x->n_slots - 1)];
}

static uint32_t *next_slot(const index_t *x, uint32_t *slot)
{
  return ++slot == x->slots + x->n_slots ? x->slots : slot;
}

/* Makes room for one more; `hash_of` hashes the record in a slot. If the index can't grow, it is
 * filled further. */
static bool index_room(index_t *x, uint32_t (*hash_of)(const void *record))
{
  if (x->n * 2 < x->n_slots) return true;
  index_t bigger = *x;
  bigger.n_slots = x->n_slots ? x->n_slots * 2 : FIRST_SLOTS;
  bigger.slots = memory_alloc_counted(bigger.n_slots * sizeof *bigger.slots, false);
  if (!bigger.slots) return x->n < x->n_slots / 8 * 7;
  for (uint32_t i = 0; i < x->n_slots; i++) {
    if (!x->slots[i]) continue;
    uint32_t *slot = slot_of(&bigger, hash_of(slot_record(x->slots[i])));
    while (*slot) slot = next_slot(&bigger, slot);
    *slot = x->slots[i];
  }
  memory_free_counted(x->slots, x->n_slots * sizeof *x->slots);
  *x = bigger;
  return true;
}

static uint32_t message_record_hash(const void *record)
{
  const spool_message_t *m = record;
  return message_hash(m->key, m->size);
}

spool_message_t *tables_message_add(index_t *x, uint64_t key, uint64_t size, uint64_t excess)
{
  if (!index_room(x, message_record_hash)) return NULL;
  const spool_message_t new = {.key = key, .size = size, .excess = excess};
  spool_message_t *m = memory_add(&x->block, x->kind, &new, sizeof new);
  if (!m) return NULL;
  uint32_t *slot = slot_of(x, message_hash(key, size));
  while (*slot) slot = next_slot(x, slot);
  *slot = record_place(m);
  x->n++;
  return m;
}

static group_t *group_slot(group_t *groups, uint32_t n, uint64_t key)
{
  uint32_t i = message_hash(key, 0) & (n - 1);
  while (groups[i].key != key && groups[i].sizes) i = (i + 1) & (n - 1);
  return &groups[i];
}

/* The group of a key; NULL if memory is out. */
static group_t *group_find(thread_t *t, uint64_t key)
{
  if (t->n_groups * 2 >= t->group_slots) {
    uint32_t n = t->group_slots ? t->group_slots * 2 : FIRST_SLOTS / 4;
    group_t *bigger = memory_alloc_counted(n * sizeof *bigger, false);
    if (!bigger) return NULL;
    for (uint32_t i = 0; i < t->group_slots; i++)
      if (t->groups[i].sizes) *group_slot(bigger, n, t->groups[i].key) = t->groups[i];
    memory_free_counted(t->groups, t->group_slots * sizeof *t->groups);
    t->groups = bigger;
    t->group_slots = n;
  }
  group_t *g = group_slot(t->groups, t->group_slots, key);
  if (!g->sizes) g->key = key;
  return g;
}

/* The record for a destination's messages that have no room of their own. */
static spool_message_t *rest_find(thread_t *t, uint32_t dst)
{
  if (!t->rest) t->rest = memory_alloc_counted(tracer.ranks * sizeof *t->rest, true);
  if (!t->rest) return NULL;
  if (t->rest[dst]) return slot_record(t->rest[dst]);
  const spool_message_t new = {.key = spool_key(dst, 0, 0) | SPOOL_BIN, .excess = SPOOL_TOUCHED};
  spool_message_t *m = memory_add(&t->rest_block, SPOOL_REST, &new, sizeof new);
  if (m) t->rest[dst] = record_place(m);
  return m;
}

/* Adds a record for a thread's messages or operations. Keys of operations' groups differ from
 * those of messages by SPOOL_BIN. A new record has this `excess`. NULL if there is no room. */
static spool_message_t *find_or_add(thread_t *t, index_t *x, uint64_t key, uint64_t size,
                                    uint64_t excess)
{
  if (x->full) return message_lookup(x, key | SPOOL_BIN, spool_bin(size));
  group_t *g = group_find(t, x == &t->operations ? key | SPOOL_BIN : key);
  spool_message_t *m = NULL;
  if (g && g->sizes < SPOOL_EXACT_SIZES) {
    m = tables_message_add(x, key, size, excess);
    if (m && g->sizes++ == 0) t->n_groups++;
  } else if (g) {
    m = message_lookup(x, key | SPOOL_BIN, spool_bin(size));
    if (!m) m = tables_message_add(x, key | SPOOL_BIN, spool_bin(size), excess);
  }
  x->full = !m;
  return m;
}

/* With automatic phases, a new record must count as untouched in its segment. */
spool_message_t *tables_message_find_slow(thread_t *t, uint64_t key, uint64_t size)
{
  spool_message_t *m = find_or_add(t, &t->messages, key, size, t->segments ? 0 : SPOOL_TOUCHED);
  if (!m && t->segments) segment_give_up(SPOOL_AUTO_NO_ROOM);
  return m ? m : rest_find(t, spool_key_dst(key));
}

spool_message_t *tables_operation_find_slow(thread_t *t, uint64_t key, uint64_t size)
{
  return find_or_add(t, &t->operations, key, size, 0);
}

/* Rows take at most an eighth of the tables, to leave room for messages. */
static size_t max_row_records(void) { return memory_region.limit / 8 / sizeof(spool_message_t); }

static _Atomic uint32_t n_rows;

/* `excess` adds up the bytes that calls send; a new record begins with this value. */
static spool_message_t *row_find_or_add(index_t *x, uint64_t key, uint64_t excess)
{
  spool_message_t *m = message_lookup(x, key, 0);
  if (LIKELY(m)) return m;
  if (atomic_fetch_add(&n_rows, 1) < max_row_records()) m = tables_message_add(x, key, 0, excess);
  if (!m) atomic_fetch_sub(&n_rows, 1);
  return m;
}

spool_message_t *tables_row_find(thread_t *t, spool_coll_t *of, uint32_t place)
{
  static _Atomic uint32_t n;
  if (!of->id) of->id = atomic_load(&n) < SPOOL_MAX_LINES - 1 ? atomic_fetch_add(&n, 1) + 1 : 0;
  if (!of->id) return NULL;
  uint64_t key = spool_key(place, 0, of->id) | SPOOL_BIN;
  return row_find_or_add(&t->rows, key, t->segments ? 0 : SPOOL_TOUCHED);
}

spool_message_t *tables_row_of_class(index_t *x, const spool_message_t *row, uint32_t number)
{
  return row_find_or_add(x, row->key | spool_key(0, number, 0), 0);
}

bool tables_row_room(thread_t *t, uint32_t n)
{
  t->row.n = 0;
  if (n > t->row.room) {
    memory_free(t->row.bytes, t->row.room * sizeof *t->row.bytes);
    t->row.bytes = memory_alloc(n * sizeof *t->row.bytes);
    t->row.room = t->row.bytes ? n : 0;
  }
  if (t->row.bytes) t->row.n = n;
  return t->row.n > 0;
}

static uint32_t coll_record_hash(const void *record)
{
  const spool_coll_t *c = record;
  uint64_t what = c->op | (uint64_t)c->site << 16 | (uint64_t)(uint32_t)c->root << 40;
  return message_hash(what ^ (uint64_t)c->comm << 20 ^ (uint64_t)c->phase << 44, c->bytes);
}

static bool same_coll(const spool_coll_t *a, const spool_coll_t *b)
{
  return a->comm == b->comm && a->root == b->root && a->site == b->site && a->phase == b->phase &&
         a->bytes == b->bytes && a->op == b->op &&
         !((a->flags ^ b->flags) & (SPOOL_COLL_PARTS | SPOOL_COLL_USER | SPOOL_COLL_UNCOMMUTATIVE));
}

static bool same_nature(const spool_coll_t *a, const spool_coll_t *b)
{
  return a->element == b->element && !((a->flags ^ b->flags) & SPOOL_COLL_IN_PLACE);
}

void tables_coll_keep_common(spool_coll_t *c, const spool_coll_t *more)
{
  if (LIKELY(same_nature(c, more))) return;
  c->element = common_divisor(c->element, more->element);
  if (!(more->flags & SPOOL_COLL_IN_PLACE)) c->flags &= (uint16_t)~SPOOL_COLL_IN_PLACE;
}

spool_coll_t *tables_coll_find(index_t *x, const spool_coll_t *key)
{
  if (!index_room(x, coll_record_hash)) return NULL;
  uint32_t *slot = slot_of(x, coll_record_hash(key));
  for (; *slot; slot = next_slot(x, slot)) {
    spool_coll_t *c = slot_record(*slot);
    if (!same_coll(c, key)) continue;
    tables_coll_keep_common(c, key);
    return c;
  }
  spool_coll_t new = *key;
  new.count = new.given = 0;
  strncpy(new.name, wrap_op_names[key->op], sizeof new.name - 1);
  spool_coll_t *c = memory_add(&x->block, x->kind, &new, sizeof new);
  if (!c) return NULL;
  *slot = record_place(c);
  x->n++;
  return c;
}

static __attribute__((noinline)) spool_coll_t *coll_find_slow(thread_t *t, spool_coll_t **last,
                                                              const spool_coll_t *key)
{
  spool_coll_t *c = tables_coll_find(&t->colls, key);
  if (c)
    *last = c;
  else
    add_missed(&missed()->lost_calls, 1);
  return c;
}

spool_coll_t *tables_coll_count(thread_t *t, const spool_coll_t *key)
{
  spool_coll_t **last = &t->last_colls[(key->site + key->op) % LAST_COLLS], *c = *last;
  if (UNLIKELY(!c || !same_coll(c, key) || !same_nature(c, key))) c = coll_find_slow(t, last, key);
  if (UNLIKELY(!c)) return NULL;
  if (t->segments && !(c->flags & SPOOL_COLL_TOUCHED)) segment_touch_coll(c);
  c->count++;
  return c;
}

static uint32_t spent_record_hash(const void *record)
{
  const spool_spent_t *s = record;
  return message_hash(s->op | (uint64_t)s->site << 16, s->comm);
}

static bool same_spent(const spool_spent_t *a, const spool_spent_t *b)
{
  return a->site == b->site && a->op == b->op && a->comm == b->comm;
}

/* Times of sites and communicators take at most a sixteenth of the tables, to leave room for
 * messages. */
static spool_spent_t *spent_add(const thread_t *t, const spool_spent_t *key, bool of_all)
{
  static spool_block_t *block; /* of all threads: most have a few records */
  static size_t n;
  spool_spent_t new = *key, *s = NULL;
  new.thread = (uint32_t)t->times->id;
  strncpy(new.name, wrap_op_names[key->op], sizeof new.name - 1);
  tracer_lock();
  if (of_all || n < memory_region.limit / 16 / sizeof new)
    s = memory_add(&block, SPOOL_SPENT, &new, sizeof new);
  n += s != NULL;
  tracer_unlock();
  return s;
}

static spool_spent_t *spent_find(thread_t *t, const spool_spent_t *key)
{
  index_t *x = &t->spent;
  if (!index_room(x, spent_record_hash)) return NULL;
  uint32_t *slot = slot_of(x, spent_record_hash(key));
  for (; *slot; slot = next_slot(x, slot)) {
    spool_spent_t *s = slot_record(*slot);
    if (same_spent(s, key)) return s;
  }
  bool of_all = !key->site && key->comm == SPOOL_NO_COMM;
  spool_spent_t *s = x->full && !of_all ? NULL : spent_add(t, key, of_all);
  if (!s) x->full = true;
  if (!s) return NULL;
  *slot = record_place(s);
  x->n++;
  return s;
}

static __attribute__((noinline)) spool_spent_t *spent_find_slow(thread_t *t, spool_spent_t **last,
                                                                const spool_spent_t *key)
{
  const spool_spent_t of_all = {.comm = SPOOL_NO_COMM, .op = key->op};
  spool_spent_t *s = spent_find(t, key);
  return s ? *last = s : spent_find(t, &of_all);
}

void tables_spend(thread_t *t, const spool_spent_t *key, uint64_t ticks)
{
  spool_spent_t **last = &t->last_spent[(key->site + key->op) % LAST_COLLS], *s = *last;
  if (!s || !same_spent(s, key)) s = spent_find_slow(t, last, key);
  if (s) s->ticks += ticks;
}

static uint32_t packed_record_hash(const void *record)
{
  const spool_packed_t *x = record;
  return message_hash(x->site | (uint64_t)x->receives << 20 | x->pieces << 32,
                      x->size ^ x->span << 24);
}

static bool same_packed(const spool_packed_t *a, const spool_packed_t *b)
{
  return a->site == b->site && a->receives == b->receives && a->size == b->size &&
         a->pieces == b->pieces && a->span == b->span;
}

/* Layouts of messages take at most a sixteenth of the tables. */
static spool_packed_t *packed_add(const spool_packed_t *key)
{
  static spool_block_t *block; /* of all threads */
  static size_t n;
  const size_t of_block = (SPOOL_BLOCK_SIZE - sizeof *block) / sizeof *key;
  spool_packed_t *x = NULL;
  tracer_lock();
  if (n < memory_region.limit / 16 / SPOOL_BLOCK_SIZE * of_block)
    x = memory_add(&block, SPOOL_PACKED, key, sizeof *key);
  n += x != NULL;
  tracer_unlock();
  return x;
}

spool_packed_t *tables_packed_find(thread_t *t, const spool_packed_t *key)
{
  index_t *x = &t->packed;
  spool_packed_t **last = &t->last_packed[key->receives];
  if (LIKELY(*last && same_packed(*last, key))) return *last;
  if (!index_room(x, packed_record_hash)) return NULL;
  uint32_t *slot = slot_of(x, packed_record_hash(key));
  for (; *slot; slot = next_slot(x, slot)) {
    spool_packed_t *known = slot_record(*slot);
    if (same_packed(known, key)) return *last = known;
  }
  spool_packed_t *new = x->full ? NULL : packed_add(key);
  x->full = !new;
  if (!new) return NULL;
  *slot = record_place(new);
  x->n++;
  return *last = new;
}

static uint32_t rma_record_hash(const void *record)
{
  const spool_rma_t *r = record;
  uint64_t what = r->op | (uint64_t)r->sync << 12 | (uint64_t)r->site << 16;
  uint64_t where = r->window ^ (uint64_t)r->phase << 20 ^ (uint64_t)(uint32_t)r->target << 40;
  return message_hash(what, where);
}

spool_rma_t *tables_rma_find(const index_t *x, const spool_rma_t *key)
{
  if (UNLIKELY(!x->slots)) return NULL;
  for (uint32_t i = rma_record_hash(key);; i++) {
    uint32_t slot = x->slots[i & (x->n_slots - 1)];
    if (UNLIKELY(!slot)) return NULL;
    spool_rma_t *r = slot_record(slot);
    if (r->window == key->window && r->sync == key->sync && r->op == key->op &&
        r->site == key->site && r->phase == key->phase && r->target == key->target)
      return r;
  }
}

static bool rma_put_into(index_t *x, const spool_rma_t *r)
{
  if (!index_room(x, rma_record_hash)) return false;
  uint32_t *slot = slot_of(x, rma_record_hash(r));
  while (*slot) slot = next_slot(x, slot);
  *slot = record_place(r);
  x->n++;
  return true;
}

/* Epochs are the process's, so all threads share these records. Needs the lock. */
static spool_rma_t *rma_of_all(const spool_rma_t *key)
{
  static index_t all;
  static uint32_t n;
  spool_rma_t *r = tables_rma_find(&all, key);
  if (r || n + 1 >= SPOOL_MAX_LINES) return r;
  r = memory_room(&all.block, SPOOL_RMAS, sizeof *r);
  if (!r) return NULL;
  *r = *key;
  r->id = n + 1;
  strncpy(r->name, wrap_op_names[key->op], sizeof r->name - 1);
  if (!rma_put_into(&all, r)) return NULL;
  memory_publish(all.block, sizeof *r);
  n++;
  return r;
}

spool_rma_t *tables_rma_find_slow(thread_t *t, const spool_rma_t *key)
{
  if (t->lines.full) return NULL;
  tracer_lock();
  spool_rma_t *r = rma_of_all(key);
  tracer_unlock();
  t->lines.full = !r || !rma_put_into(&t->lines, r);
  return t->lines.full ? NULL : r;
}
