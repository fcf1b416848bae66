/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of all kinds. */
#include "random.h"

typedef struct pair {
  double value;
  int index;
} pair_t;
typedef struct matrix {
  uint32_t a, b, c, d;
} matrix_t;

/* in * inout: not commutative */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *n; i++) {
    matrix_t x = ((matrix_t *)in)[i], *to = (matrix_t *)inout + i, y = *to;
    *to = (matrix_t){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                     x.c * y.b + x.d * y.d};
  }
}
static void add_words(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < 4 * *n; i++) ((uint32_t *)inout)[i] += ((uint32_t *)in)[i];
}
static MPI_Op product, addition;
static MPI_Datatype matrix_type;

/* A kind of reduction: how a rank's element is made, and how two of them become one. */
enum {
  KIND_INT_SUM,
  KIND_BYTE_XOR,
  KIND_DOUBLE_SUM,
  KIND_FLOAT_MAX,
  KIND_SHORT_MIN,
  KIND_MAXLOC,
  KIND_MATRIX,
  KIND_ADDITION,
  KIND_LAND,
  KIND_COMPLEX,
  KINDS
};
static const size_t sizes[KINDS] = {
    4, 1, 8, 4, 2, sizeof(pair_t), sizeof(matrix_t), sizeof(matrix_t), 4, 16};

static void element(int kind, int rank, size_t i, void *to)
{
  uint64_t v = value(rank, i);
  switch (kind) {
  case KIND_DOUBLE_SUM:
    *(double *)to = (double)(v % 100000);
    break;
  case KIND_FLOAT_MAX:
    *(float *)to = (float)(v % 1000);
    break;
  case KIND_MAXLOC:
    *(pair_t *)to = (pair_t){(double)(v % 3), rank};
    break;
  case KIND_MATRIX:
  case KIND_ADDITION:
    *(matrix_t *)to = (matrix_t){(uint32_t)v, v >> 32, v >> 7, v >> 40};
    break;
  case KIND_LAND:
    *(int *)to = v % 8 != 0;
    break;
  case KIND_COMPLEX:
    ((double *)to)[0] = (double)(v % 999), ((double *)to)[1] = (double)(v >> 50);
    break;
  default:
    memcpy(to, &v, sizes[kind]);
  }
}

/* left = left op right */
static void combine(int kind, void *left, const void *right)
{
  int one = 1;
  switch (kind) {
  case KIND_INT_SUM:
    *(uint32_t *)left += *(const uint32_t *)right;
    break;
  case KIND_BYTE_XOR:
    *(uint8_t *)left ^= *(const uint8_t *)right;
    break;
  case KIND_DOUBLE_SUM:
    *(double *)left += *(const double *)right;
    break;
  case KIND_FLOAT_MAX:
    if (*(const float *)right > *(float *)left) *(float *)left = *(const float *)right;
    break;
  case KIND_SHORT_MIN:
    if (*(const short *)right < *(short *)left) *(short *)left = *(const short *)right;
    break;
  case KIND_LAND:
    *(int *)left = *(int *)left && *(const int *)right;
    break;
  case KIND_COMPLEX:
    ((double *)left)[0] += ((const double *)right)[0],
        ((double *)left)[1] += ((const double *)right)[1];
    break;
  case KIND_MAXLOC: {
    pair_t *a = left;
    const pair_t *b = right;
    if (b->value > a->value || (b->value == a->value && b->index < a->index)) *a = *b;
    break;
  }
  case KIND_ADDITION:
    add_words((void *)right, left, &one, NULL);
    break;
  case KIND_MATRIX: {
    matrix_t y = *(const matrix_t *)right;
    multiply(left, &y, &one, NULL);
    *(matrix_t *)left = y;
  }
  }
}

static int same(int kind, const void *a, const void *b)
{
  if (kind == KIND_MAXLOC)
    return ((pair_t *)a)->value == ((pair_t *)b)->value &&
           ((pair_t *)a)->index == ((pair_t *)b)->index;
  return memcmp(a, b, sizes[kind]) == 0;
}

/* What the first n ranks have at a place. */
static void reduce_ranks(const part_t *p, int kind, int n, size_t i, void *to)
{
  char other[16];
  element(kind, p->world[0], i, to);
  for (int r = 1; r < n; r++) {
    element(kind, p->world[r], i, other);
    combine(kind, to, other);
  }
}

void try_reduce(const part_t *p, int all)
{
  const MPI_Datatype types[KINDS] = {
      MPI_INT,        MPI_BYTE,    MPI_DOUBLE,  MPI_FLOAT, MPI_SHORT,
      MPI_DOUBLE_INT, matrix_type, matrix_type, MPI_INT,   MPI_C_DOUBLE_COMPLEX};
  const MPI_Op ops[KINDS] = {MPI_SUM,    MPI_BXOR, MPI_SUM,  MPI_MAX,  MPI_MIN,
                             MPI_MAXLOC, product,  addition, MPI_LAND, MPI_SUM};
  int kind = draw(KINDS), root = draw(p->size), in_place = draw(3) == 0,
      gets = all || p->rank == root;
  size_t size = sizes[kind], n = draw_count(LONGEST / 4 / size), looked = n < 500 ? n : 500;
  char *in = calloc(n + 1, size), *out = calloc(n + 1, size), want[16], other[16];
  for (size_t i = 0; i < n; i++) element(kind, p->world[p->rank], i, in + i * size);
  const void *from = in;
  if (in_place && gets) memcpy(out, in, n * size), from = MPI_IN_PLACE;
  if (all)
    CALL(Allreduce, from, out, (int)n, types[kind], ops[kind], p->comm);
  else
    CALL(Reduce, from, gets ? out : NULL, (int)n, types[kind], ops[kind], root, p->comm);
  for (size_t k = 0; gets && k < looked; k++) {
    size_t i = n == looked ? k : value(1, k) % n;
    reduce_ranks(p, kind, p->size, i, want);
    check(p, all ? "Allreduce" : "Reduce", i, same(kind, out + i * size, want));
  }
  for (size_t i = 0; i < n && !(in_place && gets); i += 37) {
    element(kind, p->world[p->rank], i, other);
    check(p, "the input", i, same(kind, in + i * size, other));
  }
  free(in);
  free(out);
}

/* Kinds with operations that are commutative, and one that isn't. */
enum { FEW = 3 };
static const int few_kinds[FEW] = {KIND_INT_SUM, KIND_DOUBLE_SUM, KIND_MATRIX};
static void few_types(int k, MPI_Datatype *type, MPI_Op *op)
{
  const MPI_Datatype types[FEW] = {MPI_INT, MPI_DOUBLE, matrix_type};
  const MPI_Op ops[FEW] = {MPI_SUM, MPI_SUM, product};
  *type = types[k];
  *op = ops[k];
}

void try_reduce_block(const part_t *p)
{
  int k = draw(FEW), kind = few_kinds[k], in_place = draw(3) == 0;
  size_t size = sizes[kind], n = draw_count(LONGEST / 8 / size / p->size), all = n * p->size;
  char *in = calloc(all + 1, size), *out = calloc(all + 1, size), want[16];
  MPI_Datatype type;
  MPI_Op op;
  few_types(k, &type, &op);
  for (size_t i = 0; i < all; i++) element(kind, p->world[p->rank], i, in + i * size);
  if (in_place) memcpy(out, in, all * size);
  CALL(Reduce_scatter_block, in_place ? MPI_IN_PLACE : in, out, (int)n, type, op, p->comm);
  for (size_t i = 0; i < n; i += n < 500 ? 1 : n / 500) {
    reduce_ranks(p, kind, p->size, n * p->rank + i, want);
    check(p, "Reduce_scatter_block", i, same(kind, out + i * size, want));
  }
  free(in);
  free(out);
}

void try_reduce_scatter(const part_t *p)
{
  int k = draw(FEW), kind = few_kinds[k], in_place = draw(3) == 0, first = 0, all = 0;
  size_t size = sizes[kind], n = draw_count(LONGEST / 8 / size / p->size);
  int *counts = malloc(p->size * sizeof *counts);
  char want[16];
  MPI_Datatype type;
  MPI_Op op;
  few_types(k, &type, &op);
  for (int r = 0; r < p->size; r++) {
    counts[r] = draw(4) == 0 ? 0 : (int)draw(2 * n + 1);
    if (r < p->rank) first += counts[r];
    all += counts[r];
  }
  char *in = calloc(all + 1, size), *out = calloc(all + 1, size);
  for (int i = 0; i < all; i++) element(kind, p->world[p->rank], i, in + i * size);
  if (in_place) memcpy(out, in, all * size);
  const void *from = in_place ? MPI_IN_PLACE : in;
#if MPI_VERSION >= 4
  MPI_Count *large = malloc(p->size * sizeof *large);
  for (int r = 0; r < p->size; r++) large[r] = counts[r];
  if (draw(2))
    MPI_Reduce_scatter_c(from, out, large, type, op, p->comm);
  else
#endif
    MPI_Reduce_scatter(from, out, counts, type, op, p->comm);
#if MPI_VERSION >= 4
  free(large);
#endif
  for (int i = 0; i < counts[p->rank]; i += counts[p->rank] < 500 ? 1 : counts[p->rank] / 500) {
    reduce_ranks(p, kind, p->size, first + i, want);
    check(p, "Reduce_scatter", i, same(kind, out + i * size, want));
  }
  free(counts);
  free(in);
  free(out);
}

void try_scan(const part_t *p)
{
  int k = draw(FEW), kind = few_kinds[k], in_place = draw(3) == 0, exclusive = draw(2);
  size_t size = sizes[kind], n = draw_count(LONGEST / 8 / size);
  char *in = calloc(n + 1, size), *out = calloc(n + 1, size), want[16];
  MPI_Datatype type;
  MPI_Op op;
  few_types(k, &type, &op);
  for (size_t i = 0; i < n; i++) element(kind, p->world[p->rank], i, in + i * size);
  if (in_place) memcpy(out, in, n * size);
  const void *from = in_place ? MPI_IN_PLACE : in;
  if (exclusive)
    CALL(Exscan, from, out, (int)n, type, op, p->comm);
  else
    CALL(Scan, from, out, (int)n, type, op, p->comm);
  for (size_t i = 0; (p->rank > 0 || !exclusive) && i < n; i += n < 500 ? 1 : n / 500) {
    reduce_ranks(p, kind, p->rank + !exclusive, i, want);
    check(p, exclusive ? "Exscan" : "Scan", i, same(kind, out + i * size, want));
  }
  for (size_t i = 0; !in_place && i < n; i += 37) {
    element(kind, p->world[p->rank], i, want);
    check(p, "Scan's input", i, same(kind, in + i * size, want));
  }
  free(in);
  free(out);
}

void begin_reductions(void)
{
  MPI_Op_create(multiply, 0, &product);
  MPI_Op_create(add_words, 1, &addition);
  MPI_Type_contiguous(4, MPI_UINT32_T, &matrix_type);
  MPI_Type_commit(&matrix_type);
}
