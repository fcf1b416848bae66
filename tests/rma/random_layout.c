/* SPDX-License-Identifier: BSD-3-Clause */
/* Random derived types with exactly n elements, and where their elements are, computed without the
 * MPI. All ranks draw the same layout; only the rank that needs the MPI type makes it. */
#include "random.h"

enum { MOST_BLOCKS = 6000, MOST_PARTS = 12, MANY_ELEMENTS = 8192 };

/* A type while it is made: `stride` is an element's extent, low and extent are the type's. */
typedef struct {
  MPI_Datatype type;
  bool made, real;
  ptrdiff_t low, extent, stride;
  size_t n, blocks;
  block_t *block;
  int align;
} shape_t;

static const char *last_text;

/* Whether the type at hand is made by MPI 4's functions of large counts, if the MPI has them. */
static bool large;

#if MPI_VERSION >= 4
enum { MOST_NUMBERS = 1 << 14 };

/* The numbers as counts, in the i-th of three places that the next call overwrites. */
static const MPI_Count *as_counts(int i, const int *numbers, size_t n)
{
  static MPI_Count counts[3][MOST_NUMBERS];
  for (size_t k = 0; k < n; k++) counts[i][k] = numbers[k];
  return counts[i];
}

static const MPI_Count *addresses_as_counts(int i, const MPI_Aint *addresses, size_t n)
{
  static MPI_Count counts[3][MOST_NUMBERS];
  for (size_t k = 0; k < n; k++) counts[i][k] = addresses[k];
  return counts[i];
}
#endif

static void add_block(shape_t *s, ptrdiff_t at, size_t n)
{
  if (n == 0) return;
  s->n += n;
  if (s->blocks) {
    block_t *last = &s->block[s->blocks - 1];
    if (last->at + (ptrdiff_t)last->n * s->stride == at) {
      last->n += n;
      return;
    }
  }
  if ((s->blocks & (s->blocks - 1)) == 0)
    s->block = realloc(s->block, (s->blocks ? 2 * s->blocks : 1) * sizeof *s->block);
  s->block[s->blocks++] = (block_t){at, n};
}

/* Appends copies of `in`, the first one at `at`. */
static void add_copies(shape_t *s, const shape_t *in, ptrdiff_t at, size_t copies)
{
  if (copies == 0) return;
  ptrdiff_t last = at + (ptrdiff_t)(copies - 1) * in->extent, low = at + in->low;
  ptrdiff_t high = last + in->low + in->extent;
  if (s->n == 0 || low < s->low) {
    if (s->n) s->extent += s->low - low;
    s->low = low;
    if (s->n == 0) s->extent = high - low;
  }
  if (high > s->low + s->extent) s->extent = high - s->low;
  if (in->blocks == 1 && (ptrdiff_t)in->n * in->stride == in->extent) {
    add_block(s, at + in->block[0].at, copies * in->n);
    return;
  }
  for (size_t i = 0; i < copies; i++, at += in->extent)
    for (size_t k = 0; k < in->blocks; k++) add_block(s, at + in->block[k].at, in->block[k].n);
}

static shape_t empty_like(const shape_t *in)
{
  return (shape_t){
      .type = MPI_DATATYPE_NULL, .real = in->real, .stride = in->stride, .align = in->align};
}

static void drop(shape_t *s)
{
  if (s->made && s->real) MPI_Type_free(&s->type);
  free(s->block);
}

static void resize(shape_t *s, ptrdiff_t low, ptrdiff_t extent)
{
  MPI_Datatype type;
  s->low = low;
  s->extent = extent;
  if (!s->real) return;
  MPI_Type_create_resized(s->type, low, extent, &type);
  if (s->made) MPI_Type_free(&s->type);
  s->type = type;
  s->made = true;
}

static size_t small_divisor(size_t n)
{
  size_t found = 1, tried = 0;
  for (size_t d = 2; d <= n && d < 64; d++)
    if (n % d == 0 && draw(++tried) == 0) found = d;
  return found;
}

static size_t divisor(size_t n)
{
  size_t found = small_divisor(n);
  return draw(3) == 0 ? n / found : found;
}

/* vector, hvector: n copies in blocks, possibly from the end to the beginning. */
static void make_vector(shape_t *s, const shape_t *in, size_t n, bool backward)
{
  size_t length = divisor(n), count = n / length;
  bool bytes = draw(2);
  ptrdiff_t step = (ptrdiff_t)(length + draw(3)) * (backward ? -1 : 1);
  ptrdiff_t distance = step * in->extent;
  if (bytes) distance += (backward ? -1 : 1) * (ptrdiff_t)draw(3) * in->align;
  for (size_t i = 0; i < count; i++) add_copies(s, in, (ptrdiff_t)i * distance, length);
  last_text = bytes ? "hvector" : "vector";
  if (!s->real) return;
#if MPI_VERSION >= 4
  if (large) {
    if (bytes)
      MPI_Type_create_hvector_c((MPI_Count)count, (MPI_Count)length, distance, in->type, &s->type);
    else
      MPI_Type_vector_c((MPI_Count)count, (MPI_Count)length, step, in->type, &s->type);
    return;
  }
#endif
  if (bytes)
    MPI_Type_create_hvector((int)count, (int)length, distance, in->type, &s->type);
  else
    MPI_Type_vector((int)count, (int)length, (int)step, in->type, &s->type);
}

/* indexed, hindexed, struct: blocks of any length in any order. */
static void make_indexed(shape_t *s, const shape_t *in, size_t n)
{
  int parts = 1 + (int)draw(MOST_PARTS), lengths[MOST_PARTS], places[MOST_PARTS], form = draw(3);
  MPI_Aint at[MOST_PARTS];
  MPI_Datatype types[MOST_PARTS];
  size_t left = n;
  for (int i = 0; i < parts; i++) {
    lengths[i] = (int)(i == parts - 1 ? left : draw(2 * left / parts + 2));
    if ((size_t)lengths[i] > left) lengths[i] = (int)left;
    left -= lengths[i];
    types[i] = in->type;
  }
  int first = (int)draw(parts), place = (int)draw(3);
  for (int k = 0; k < parts; k++) { /* in a rotated order */
    int i = (first + k) % parts;
    places[i] = place;
    at[i] = place * in->extent + (form ? (MPI_Aint)k * in->align * (MPI_Aint)draw(2) : 0);
    place += lengths[i] + (int)draw(3) + (form ? (k + 1) * in->align / (int)in->extent + 1 : 0);
  }
  for (int i = 0; i < parts; i++)
    add_copies(s, in, form ? at[i] : places[i] * in->extent, lengths[i]);
  ptrdiff_t low = s->low, extent = s->extent;
  last_text = form == 0 ? "indexed" : form == 1 ? "hindexed" : "struct";
  bool made = !s->real;
#if MPI_VERSION >= 4
  if (s->real && large) {
    const MPI_Count *length = as_counts(0, lengths, (size_t)parts);
    const MPI_Count *index = as_counts(1, places, (size_t)parts);
    const MPI_Count *byte = addresses_as_counts(0, at, (size_t)parts);
    if (form == 0) MPI_Type_indexed_c(parts, length, index, in->type, &s->type);
    if (form == 1) MPI_Type_create_hindexed_c(parts, length, byte, in->type, &s->type);
    if (form == 2) MPI_Type_create_struct_c(parts, length, byte, types, &s->type);
    made = true;
  }
#endif
  if (!made && form == 0) MPI_Type_indexed(parts, lengths, places, in->type, &s->type);
  if (!made && form == 1) MPI_Type_create_hindexed(parts, lengths, at, in->type, &s->type);
  if (!made && form == 2) MPI_Type_create_struct(parts, lengths, at, types, &s->type);
  s->made = true;
  if (form == 2) resize(s, low, extent); /* the MPI may pad structs */
}

static void make_blocks(shape_t *s, const shape_t *in, size_t n)
{
  size_t length = divisor(n), count = n / length;
  int *places = malloc(count * sizeof *places), place = (int)draw(3);
  MPI_Aint *at = malloc(count * sizeof *at);
  bool bytes = draw(2);
  for (size_t i = 0; i < count; i++) {
    places[i] = place;
    at[i] = place * in->extent;
    add_copies(s, in, at[i], length);
    place += (int)(length + draw(4));
  }
  last_text = bytes ? "hindexed_block" : "indexed_block";
  bool made = !s->real;
#if MPI_VERSION >= 4
  if (s->real && large && count <= MOST_NUMBERS) {
    MPI_Count n_blocks = (MPI_Count)count, each = (MPI_Count)length;
    if (bytes)
      MPI_Type_create_hindexed_block_c(n_blocks, each, addresses_as_counts(0, at, count), in->type,
                                       &s->type);
    else
      MPI_Type_create_indexed_block_c(n_blocks, each, as_counts(0, places, count), in->type,
                                      &s->type);
    made = true;
  }
#endif
  if (!made && bytes)
    MPI_Type_create_hindexed_block((int)count, (int)length, at, in->type, &s->type);
  if (!made && !bytes)
    MPI_Type_create_indexed_block((int)count, (int)length, places, in->type, &s->type);
  free(places);
  free(at);
}

/* Walks the elements of an array of which index[d] lists what is used in dimension d. */
static void walk(shape_t *s, const shape_t *in, int dims, const int *full, const int *used,
                 int *const *index, bool fortran)
{
  int at[3] = {0};
  size_t total = 1;
  for (int d = 0; d < dims; d++) total *= used[d];
  for (size_t i = 0; i < total; i++) {
    ptrdiff_t place = 0;
    for (int k = 0; k < dims; k++) {
      int d = fortran ? dims - 1 - k : k;
      place = place * full[d] + index[d][at[d]];
    }
    add_copies(s, in, place * in->extent, 1);
    for (int k = 0; k < dims; k++) {
      int d = fortran ? k : dims - 1 - k;
      if (++at[d] < used[d]) break;
      at[d] = 0;
    }
  }
  s->low = in->low;
  s->extent = in->extent;
  for (int d = 0; d < dims; d++) s->extent *= full[d];
}

static void make_array(shape_t *s, const shape_t *in, size_t n)
{
  int dims = 1 + (int)draw(3), used[3], full[3], start[3], distribution[3], parts[3], arg[3];
  int *index[3], rank = 0, all = 1;
  bool fortran = draw(2), darray = draw(2);
  for (int d = 0; d < dims; d++) {
    used[d] = (int)(d == dims - 1 ? n : divisor(n));
    n /= used[d];
    index[d] = malloc(used[d] * sizeof *index[d]);
    parts[d] = darray ? 1 + (int)draw(3) : 1;
    int mine = (int)draw(parts[d]), chunk = used[d];
    distribution[d] = parts[d] == 1  ? MPI_DISTRIBUTE_NONE
                      : draw(2) == 0 ? MPI_DISTRIBUTE_BLOCK
                                     : MPI_DISTRIBUTE_CYCLIC;
    arg[d] = MPI_DISTRIBUTE_DFLT_DARG;
    if (distribution[d] == MPI_DISTRIBUTE_CYCLIC) arg[d] = chunk = (int)divisor(used[d]);
    full[d] = darray ? used[d] * parts[d] : used[d] + (int)draw(4);
    start[d] = darray ? 0 : (int)draw(full[d] - used[d] + 1);
    for (int i = 0; i < used[d]; i++)
      index[d][i] = darray ? (i / chunk * parts[d] + mine) * chunk + i % chunk : start[d] + i;
    rank = rank * parts[d] + mine;
    all *= parts[d];
  }
  int order = fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
  walk(s, in, dims, full, used, index, fortran);
  last_text = darray ? "darray" : "subarray";
  bool made = !s->real;
#if MPI_VERSION >= 4
  if (s->real && large) {
    const MPI_Count *sizes = as_counts(0, full, (size_t)dims);
    if (darray)
      MPI_Type_create_darray_c(all, rank, dims, sizes, distribution, arg, parts, order, in->type,
                               &s->type);
    else
      MPI_Type_create_subarray_c(dims, sizes, as_counts(1, used, (size_t)dims),
                                 as_counts(2, start, (size_t)dims), order, in->type, &s->type);
    made = true;
  }
#endif
  if (!made && darray)
    MPI_Type_create_darray(all, rank, dims, full, distribution, arg, parts, order, in->type,
                           &s->type);
  if (!made && !darray)
    MPI_Type_create_subarray(dims, full, used, start, order, in->type, &s->type);
  for (int d = 0; d < dims; d++) free(index[d]);
}

static void make_contiguous(shape_t *s, const shape_t *in, size_t n)
{
  add_copies(s, in, 0, n);
  last_text = "contiguous";
  if (!s->real) return;
#if MPI_VERSION >= 4
  if (large) {
    MPI_Type_contiguous_c((MPI_Count)n, in->type, &s->type);
    return;
  }
#endif
  MPI_Type_contiguous((int)n, in->type, &s->type);
}

/* A type with n copies of `in`, which it frees. */
static shape_t wrap(shape_t in, size_t n, bool at_origin)
{
  shape_t s = empty_like(&in);
  int form = n * in.blocks > MOST_BLOCKS ? 0 : (int)draw(6);
  large = draw(3) == 0;
  s.made = true;
  if (form == 0) make_contiguous(&s, &in, n);
  if (form == 1) make_vector(&s, &in, n, at_origin && allowed(ON_MORE, BACKWARD) && draw(2));
  if (form == 2) make_indexed(&s, &in, n);
  if (form == 3) make_blocks(&s, &in, n);
  if (form >= 4) make_array(&s, &in, n);
  drop(&in);
  if (draw(6) == 0)
    resize(&s, s.low - (at_origin ? (ptrdiff_t)draw(3) * s.align : 0),
           s.extent + (ptrdiff_t)(2 + draw(3)) * s.align);
  if (draw(6) == 0 && s.real) {
    MPI_Datatype copy;
    MPI_Type_dup(s.type, &copy);
    MPI_Type_free(&s.type);
    s.type = copy;
  }
  return s;
}

static void set_element(layout_t *l, shape_t *s, const basic_t *b)
{
  *s = (shape_t){.type = b->type, .extent = b->extent, .stride = b->extent, .align = b->align};
  l->pieces = b->pieces;
  memcpy(l->piece, b->piece, sizeof b->piece);
  l->size = b->size;
  l->loose = b->loose;
}

/* An element of several basic types, in an order that follows from the seed; gaps are drawn. */
static void set_mixed_element(layout_t *l, shape_t *s, uint64_t seed, bool real)
{
  const MPI_Datatype all[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_FLOAT, MPI_DOUBLE, MPI_LONG};
  const int sizes[] = {1, sizeof(short), sizeof(int), sizeof(float), sizeof(double), sizeof(long)};
  int n = 2 + (int)(seed % 3), ones[PIECES] = {1, 1, 1, 1};
  MPI_Aint at[PIECES], place = 0;
  MPI_Datatype types[PIECES];
  *s = (shape_t){.align = ALIGN};
  l->size = 0;
  l->pieces = n;
  for (int i = 0; i < n; i++) {
    int k = (int)(mix(seed + i) % 6);
    place = (place + sizes[k] - 1) / sizes[k] * sizes[k] + (MPI_Aint)draw(2) * sizes[k];
    types[i] = all[k];
    at[i] = place;
    l->piece[i] = (piece_t){place, sizes[k], 'u'};
    l->size += sizes[k];
    place += sizes[k];
  }
  s->stride = s->extent = (place + ALIGN - 1) / ALIGN * ALIGN;
  s->real = real;
  if (real) MPI_Type_create_struct(n, ones, at, types, &s->type);
  s->made = true;
  resize(s, 0, s->extent);
}

static void find_bounds(layout_t *l)
{
  l->low = l->high = 0;
  for (size_t i = 0; i < l->blocks; i++) {
    ptrdiff_t low = l->block[i].at, high = low + (ptrdiff_t)l->block[i].n * l->stride;
    if (i == 0 || low < l->low) l->low = low;
    if (i == 0 || high > l->high) l->high = high;
  }
}

void make_layout(layout_t *l, const basic_t *b, uint64_t seed, size_t n, form_t form, int flags)
{
  shape_t s, all;
  bool real = flags & REAL;
  uint64_t kept = swap_state(mix(seed + (flags & AT_ORIGIN ? 5 : 0)));
  memset(l, 0, sizeof *l);
  l->text = form == MIXED ? "mixed struct" : "basic";
  if (b)
    set_element(l, &s, b);
  else
    set_mixed_element(l, &s, seed, real);
  s.real = real;
  add_block(&s, 0, 1);
  size_t count = n;
  if (form == DERIVED && n > MANY_ELEMENTS) { /* few long blocks */
    shape_t in = s;
    s = empty_like(&in);
    s.made = true;
    count = small_divisor(n);
    make_contiguous(&s, &in, n / count);
    drop(&in);
  }
  if (form == DERIVED || (form == MIXED && draw(2))) {
    for (int depth = 1 + (draw(3) == 0); n > 0 && depth > 0; depth--) {
      size_t part = depth == 1 && draw(3) ? count : divisor(count);
      s = wrap(s, part, flags & AT_ORIGIN);
      count /= part;
    }
    l->text = n ? last_text : "basic";
  }
  all = empty_like(&s);
  add_copies(&all, &s, 0, count);
  l->count = (int)count;
  l->n = all.n;
  l->stride = all.stride;
  l->blocks = all.blocks;
  l->block = all.block;
  l->type = s.type;
  l->made = s.made && real;
  if (l->made) MPI_Type_commit(&l->type);
  free(s.block);
  find_bounds(l);
  swap_state(kept);
}

void free_type(layout_t *l)
{
  if (l->made) MPI_Type_free(&l->type);
  l->made = false;
}

void free_layout(layout_t *l)
{
  free_type(l);
  free(l->block);
  l->block = NULL;
}

void pack(const layout_t *l, const unsigned char *at, unsigned char *packed)
{
  for (size_t i = 0; i < l->blocks; i++) {
    const unsigned char *from = at + l->block[i].at;
    size_t n = l->block[i].n;
    if (l->pieces == 1 && l->stride == l->piece[0].length) {
      memcpy(packed, from, n * l->stride);
      packed += n * l->stride;
      continue;
    }
    for (; n > 0; n--, from += l->stride)
      for (int k = 0; k < l->pieces; packed += l->piece[k++].length)
        memcpy(packed, from + l->piece[k].at, l->piece[k].length);
  }
}

void unpack(const layout_t *l, unsigned char *at, const unsigned char *packed)
{
  for (size_t i = 0; i < l->blocks; i++) {
    unsigned char *to = at + l->block[i].at;
    size_t n = l->block[i].n;
    if (l->pieces == 1 && l->stride == l->piece[0].length) {
      memcpy(to, packed, n * l->stride);
      packed += n * l->stride;
      continue;
    }
    for (; n > 0; n--, to += l->stride)
      for (int k = 0; k < l->pieces; packed += l->piece[k++].length)
        memcpy(to + l->piece[k].at, packed, l->piece[k].length);
  }
}

/* After a write: bytes between the pieces of an element that has such bytes may be anything. */
void mark_gaps(const layout_t *l, unsigned char *unknown, bool loose)
{
  if (!loose && !l->loose) return;
  for (size_t i = 0; i < l->blocks; i++)
    for (size_t n = 0; n < l->block[i].n; n++) {
      unsigned char *at = unknown + l->block[i].at + (ptrdiff_t)n * l->stride;
      ptrdiff_t end = 0;
      for (int k = 0; k <= l->pieces; k++) {
        ptrdiff_t next = k < l->pieces ? l->piece[k].at : l->stride;
        memset(at + end, 1, next - end);
        if (k < l->pieces) end = next + l->piece[k].length;
      }
    }
}
