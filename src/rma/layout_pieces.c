/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/layout_pieces.h"

#include <stdlib.h>

#include "interpose/type_contents.h"
#include "job/reduction.h"

enum { MOST_RUNS = 1 << 24 };

/* --- the list --- */

static void append(pieces_t *p, layout_run_t run)
{
  if (p->n == p->cap && !p->full) {
    size_t cap = p->cap ? 2 * p->cap : 8;
    layout_run_t *more = cap <= MOST_RUNS ? realloc(p->run, cap * sizeof *more) : NULL;
    if (!more) {
      p->full = true;
      return;
    }
    p->run = more;
    p->cap = cap;
  }
  if (!p->full) p->run[p->n++] = run;
}

/* Whether the last two runs are one; n pieces of the same length follow at equal distances. */
static bool join(pieces_t *p)
{
  layout_run_t *a = &p->run[p->n - 2], *b = &p->run[p->n - 1];
  if (a->count == 1 && b->count == 1 && a->offset + a->length == b->offset) {
    a->length += b->length;
    return true;
  }
  if (a->length != b->length) return false;
  int64_t stride = a->count > 1 ? a->stride : b->offset - a->offset;
  if (a->count == 1 && b->count > 1) stride = b->stride;
  if (b->offset != a->offset + a->count * stride || (b->count > 1 && b->stride != stride))
    return false;
  a->stride = stride;
  a->count += b->count;
  return true;
}

static void add_run(pieces_t *p, layout_run_t run)
{
  if (run.length == 0 || run.count == 0) return;
  if (run.count > 1 && run.stride == run.length) { /* one piece */
    run.length *= run.count;
    run.count = 1;
  }
  append(p, run);
  /* A lone piece may still grow, so what lies before it is joined once the next one is there. */
  if (p->n >= 2 && !p->full) {
    layout_run_t *a = &p->run[p->n - 2], *b = &p->run[p->n - 1];
    if (a->count == 1 && b->count == 1 && a->offset + a->length == b->offset) {
      a->length += b->length;
      p->n--;
    }
  }
  if (p->n >= 3 && !p->full) {
    layout_run_t last = p->run[--p->n];
    while (p->n >= 2 && join(p)) p->n--;
    p->run[p->n++] = last;
  }
}

/* Nothing more comes: joins the last runs. */
static void finish(pieces_t *p)
{
  while (p->n >= 2 && !p->full && join(p)) p->n--;
}

static void add_element(pieces_t *p, int element, int64_t unit)
{
  if (p->element == PIECES_NO_ELEMENT) {
    p->element = element;
    p->unit = unit;
  } else if (p->element != element) {
    p->element = PIECES_MIXED;
  }
}

/* --- parts of a type --- */

/* A type that others are made of. */
typedef struct part {
  pieces_t p;
  int64_t extent;
  bool dense;
} part_t;

static bool take_part(const pieces_t *p, MPI_Datatype type, part_t *out)
{
  MPI_Count low, extent;
  *out = (part_t){.p = {.whole = p->whole, .element = PIECES_NO_ELEMENT}};
  if (!pieces_of(&out->p, type) || mpi.Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS) {
    free(out->p.run);
    return false;
  }
  out->extent = extent;
  out->dense = out->p.n == 1 && out->p.run[0].count == 1 && out->p.run[0].length == extent;
  return true;
}

/* n elements of it, from an offset on. */
static void add_block(pieces_t *p, const part_t *part, int64_t offset, int64_t n)
{
  const layout_run_t *r = part->p.run;
  p->full |= part->p.full;
  if (part->dense) {
    add_run(p, (layout_run_t){offset + r->offset, n * r->length, 0, 1});
    return;
  }
  if (part->p.n == 1 && r->count == 1) {
    add_run(p, (layout_run_t){offset + r->offset, r->length, part->extent, n});
    return;
  }
  for (int64_t i = 0; i < n && !p->full; i++)
    for (size_t k = 0; k < part->p.n; k++) {
      layout_run_t run = r[k];
      run.offset += offset + i * part->extent;
      add_run(p, run);
    }
}

/* --- what types are made of --- */

static void *take(size_t bytes) { return malloc(bytes); }

static void give(void *p, size_t bytes)
{
  (void)bytes;
  free(p);
}

static const contents_memory_t own_memory = {take, give};

/* --- arrays --- */

/* The next index of an array that a rank has, behind `at`; n: there is none. */
typedef struct dimension {
  int64_t n;           /* indices */
  int64_t first, last; /* the rank's, of a block; last is one too far */
  int64_t block, all;  /* cyclic blocks: their length, and that of a turn of all ranks */
  int64_t stride;      /* bytes from an index to the next one */
} dimension_t;

static int64_t next_index(const dimension_t *d, int64_t at)
{
  int64_t next = at + 1 < d->first ? d->first : at + 1;
  if (d->all > 0 && (next - d->first) % d->all >= d->block)
    next += d->all - (next - d->first) % d->all;
  return next < d->last ? next : d->n;
}

/* The pieces of an array, of the dimension that moves slowest first. */
static void add_array(pieces_t *p, const part_t *part, const dimension_t *d, int n, int64_t offset)
{
  if (n == 0) {
    add_block(p, part, offset, 1);
    return;
  }
  for (int64_t i = next_index(d, -1); i < d->n && !p->full; i = next_index(d, i)) {
    if (n == 1 && d->all == 0) { /* indices follow one another */
      add_block(p, part, offset + i * d->stride, d->last - i);
      return;
    }
    add_array(p, part, d + 1, n - 1, offset + i * d->stride);
  }
}

/* `order[k]` is the dimension that is the k-th slowest one. */
static bool add_dimensions(pieces_t *p, const part_t *part, dimension_t *of, int n, int order)
{
  dimension_t *d = malloc(((size_t)n + 1) * sizeof *d);
  if (!d) return false;
  int64_t stride = part->extent;
  for (int k = n - 1; k >= 0; k--) {
    int i = order == MPI_ORDER_C ? k : n - 1 - k;
    d[k] = of[i];
    d[k].stride = stride;
    stride *= of[i].n;
  }
  add_array(p, part, d, n, 0);
  free(d);
  return true;
}

/* MPI 4.0, section 5.1.3: sizes, sizes of the part, where it begins, order. Made with large counts,
 * it has the first three apart, as counts. */
static bool add_subarray(pieces_t *p, const part_t *part, const contents_t *c)
{
  int n = c->number[0], apart = c->of.counts > 0, order = c->number[apart ? 1 : 1 + 3 * n];
  dimension_t *d = calloc((size_t)n + 1, sizeof *d);
  if (!d) return false;
  for (int i = 0; i < n; i++) {
    int64_t at = apart ? i : 1 + i, first = contents_number(c, at + 2 * n);
    d[i] = (dimension_t){
        .n = contents_number(c, at), .first = first, .last = first + contents_number(c, at + n)};
  }
  bool added = add_dimensions(p, part, d, n, order);
  free(d);
  return added;
}

/* The indices of a dimension that a process has (MPI 4.0, section 5.1.4). */
static dimension_t distributed(int64_t n, int how, int64_t arg, int64_t processes, int64_t place)
{
  if (how == MPI_DISTRIBUTE_NONE || processes == 1)
    return (dimension_t){.n = n, .first = 0, .last = n};
  if (how == MPI_DISTRIBUTE_BLOCK) {
    int64_t block = arg == MPI_DISTRIBUTE_DFLT_DARG ? (n + processes - 1) / processes : arg;
    int64_t last = (place + 1) * block;
    return (dimension_t){.n = n, .first = place * block, .last = last < n ? last : n};
  }
  int64_t block = arg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : arg;
  return (dimension_t){
      .n = n, .first = place * block, .last = n, .block = block, .all = processes * block};
}

/* MPI 4.0, section 5.1.4: processes, rank, dimensions, sizes, distributions, their arguments, the
 * grid of processes, order. Made with large counts, it has the sizes apart, as counts. The grid is
 * always in C's order. */
static bool add_darray(pieces_t *p, const part_t *part, const contents_t *c)
{
  int rank = c->number[1], n = c->number[2], apart = c->of.counts > 0;
  const int *how = c->number + 3 + (apart ? 0 : n), *arg = how + n, *grid = arg + n;
  dimension_t *d = calloc((size_t)n + 1, sizeof *d);
  if (!d) return false;
  for (int i = n - 1; i >= 0; i--) {
    int64_t size = contents_number(c, apart ? i : 3 + i);
    d[i] = distributed(size, how[i], arg[i], grid[i], rank % grid[i]);
    rank /= grid[i];
  }
  bool added = add_dimensions(p, part, d, n, grid[n]);
  free(d);
  return added;
}

/* --- combiners --- */

static bool add_struct(pieces_t *p, const contents_t *c)
{
  int64_t n = contents_number(c, 0);
  for (int64_t i = 0; i < n; i++) {
    part_t part;
    int64_t length = contents_number(c, 1 + i);
    if (length == 0) continue;
    if (!take_part(p, c->type[i], &part)) return false;
    add_block(p, &part, contents_displacement(c, 1 + n, i), length);
    if (part.p.element != PIECES_NO_ELEMENT) add_element(p, part.p.element, part.p.unit);
    free(part.p.run);
  }
  return true;
}

/* Blocks of one length at equal distances. */
static void add_vector(pieces_t *p, const part_t *part, int64_t n, int64_t length, int64_t stride)
{
  for (int64_t i = 0; i < n && !p->full; i++) add_block(p, part, i * stride, length);
}

/* Those that are made of one other type. */
static bool add_of_one(pieces_t *p, const contents_t *c)
{
  part_t part;
  if (!take_part(p, c->type[0], &part)) return false;
  bool added = true;
  bool none = c->of.combiner == MPI_COMBINER_DUP || c->of.combiner == MPI_COMBINER_RESIZED;
  int64_t n = none ? 0 : contents_number(c, 0);
  switch (c->of.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    add_block(p, &part, 0, 1);
    break;
  case MPI_COMBINER_CONTIGUOUS:
    add_block(p, &part, 0, n);
    break;
  case MPI_COMBINER_VECTOR:
    add_vector(p, &part, n, contents_number(c, 1), contents_number(c, 2) * part.extent);
    break;
  case MPI_COMBINER_HVECTOR:
    add_vector(p, &part, n, contents_number(c, 1), contents_displacement(c, 2, 0));
    break;
  case MPI_COMBINER_INDEXED:
    for (int64_t i = 0; i < n; i++)
      add_block(p, &part, contents_number(c, 1 + n + i) * part.extent, contents_number(c, 1 + i));
    break;
  case MPI_COMBINER_HINDEXED:
    for (int64_t i = 0; i < n; i++)
      add_block(p, &part, contents_displacement(c, 1 + n, i), contents_number(c, 1 + i));
    break;
  case MPI_COMBINER_INDEXED_BLOCK:
    for (int64_t i = 0; i < n; i++)
      add_block(p, &part, contents_number(c, 2 + i) * part.extent, contents_number(c, 1));
    break;
  case MPI_COMBINER_HINDEXED_BLOCK:
    for (int64_t i = 0; i < n; i++)
      add_block(p, &part, contents_displacement(c, 2, i), contents_number(c, 1));
    break;
  case MPI_COMBINER_SUBARRAY:
    added = add_subarray(p, &part, c);
    break;
  case MPI_COMBINER_DARRAY:
    added = add_darray(p, &part, c);
    break;
  default:
    added = false;
  }
  if (p->n > 0 && part.p.element != PIECES_NO_ELEMENT) add_element(p, part.p.element, part.p.unit);
  free(part.p.run);
  return added;
}

/* A predefined type, or one of Fortran's of a wanted precision, which are like them. Pairs have
 * their index behind their value, at the end. */
static bool add_predefined(pieces_t *p, MPI_Datatype type)
{
  MPI_Count size, low, extent, true_low, true_extent;
  if (mpi.Type_size_x(type, &size) != MPI_SUCCESS ||
      mpi.Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS ||
      mpi.Type_get_true_extent_x(type, &true_low, &true_extent) != MPI_SUCCESS)
    return false;
  if (size == 0) return true;
  const int64_t index = sizeof(int);
  if (p->whole && size > index) {
    add_run(p, (layout_run_t){0, extent, 0, 1});
  } else if (size == true_extent || size <= index) {
    add_run(p, (layout_run_t){true_low, size, 0, 1});
  } else {
    add_run(p, (layout_run_t){0, size - index, 0, 1});
    add_run(p, (layout_run_t){true_extent - index, index, 0, 1});
  }
  if (type == mpi.c_char) type = mpi.signed_char; /* both MPIs reduce it as that */
  add_element(p, reduction_number(type), p->whole ? extent : size);
  return true;
}

bool pieces_of(pieces_t *p, MPI_Datatype type)
{
  envelope_t e;
  contents_t c;
  if (!type_envelope(type, &e)) return false;
  if (e.types == 0) return add_predefined(p, type);
  if (!type_contents_read(&c, type, &e, &own_memory)) return false;
  bool added = e.combiner == MPI_COMBINER_STRUCT ? add_struct(p, &c) : add_of_one(p, &c);
  type_contents_clear(&c);
  finish(p);
  return added;
}
