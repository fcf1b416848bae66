/* SPDX-License-Identifier: BSD-3-Clause */
/* Works out the layouts of datatypes, of what they are made of, without listing their pieces: a
 * datatype may have millions.
 *
 * An attribute of the datatype keeps a word: its size if its data are contiguous, else the number
 * of its layout in a table. MPI's own datatypes need no attribute, because their handles aren't
 * used for others. */
#include "trace/type_layout.h"

#include <string.h>

#include "interpose/type_contents.h"

enum {
  MOST_LAYOUTS = 1024, /* different ones */
  DEEPEST = 32,        /* datatypes in one another */
  MOST_TYPES = 1 << 14 /* derived ones that one is made of, each as often as it is read */
};

/* The kind of a word is in its lowest bits. A word of 0 is nothing. */
enum { WORD_CONTIGUOUS = 1, WORD_UNKNOWN = 2, WORD_LAYOUT = 3, WORD_BITS = 2 };

/* Data in the order in which they are sent. Offsets are in bytes. */
typedef struct data {
  uint64_t size, pieces; /* no pieces: there are no data */
  int64_t first, end;    /* where the first piece begins, and the last one ends */
  int64_t low, high;     /* the lowest offset, and behind the highest */
} data_t;

/* A datatype that has gaps, alone or with others of it. */
typedef struct layout {
  _Atomic uint64_t size; /* of one item; written last; 0: the entry is free */
  uint64_t pieces;       /* of one item */
  uint64_t stride;       /* bytes from an item to the next one */
  uint64_t reach;        /* bytes from the lowest to behind the highest of one item */
  bool joined;           /* an item's last piece and the next one's first are one */
} layout_t;

static layout_t layouts[MOST_LAYOUTS]; /* writing needs the lock */

/* --- data --- */

/* Whole numbers that a wrong datatype may let overflow. */
static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static data_t moved(data_t d, int64_t by)
{
  return (data_t){d.size,         d.pieces,       sum(d.first, by),
                  sum(d.end, by), sum(d.low, by), sum(d.high, by)};
}

/* The same data n times, at equal distances. */
static data_t repeated(data_t d, int64_t n, int64_t stride)
{
  if (n < 1 || !d.pieces) return (data_t){0};
  const uint64_t joints = d.end == sum(d.first, stride) ? (uint64_t)n - 1 : 0;
  const int64_t far = product(n - 1, stride);
  return (data_t){.size = d.size * (uint64_t)n,
                  .pieces = d.pieces * (uint64_t)n - joints,
                  .first = d.first,
                  .end = sum(d.end, far),
                  .low = sum(d.low, least(far, 0)),
                  .high = sum(d.high, most(far, 0))};
}

static void append(data_t *to, data_t d)
{
  if (!d.pieces) return;
  if (!to->pieces) {
    *to = d;
    return;
  }
  to->size += d.size;
  to->pieces += d.pieces - (to->end == d.first);
  to->end = d.end;
  to->low = least(to->low, d.low);
  to->high = most(to->high, d.high);
}

/* --- datatypes --- */

typedef enum result { READ, NOT_READ, NO_ROOM } result_t; /* NOT_READ: of a kind that isn't read */

/* A datatype that others are made of. */
typedef struct item {
  data_t data;
  int64_t extent;
} item_t;

/* How much of a datatype may still be read. */
typedef struct budget {
  int depth, types;
} budget_t;

static result_t read_type(MPI_Datatype type, const envelope_t *e, budget_t *left, item_t *out);

/* MPI's pairs of a value and an index may have a gap between them. */
static result_t read_own(MPI_Datatype type, item_t *out)
{
  const int64_t index = sizeof(int);
  MPI_Count size, low, extent, true_low, true_extent;
  if (mpi.Type_size_x(type, &size) != MPI_SUCCESS ||
      mpi.Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS ||
      mpi.Type_get_true_extent_x(type, &true_low, &true_extent) != MPI_SUCCESS)
    return NOT_READ;
  *out = (item_t){.extent = extent};
  if (size <= 0) return READ;
  const bool gap = size != true_extent && size > index;
  out->data = (data_t){.size = (uint64_t)size,
                       .pieces = gap ? 2 : 1,
                       .first = true_low,
                       .end = true_low + (gap ? true_extent : size),
                       .low = true_low,
                       .high = true_low + (gap ? true_extent : size)};
  return READ;
}

static result_t read_item(MPI_Datatype type, budget_t *left, item_t *out)
{
  envelope_t e;
  MPI_Count low, extent;
  if (!type_envelope(type, &e)) return NOT_READ;
  if (type_envelope_is_own(&e)) return read_own(type, out);
  result_t result = read_type(type, &e, left, out);
  if (result == READ && mpi.Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS) return NOT_READ;
  out->extent = extent;
  return result;
}

/* Members one after another. Those of one datatype in a row are read once. */
static result_t read_struct(const contents_t *c, budget_t *left, data_t *out)
{
  const int64_t n = contents_number(c, 0);
  result_t result = READ;
  item_t item = {0};
  bool known = false;
  for (int64_t i = 0; i < n && result == READ; i++) {
    const int64_t length = contents_number(c, 1 + i);
    known &= i > 0 && c->type[i] == c->type[i - 1];
    if (!length) continue;
    if (!known) result = read_item(c->type[i], left, &item);
    known = true;
    data_t block = repeated(item.data, length, item.extent);
    if (result == READ) append(out, moved(block, contents_displacement(c, 1 + n, i)));
  }
  return result;
}

/* MPI 4.0, section 5.1.3: sizes, sizes of the part, where it begins, order. */
static data_t subarray(const contents_t *c, const item_t *item)
{
  const int n = c->number[0];
  const int64_t numbers = c->of.counts ? 0 : 1;
  const bool c_order = c->number[c->of.counts ? 1 : 1 + 3 * n] == MPI_ORDER_C;
  data_t d = item->data;
  int64_t stride = item->extent, offset = 0;
  for (int k = 0; k < n; k++) { /* the dimension that moves fastest first */
    const int64_t i = numbers + (c_order ? n - 1 - k : k);
    d = repeated(d, contents_number(c, n + i), stride);
    offset = sum(offset, product(contents_number(c, 2 * n + i), stride));
    stride = product(stride, contents_number(c, i));
  }
  return moved(d, offset);
}

/* Blocks whose lengths and places are in lists. */
static data_t blocks(const contents_t *c, const item_t *item)
{
  const int64_t n = contents_number(c, 0);
  const bool bytes =
      c->of.combiner == MPI_COMBINER_HINDEXED || c->of.combiner == MPI_COMBINER_HINDEXED_BLOCK;
  const bool equal =
      c->of.combiner == MPI_COMBINER_INDEXED_BLOCK || c->of.combiner == MPI_COMBINER_HINDEXED_BLOCK;
  const int64_t places = equal ? 2 : 1 + n;
  data_t all = {0};
  for (int64_t i = 0; i < n; i++) {
    const int64_t length = contents_number(c, equal ? 1 : 1 + i);
    const int64_t place = bytes ? contents_displacement(c, places, i)
                                : product(contents_number(c, places + i), item->extent);
    append(&all, moved(repeated(item->data, length, item->extent), place));
  }
  return all;
}

/* Datatypes that are made of one other. */
static result_t read_of_one(const contents_t *c, budget_t *left, data_t *out)
{
  item_t item;
  result_t result = read_item(c->type[0], left, &item);
  if (result != READ) return result;
  const data_t d = item.data;
  switch (c->of.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    *out = d;
    return READ;
  case MPI_COMBINER_CONTIGUOUS:
    *out = repeated(d, contents_number(c, 0), item.extent);
    return READ;
  case MPI_COMBINER_VECTOR:
    *out = repeated(repeated(d, contents_number(c, 1), item.extent), contents_number(c, 0),
                    product(contents_number(c, 2), item.extent));
    return READ;
  case MPI_COMBINER_HVECTOR:
    *out = repeated(repeated(d, contents_number(c, 1), item.extent), contents_number(c, 0),
                    contents_displacement(c, 2, 0));
    return READ;
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED:
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK:
    *out = blocks(c, &item);
    return READ;
  case MPI_COMBINER_SUBARRAY:
    *out = subarray(c, &item);
    return READ;
  default:
    return NOT_READ;
  }
}

static const contents_memory_t own_memory = {memory_alloc, memory_free};

/* Reads the data of a derived datatype. */
static result_t read_type(MPI_Datatype type, const envelope_t *e, budget_t *left, item_t *out)
{
  contents_t c;
  *out = (item_t){.extent = 0};
  if (e->types < 1) return NOT_READ;
  if (left->types-- < 1 || left->depth < 1) return NO_ROOM;
  if (!type_contents_read(&c, type, e, &own_memory)) return NO_ROOM;
  left->depth--;
  result_t result = e->combiner == MPI_COMBINER_STRUCT ? read_struct(&c, left, &out->data)
                                                       : read_of_one(&c, left, &out->data);
  left->depth++;
  type_contents_clear(&c);
  return result;
}

/* --- words --- */

static uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

static bool same_layout(const layout_t *a, const layout_t *b)
{
  return a->size == b->size && a->pieces == b->pieces && a->stride == b->stride &&
         a->reach == b->reach && a->joined == b->joined;
}

/* The number of a layout in the table, or -1 if that is full. */
static int intern_layout(const layout_t *l)
{
  uint64_t hash = (l->size ^ l->pieces << 20 ^ l->reach << 40) * 0x9e3779b97f4a7c15u + l->stride;
  int found = -1;
  tracer_lock();
  for (int i = 0; i < MOST_LAYOUTS && found < 0; i++) {
    const int at = (int)((hash >> 32) + (uint64_t)i) & (MOST_LAYOUTS - 1);
    layout_t *x = &layouts[at];
    if (x->size && !same_layout(x, l)) continue;
    found = at;
    if (x->size) continue;
    x->pieces = l->pieces;
    x->stride = l->stride;
    x->reach = l->reach;
    x->joined = l->joined;
    atomic_store_explicit(&x->size, l->size, memory_order_release);
  }
  tracer_unlock();
  return found;
}

static uint64_t word_of_item(const item_t *item)
{
  const data_t d = item->data;
  const layout_t l = {.size = d.size,
                      .pieces = d.pieces,
                      .stride = magnitude(item->extent),
                      .reach = (uint64_t)d.high - (uint64_t)d.low,
                      .joined = d.end == sum(d.first, item->extent)};
  if (!d.pieces || (d.pieces == 1 && l.joined)) return d.size << WORD_BITS | WORD_CONTIGUOUS;
  const int number = intern_layout(&l);
  if (number < 0) return d.size << WORD_BITS | WORD_UNKNOWN;
  return (uint64_t)number << WORD_BITS | WORD_LAYOUT;
}

static uint64_t size_of_word(uint64_t word)
{
  if ((word & ((1 << WORD_BITS) - 1)) != WORD_LAYOUT) return word >> WORD_BITS;
  return atomic_load_explicit(&layouts[word >> WORD_BITS].size, memory_order_acquire);
}

/* Works the word of a derived datatype out, and keeps it. */
static uint64_t make_word(MPI_Datatype type, const envelope_t *e)
{
  item_t item;
  MPI_Count size = 0, low, extent = 0;
  budget_t left = {DEEPEST, MOST_TYPES};
  result_t result = read_type(type, e, &left, &item);
  if (mpi.Type_size_x(type, &size) != MPI_SUCCESS || size < 0) size = 0;
  if (mpi.Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS) result = NOT_READ;
  item.extent = extent;
  uint64_t word = (uint64_t)size << WORD_BITS | WORD_CONTIGUOUS;
  if (result == NO_ROOM) word = (uint64_t)size << WORD_BITS | WORD_UNKNOWN;
  if (result == READ && item.data.size == (uint64_t)size) word = word_of_item(&item);
  mpi.Type_set_attr(type, tracer.type_keyval, (void *)(uintptr_t)word);
  return word;
}

static void remember(thread_t *t, MPI_Datatype type, uint64_t word)
{
  unsigned slot = handle_slot((uintptr_t)type);
  t->layouts[slot].handle = type;
  t->layouts[slot].word = word;
}

/* The word of one of MPI's own datatypes, which the thread remembers. */
static uint64_t own_word(thread_t *t, MPI_Datatype type)
{
  item_t item;
  if (read_own(type, &item) != READ) return 0;
  uint64_t word = word_of_item(&item);
  if ((word & ((1 << WORD_BITS) - 1)) != WORD_CONTIGUOUS) {
    remember(t, type, word);
    return word;
  }
  unsigned slot = handle_slot((uintptr_t)type);
  t->types[slot].handle = type;
  t->types[slot].size = item.data.size;
  return word;
}

/* The thread's word of a datatype; 0 if it has none. */
static uint64_t known_word(thread_t *t, MPI_Datatype type)
{
  unsigned epoch = atomic_load_explicit(&tracer.type_epoch, memory_order_acquire);
  if (UNLIKELY(t->type_epoch != epoch)) {
    memset(t->layouts, 0, sizeof t->layouts);
    t->type_epoch = epoch;
  }
  unsigned slot = handle_slot((uintptr_t)type);
  return LIKELY(t->layouts[slot].handle == type) ? t->layouts[slot].word : 0;
}

static bool is_type(MPI_Datatype type) { return type != mpi.type_null && may_be_type(type); }

uint64_t type_layout_size_slow(thread_t *t, MPI_Datatype type)
{
  envelope_t e;
  MPI_Count size = 0;
  if (!is_type(type)) return 0;
  uint64_t word = known_word(t, type);
  if (word) return size_of_word(word);
  if (type_envelope(type, &e) && type_envelope_is_own(&e)) return size_of_word(own_word(t, type));
  return mpi.Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? (uint64_t)size : 0;
}

/* The word of a datatype that the thread doesn't know. */
static uint64_t find_word(thread_t *t, MPI_Datatype type)
{
  envelope_t e;
  void *kept = NULL;
  int found = 0;
  if (!is_type(type)) return 0;
  if (mpi.Type_get_attr(type, tracer.type_keyval, &kept, &found) != MPI_SUCCESS) return 0;
  uint64_t word = (uint64_t)(uintptr_t)kept;
  if (!found) {
    if (!type_envelope(type, &e)) return 0;
    if (type_envelope_is_own(&e)) return own_word(t, type);
    word = make_word(type, &e);
  }
  remember(t, type, word);
  return word;
}

packing_t type_layout_packing_slow(thread_t *t, int64_t count, MPI_Datatype type)
{
  if (count <= 0) return (packing_t){0};
  uint64_t n = (uint64_t)count, word = known_word(t, type);
  if (UNLIKELY(!word)) word = find_word(t, type);
  const uint64_t kind = word & ((1 << WORD_BITS) - 1);
  packing_t p = {.size = n * size_of_word(word)};
  p.span = p.size;
  if (kind == WORD_UNKNOWN) p.pieces = PIECES_UNKNOWN;
  if (kind != WORD_LAYOUT) return p;
  const layout_t *l = &layouts[word >> WORD_BITS];
  p.pieces = n * l->pieces - (l->joined ? n - 1 : 0);
  const uint64_t span = (n - 1) * l->stride + l->reach;
  if (span > p.span) p.span = span; /* data of a send may overlap */
  return p;
}

/* A duplicate has the same layout. */
static int copy_attribute(MPI_Datatype type, int keyval, void *extra, void *in, void *out,
                          int *flag)
{
  (void)type, (void)keyval, (void)extra;
  *(void **)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

/* The MPI may reuse the handle for another datatype. */
static int delete_attribute(MPI_Datatype type, int keyval, void *attribute, void *extra)
{
  (void)type, (void)keyval, (void)attribute, (void)extra;
  atomic_fetch_add(&tracer.type_epoch, 1);
  return MPI_SUCCESS;
}

void type_layout_setup(void)
{
  mpi.Type_create_keyval(copy_attribute, delete_attribute, &tracer.type_keyval, NULL);
}

void type_layout_cleanup(void) { mpi.Type_free_keyval(&tracer.type_keyval); }
