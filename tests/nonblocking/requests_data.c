/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements: kinds, layouts in memory, operations and their results. */
#include <stddef.h>

#include "requests.h"

uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
uint64_t draw(uint64_t *stream, uint64_t below) { return (*stream = mix(*stream)) % below; }

enum {
  I32,
  U32,
  I64,
  U64,
  F32,
  F64,
  BYTE,
  INT_PAIR,
  DOUBLE_PAIR,
  FLOAT_PAIR,
  LONG_PAIR,
  TRIPLE,
  MATRIX,
  AFFINE
};
enum {
  SUM,
  PROD,
  MIN,
  MAX,
  LAND,
  LOR,
  LXOR,
  BAND,
  BOR,
  BXOR,
  MINLOC,
  MAXLOC,
  MULTIPLY,
  ADD,
  COMPOSE
};

typedef struct double_pair {
  double value;
  int index;
} double_pair_t;
typedef struct float_pair {
  float value;
  int index;
} float_pair_t;
typedef struct long_pair {
  long value;
  int index;
} long_pair_t;
typedef struct matrix {
  uint64_t a, b, c, d;
} matrix_t;
/* x -> a x + b, with gaps in memory */
typedef struct affine {
  uint64_t a, gap, b, end;
} affine_t;

#define PLAIN(id, word, c_type, mpi_type)                                                          \
  [id] = {.name = word,                                                                            \
          .size = sizeof(c_type),                                                                  \
          .layouts = 1,                                                                            \
          .base = id,                                                                              \
          .layout = {{.name = word,                                                                \
                      .type = mpi_type,                                                            \
                      .extent = sizeof(c_type),                                                    \
                      .per = 1,                                                                    \
                      .fields = 1,                                                                 \
                      .field = {{0, sizeof(c_type)}}}}}
#define PAIR(id, word, c_type, mpi_type)                                                           \
  [id] = {.name = word,                                                                            \
          .size = offsetof(c_type, index) + 4,                                                     \
          .layouts = 1,                                                                            \
          .base = id,                                                                              \
          .layout = {{.name = word,                                                                \
                      .type = mpi_type,                                                            \
                      .extent = sizeof(c_type),                                                    \
                      .per = 1,                                                                    \
                      .fields = 1,                                                                 \
                      .field = {{0, offsetof(c_type, index) + 4}}}}}

typedef struct int_pair {
  int value, index;
} int_pair_t;

/* The MPI's handles are no constants everywhere: begin_data sets them. */
kind_t kinds[] = {
    PLAIN(I32, "INT32", int32_t, 0),
    PLAIN(U32, "UINT32", uint32_t, 0),
    PLAIN(I64, "INT64", int64_t, 0),
    PLAIN(U64, "UINT64", uint64_t, 0),
    PLAIN(F32, "FLOAT", float, 0),
    PLAIN(F64, "DOUBLE", double, 0),
    PLAIN(BYTE, "BYTE", unsigned char, 0),
    PAIR(INT_PAIR, "2INT", int_pair_t, 0),
    PAIR(DOUBLE_PAIR, "DOUBLE_INT", double_pair_t, 0),
    PAIR(FLOAT_PAIR, "FLOAT_INT", float_pair_t, 0),
    PAIR(LONG_PAIR, "LONG_INT", long_pair_t, 0),
    [TRIPLE] = {.name = "three ints",
                .size = 12,
                .layouts = 3,
                .base = TRIPLE,
                .user = 1,
                .layout = {{.name = "INT", .extent = 12, .per = 3, .fields = 1, .field = {{0, 12}}},
                           {.name = "contiguous",
                            .extent = 12,
                            .per = 1,
                            .derived = 1,
                            .fields = 1,
                            .field = {{0, 12}}},
                           {.name = "vector",
                            .extent = 24,
                            .per = 1,
                            .derived = 1,
                            .fields = 3,
                            .field = {{0, 4}, {8, 4}, {16, 4}}}}},
    [MATRIX] = {.name = "matrix",
                .size = sizeof(matrix_t),
                .layouts = 1,
                .base = MATRIX,
                .user = 1,
                .layout = {{.name = "matrix",
                            .extent = sizeof(matrix_t),
                            .per = 1,
                            .derived = 1,
                            .fields = 1,
                            .field = {{0, sizeof(matrix_t)}}}}},
    [AFFINE] = {.name = "affine map",
                .size = 16,
                .layouts = 1,
                .base = AFFINE,
                .user = 1,
                .layout = {{.name = "affine",
                            .extent = sizeof(affine_t),
                            .per = 1,
                            .derived = 1,
                            .fields = 2,
                            .field = {{0, 8}, {offsetof(affine_t, b), 8}}}}},
};
const int kind_count = sizeof kinds / sizeof *kinds;

/* --- operations --- */

static matrix_t product_of(const matrix_t *x, const matrix_t *y)
{
  return (matrix_t){x->a * y->a + x->b * y->c, x->a * y->b + x->b * y->d, x->c * y->a + x->d * y->c,
                    x->c * y->b + x->d * y->d};
}
/* in * inout: not commutative */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *n; i++)
    ((matrix_t *)inout)[i] = product_of((matrix_t *)in + i, (matrix_t *)inout + i);
}
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < 4 * *n; i++) ((uint64_t *)inout)[i] += ((uint64_t *)in)[i];
}
/* inout after in: not commutative, and of elements with gaps */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  const affine_t *x = in;
  affine_t *y = inout;
  for (int i = 0; i < *n; i++) {
    y[i].b += y[i].a * x[i].b;
    y[i].a *= x[i].a;
  }
}

enum { INT_RULES = 10, FLOAT_RULES = 4, BYTE_RULES = 3, PAIR_RULES = 2 };
static rule_t int_rules[INT_RULES], float_rules[FLOAT_RULES], byte_rules[BYTE_RULES],
    pair_rules[PAIR_RULES], matrix_rules[2], affine_rules[1];

const rule_t *draw_rule(const kind_t *kind, uint64_t *stream)
{
  switch (kind->base) {
  case I32:
  case U32:
  case I64:
  case U64:
    return &int_rules[draw(stream, INT_RULES)];
  case F32:
  case F64:
    return &float_rules[draw(stream, FLOAT_RULES)];
  case BYTE:
    return &byte_rules[draw(stream, BYTE_RULES)];
  case MATRIX:
    return &matrix_rules[draw(stream, 2)];
  case AFFINE:
    return &affine_rules[0];
  case TRIPLE:
    return NULL;
  default:
    return &pair_rules[draw(stream, PAIR_RULES)];
  }
}

static void begin_rules(void)
{
  const rule_t of_ints[INT_RULES] = {
      {"SUM", MPI_SUM, SUM, 1, NULL},    {"PROD", MPI_PROD, PROD, 1, NULL},
      {"MIN", MPI_MIN, MIN, 1, NULL},    {"MAX", MPI_MAX, MAX, 1, NULL},
      {"LAND", MPI_LAND, LAND, 1, NULL}, {"LOR", MPI_LOR, LOR, 1, NULL},
      {"LXOR", MPI_LXOR, LXOR, 1, NULL}, {"BAND", MPI_BAND, BAND, 1, NULL},
      {"BOR", MPI_BOR, BOR, 1, NULL},    {"BXOR", MPI_BXOR, BXOR, 1, NULL}};
  memcpy(int_rules, of_ints, sizeof int_rules);
  memcpy(float_rules, of_ints, sizeof float_rules);
  memcpy(byte_rules, of_ints + 7, sizeof byte_rules);
  pair_rules[0] = (rule_t){"MINLOC", MPI_MINLOC, MINLOC, 1, NULL};
  pair_rules[1] = (rule_t){"MAXLOC", MPI_MAXLOC, MAXLOC, 1, NULL};
  matrix_rules[0] = (rule_t){"a product", MPI_OP_NULL, MULTIPLY, 0, multiply};
  matrix_rules[1] = (rule_t){"an addition", MPI_OP_NULL, ADD, 1, add};
  affine_rules[0] = (rule_t){"a composition", MPI_OP_NULL, COMPOSE, 0, compose};
  MPI_Op_create(multiply, 0, &matrix_rules[0].op);
  MPI_Op_create(add, 1, &matrix_rules[1].op);
  MPI_Op_create(compose, 0, &affine_rules[0].op);
}

static MPI_Datatype resized(MPI_Datatype type, size_t extent)
{
  MPI_Datatype made;
  MPI_Type_create_resized(type, 0, extent, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&type);
  return made;
}

void begin_data(void)
{
  const MPI_Datatype plain[] = {MPI_INT32_T,    MPI_UINT32_T,  MPI_INT64_T,  MPI_UINT64_T,
                                MPI_FLOAT,      MPI_DOUBLE,    MPI_BYTE,     MPI_2INT,
                                MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_LONG_INT, MPI_INT};
  for (int i = 0; i <= TRIPLE; i++) kinds[i].layout[0].type = plain[i];
  layout_t *three = kinds[TRIPLE].layout;
  MPI_Datatype vector;
  MPI_Type_contiguous(3, MPI_INT, &three[1].type);
  MPI_Type_commit(&three[1].type);
  MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
  three[2].type = resized(vector, three[2].extent);
  MPI_Type_contiguous(4, MPI_UINT64_T, &kinds[MATRIX].layout[0].type);
  MPI_Type_commit(&kinds[MATRIX].layout[0].type);
  MPI_Type_vector(2, 1, 2, MPI_UINT64_T, &vector);
  kinds[AFFINE].layout[0].type = resized(vector, sizeof(affine_t));
  begin_rules();
}

void end_data(void)
{
  for (int i = 0; i < kind_count; i++)
    for (int j = 0; j < kinds[i].layouts; j++)
      if (kinds[i].layout[j].derived) MPI_Type_free(&kinds[i].layout[j].type);
  MPI_Op_free(&matrix_rules[0].op);
  MPI_Op_free(&matrix_rules[1].op);
  MPI_Op_free(&affine_rules[0].op);
}

/* --- values --- */

void moved_element(uint64_t key, size_t i, void *to)
{
  uint64_t v = mix(key + i), words[WIDEST / 8] = {v, v * 3 + 1, v ^ v >> 9, ~v};
  memcpy(to, words, WIDEST);
}

/* Numbers of which eight can be multiplied without rounding or overflow. */
static double small_factor(uint64_t v, int whole)
{
  static const double factors[] = {1, -1, 2, 3, 1, -2, 0.5, -0.25};
  return factors[v % (whole ? 6 : 8)];
}
static int64_t signed_operand(int rule, uint64_t v)
{
  if (rule == SUM) return (int64_t)(v % (1 << 20)) - (1 << 19);
  return rule == PROD ? (int64_t)small_factor(v, 1) : (int64_t)v;
}
static double float_operand(int rule, uint64_t v)
{
  return rule == PROD ? small_factor(v, 0) : (double)(v % 65536) / 4 - 5000;
}

#define PUT(c_type, ...)                                                                           \
  do {                                                                                             \
    c_type made = __VA_ARGS__;                                                                     \
    memcpy(to, &made, sizeof made);                                                                \
  } while (0)
#define PUT_PAIR(c_type)                                                                           \
  do {                                                                                             \
    c_type made = {.value = (int)(v % 3) - 1, .index = v >> 32 & 7};                               \
    memcpy(to, &made, offsetof(c_type, index) + 4);                                                \
  } while (0)

void operand(const kind_t *kind, int rule, uint64_t key, size_t i, void *to)
{
  uint64_t v = mix(key + i);
  if (rule >= LAND && rule <= LXOR && v >> 40 & 1) v = 0;
#ifdef MPICH
  /* 4.0.2 compares unsigned numbers as signed ones. */
  if (lenient && (rule == MIN || rule == MAX)) v &= kind->size == 4 ? INT32_MAX : INT64_MAX;
#endif
  switch (kind->base) {
  case I32:
    PUT(int32_t, (int32_t)signed_operand(rule, v));
    break;
  case I64:
    PUT(int64_t, signed_operand(rule, v));
    break;
  case F32:
    PUT(float, (float)float_operand(rule, v));
    break;
  case F64:
    PUT(double, float_operand(rule, v));
    break;
  case INT_PAIR:
    PUT_PAIR(int_pair_t);
    break;
  case DOUBLE_PAIR:
    PUT_PAIR(double_pair_t);
    break;
  case FLOAT_PAIR:
    PUT_PAIR(float_pair_t);
    break;
  case LONG_PAIR:
    PUT_PAIR(long_pair_t);
    break;
  case MATRIX:
  case AFFINE:
    moved_element(key, i, to);
    break;
  default:
    memcpy(to, &v, kind->size);
  }
}

#define FOLD_NUMBERS(c_type)                                                                       \
  case SUM:                                                                                        \
    x += y;                                                                                        \
    break;                                                                                         \
  case PROD:                                                                                       \
    x *= y;                                                                                        \
    break;                                                                                         \
  case MIN:                                                                                        \
    if (y < x) x = y;                                                                              \
    break;                                                                                         \
  case MAX:                                                                                        \
    if (y > x) x = y;                                                                              \
    break;
#define FOLD_BITS                                                                                  \
  case LAND:                                                                                       \
    x = x && y;                                                                                    \
    break;                                                                                         \
  case LOR:                                                                                        \
    x = x || y;                                                                                    \
    break;                                                                                         \
  case LXOR:                                                                                       \
    x = !x != !y;                                                                                  \
    break;                                                                                         \
  case BAND:                                                                                       \
    x &= y;                                                                                        \
    break;                                                                                         \
  case BOR:                                                                                        \
    x |= y;                                                                                        \
    break;                                                                                         \
  case BXOR:                                                                                       \
    x ^= y;                                                                                        \
    break;
#define NO_BITS
#define FOLD(name, c_type, bits)                                                                   \
  static void fold_##name(int rule, void *left, const void *right)                                 \
  {                                                                                                \
    c_type x, y;                                                                                   \
    memcpy(&x, left, sizeof x);                                                                    \
    memcpy(&y, right, sizeof y);                                                                   \
    switch (rule) {                                                                                \
      FOLD_NUMBERS(c_type)                                                                         \
      bits                                                                                         \
    }                                                                                              \
    memcpy(left, &x, sizeof x);                                                                    \
  }
#define FOLD_PAIR(name, c_type)                                                                    \
  static void fold_##name(int rule, void *left, const void *right)                                 \
  {                                                                                                \
    enum { BYTES = offsetof(c_type, index) + 4 };                                                  \
    c_type x, y;                                                                                   \
    memcpy(&x, left, BYTES);                                                                       \
    memcpy(&y, right, BYTES);                                                                      \
    int taken = rule == MINLOC ? y.value < x.value : y.value > x.value;                            \
    if (taken || (y.value == x.value && y.index < x.index)) memcpy(left, right, BYTES);            \
  }
FOLD(i32, int32_t, FOLD_BITS)
FOLD(u32, uint32_t, FOLD_BITS)
FOLD(i64, int64_t, FOLD_BITS)
FOLD(u64, uint64_t, FOLD_BITS)
FOLD(byte, uint8_t, FOLD_BITS)
FOLD(f32, float, NO_BITS)
FOLD(f64, double, NO_BITS)
FOLD_PAIR(int_pair, int_pair_t)
FOLD_PAIR(double_pair, double_pair_t)
FOLD_PAIR(float_pair, float_pair_t)
FOLD_PAIR(long_pair, long_pair_t)

static void fold_matrix(int rule, void *left, const void *right)
{
  matrix_t x, y;
  memcpy(&x, left, sizeof x);
  memcpy(&y, right, sizeof y);
  x = rule == MULTIPLY ? product_of(&x, &y)
                       : (matrix_t){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
  memcpy(left, &x, sizeof x);
}
static void fold_affine(int rule, void *left, const void *right)
{
  uint64_t x[2], y[2];
  (void)rule;
  memcpy(x, left, sizeof x);
  memcpy(y, right, sizeof y);
  x[1] = y[0] * x[1] + y[1];
  x[0] *= y[0];
  memcpy(left, x, sizeof x);
}

void fold(const kind_t *kind, int rule, void *left, const void *right)
{
  static void (*const folds[])(int, void *, const void *) = {[I32] = fold_i32,
                                                             [U32] = fold_u32,
                                                             [I64] = fold_i64,
                                                             [U64] = fold_u64,
                                                             [F32] = fold_f32,
                                                             [F64] = fold_f64,
                                                             [BYTE] = fold_byte,
                                                             [INT_PAIR] = fold_int_pair,
                                                             [DOUBLE_PAIR] = fold_double_pair,
                                                             [FLOAT_PAIR] = fold_float_pair,
                                                             [LONG_PAIR] = fold_long_pair,
                                                             [MATRIX] = fold_matrix,
                                                             [AFFINE] = fold_affine};
  folds[kind->base](rule, left, right);
}

void put_element(const layout_t *layout, char *at, const void *packed)
{
  const char *from = packed;
  for (int f = 0; f < layout->fields; f++) {
    memcpy(at + layout->field[f].at, from, layout->field[f].size);
    from += layout->field[f].size;
  }
}

void print_element(const kind_t *kind, const layout_t *layout, const char *at)
{
  fprintf(stderr, " %s", kind->name);
  for (int f = 0; f < layout->fields; f++) {
    fprintf(stderr, " ");
    for (int i = 0; i < layout->field[f].size; i++)
      fprintf(stderr, "%02x", (unsigned char)at[layout->field[f].at + i]);
  }
}
