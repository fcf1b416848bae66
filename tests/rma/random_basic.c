/* SPDX-License-Identifier: BSD-3-Clause */
/* The predefined types and operations, and what an operation makes of two values. */
#include "random.h"

#include <complex.h>
#include <float.h>
#include <wchar.h>

enum { MOST_BASICS = 64, LONG_DOUBLE = LDBL_MANT_DIG == 64 ? 10 : (int)sizeof(long double) };
basic_t basics[MOST_BASICS];
int basic_count;

static basic_t *add(const char *name, MPI_Datatype type, char class, int length, char native)
{
  MPI_Aint low, extent;
  int size;
  if (type == MPI_DATATYPE_NULL) return NULL; /* an MPI without Fortran */
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Type_size(type, &size);
  if (size == 0 || extent < length) return NULL;
  basic_t *b = &basics[basic_count++];
  *b = (basic_t){.name = name, .type = type, .class = class, .extent = (int)extent};
  b->pieces = 1;
  b->size = length;
  b->piece[0] = (piece_t){0, length, native};
  b->align = extent % 16 == 0 ? 16 : extent % 8 == 0 ? 8 : extent % 4 == 0 ? 4 : extent % 2 ? 1 : 2;
  b->loose = length == 10;
  return b;
}

static void add_second(basic_t *b, ptrdiff_t at, int length, char native)
{
  if (!b) return;
  b->pieces = 2;
  b->piece[1] = (piece_t){at, length, native};
  b->size += length;
}

#define INTEGER(T, C)    add(#T, T, 'i', sizeof(C), 'i')
#define NATURAL(T, C)    add(#T, T, 'u', sizeof(C), 'u')
#define COMPLEX(T, C, L) add_second(add(#T, T, 'c', L, 'f'), sizeof(C), L, 'f')
#define PAIR(T, C, L, N, I, M)                                                                     \
  add_second(add(#T, T, 'p', L, N),                                                                \
             offsetof(                                                                             \
                 struct {                                                                          \
                   C a;                                                                            \
                   I b;                                                                            \
                 },                                                                                \
                 b),                                                                               \
             sizeof(I), M)

static void find_integers(void)
{
  INTEGER(MPI_INT, int);
  INTEGER(MPI_LONG, long);
  INTEGER(MPI_SHORT, short);
  INTEGER(MPI_LONG_LONG_INT, long long);
  INTEGER(MPI_SIGNED_CHAR, signed char);
  INTEGER(MPI_INT8_T, int8_t);
  INTEGER(MPI_INT16_T, int16_t);
  INTEGER(MPI_INT32_T, int32_t);
  INTEGER(MPI_INT64_T, int64_t);
  NATURAL(MPI_UNSIGNED_CHAR, unsigned char);
  NATURAL(MPI_UNSIGNED_SHORT, unsigned short);
  NATURAL(MPI_UNSIGNED, unsigned);
  NATURAL(MPI_UNSIGNED_LONG, unsigned long);
  NATURAL(MPI_UNSIGNED_LONG_LONG, unsigned long long);
  NATURAL(MPI_UINT8_T, uint8_t);
  NATURAL(MPI_UINT16_T, uint16_t);
  NATURAL(MPI_UINT32_T, uint32_t);
  NATURAL(MPI_UINT64_T, uint64_t);
  add("MPI_INTEGER", MPI_INTEGER, 'a', sizeof(int), 'i');
  add("MPI_AINT", MPI_AINT, 'a', sizeof(MPI_Aint), 'i');
  add("MPI_OFFSET", MPI_OFFSET, 'a', sizeof(MPI_Offset), 'i');
  add("MPI_COUNT", MPI_COUNT, 'a', sizeof(MPI_Count), 'i');
}

void find_basics(void)
{
  find_integers();
  add("MPI_BYTE", MPI_BYTE, 'b', 1, 'u');
  add("MPI_CHAR", MPI_CHAR, 'n', 1, 'u');
  add("MPI_WCHAR", MPI_WCHAR, 'n', sizeof(wchar_t), 'u');
  add("MPI_C_BOOL", MPI_C_BOOL, 'l', sizeof(_Bool), 'u');
  add("MPI_LOGICAL", MPI_LOGICAL, 'l', sizeof(int), 'u');
  add("MPI_FLOAT", MPI_FLOAT, 'f', sizeof(float), 'f');
  add("MPI_DOUBLE", MPI_DOUBLE, 'f', sizeof(double), 'f');
  add("MPI_REAL", MPI_REAL, 'f', sizeof(float), 'f');
  add("MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, 'f', sizeof(double), 'f');
  add("MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, 'f', LONG_DOUBLE, 'f');
  COMPLEX(MPI_C_FLOAT_COMPLEX, float, sizeof(float));
  COMPLEX(MPI_C_DOUBLE_COMPLEX, double, sizeof(double));
  COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, long double, LONG_DOUBLE);
  COMPLEX(MPI_COMPLEX, float, sizeof(float));
  PAIR(MPI_FLOAT_INT, float, sizeof(float), 'f', int, 'i');
  PAIR(MPI_DOUBLE_INT, double, sizeof(double), 'f', int, 'i');
  PAIR(MPI_LONG_INT, long, sizeof(long), 'i', int, 'i');
  PAIR(MPI_2INT, int, sizeof(int), 'i', int, 'i');
  PAIR(MPI_SHORT_INT, short, sizeof(short), 'i', int, 'i');
  PAIR(MPI_LONG_DOUBLE_INT, long double, LONG_DOUBLE, 'f', int, 'i');
  PAIR(MPI_2INTEGER, int, sizeof(int), 'i', int, 'i');
  PAIR(MPI_2REAL, float, sizeof(float), 'f', float, 'f');
  PAIR(MPI_2DOUBLE_PRECISION, double, sizeof(double), 'f', double, 'f');
}

static const char *const fitting[OPS] = {
    [SUM] = "iaufc",         [PROD] = "iaufc",     [MAX] = "iauf", [MIN] = "iauf",
    [LAND] = "iul",          [LOR] = "iul",        [LXOR] = "iul", [BAND] = "iaub",
    [BOR] = "iaub",          [BXOR] = "iaub",      [MAXLOC] = "p", [MINLOC] = "p",
    [REPLACE] = "iauflcbpn", [NO_OP] = "iauflcbpn"};
static const char *const op_texts[OPS] = {
    "MPI_SUM",  "MPI_PROD", "MPI_MAX",  "MPI_MIN",    "MPI_LAND",   "MPI_LOR",     "MPI_LXOR",
    "MPI_BAND", "MPI_BOR",  "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};

bool fits(const basic_t *b, op_name_t op)
{
  if (op >= LAND && op <= LXOR && !allowed(ON_MORE, LOGICAL)) return false;
  return strchr(fitting[op], b->class) != NULL;
}

const char *op_text(op_name_t op) { return op_texts[op]; }

MPI_Op mpi_op(op_name_t op)
{
  MPI_Op ops[OPS] = {MPI_SUM,  MPI_PROD, MPI_MAX,  MPI_MIN,    MPI_LAND,   MPI_LOR,     MPI_LXOR,
                     MPI_BAND, MPI_BOR,  MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  return ops[op];
}

op_name_t draw_op(const basic_t *b, unsigned mask)
{
  op_name_t op, last = REPLACE;
  int found = 0;
  for (op = 0; op < OPS; op++)
    if ((mask >> op & 1) && fits(b, op)) found++;
  if (!found) return REPLACE;
  found = (int)draw(found);
  for (op = 0; op < OPS; op++)
    if ((mask >> op & 1) && fits(b, op) && found-- == 0) last = op;
  return last;
}

static int64_t load_integer(const piece_t *p, const unsigned char *at)
{
  uint64_t bits = 0;
  memcpy(&bits, at, p->length); /* little-endian, as is all that berth runs on */
  int unused = 64 - 8 * p->length;
  if (p->native == 'i') return (int64_t)(bits << unused) >> unused;
  return (int64_t)bits;
}

static long double load_float(const piece_t *p, const unsigned char *at)
{
  float f;
  double d;
  long double l = 0;
  if (p->length == sizeof f) return memcpy(&f, at, sizeof f), f;
  if (p->length == sizeof d) return memcpy(&d, at, sizeof d), d;
  memcpy(&l, at, p->length);
  return l;
}

static void store_float(const piece_t *p, unsigned char *at, long double value)
{
  float f = (float)value;
  double d = (double)value;
  memcpy(at,
         p->length == sizeof f   ? (void *)&f
         : p->length == sizeof d ? (void *)&d
                                 : (void *)&value,
         p->length);
}

static void store(const piece_t *p, unsigned char *at, long value)
{
  int64_t bits = value;
  if (p->native == 'f')
    store_float(p, at, value);
  else
    memcpy(at, &bits, p->length);
}

static void combine_integers(const piece_t *p, op_name_t op, unsigned char *into,
                             const unsigned char *operand)
{
  int64_t a = load_integer(p, into), b = load_integer(p, operand);
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  bool less = p->native == 'i' ? a < b : x < y;
  uint64_t results[] = {[SUM] = x + y,   [PROD] = x * y, [MAX] = less ? y : x, [MIN] = less ? x : y,
                        [LAND] = x && y, [LOR] = x || y, [LXOR] = !x != !y,    [BAND] = x & y,
                        [BOR] = x | y,   [BXOR] = x ^ y};
  memcpy(into, &results[op], p->length);
}

static void combine_floats(const basic_t *b, op_name_t op, unsigned char *into,
                           const unsigned char *operand)
{
  const piece_t *p = b->piece;
  long double x = load_float(p, into), y = load_float(p, operand);
  if (b->pieces == 1) {
    long double r = op == SUM ? x + y : op == PROD ? x * y : (op == MAX) == (x < y) ? y : x;
    store_float(p, into, r);
    return;
  }
  long double xi = load_float(&p[1], into + p->length), yi = load_float(&p[1], operand + p->length);
  store_float(p, into, op == SUM ? x + y : x * y - xi * yi);
  store_float(&p[1], into + p->length, op == SUM ? xi + yi : x * yi + xi * y);
}

static long double number(const piece_t *p, const unsigned char *at)
{
  return p->native == 'f' ? load_float(p, at) : (long double)load_integer(p, at);
}

static void combine_pairs(const basic_t *b, op_name_t op, unsigned char *into,
                          const unsigned char *operand)
{
  const piece_t *p = b->piece;
  long double x = number(p, into), y = number(p, operand);
  long double i = number(&p[1], into + p->length), j = number(&p[1], operand + p->length);
  if (x == y ? j < i : (op == MAXLOC) == (x < y)) memcpy(into, operand, b->size);
}

void combine(const basic_t *b, op_name_t op, unsigned char *into, const unsigned char *operand)
{
  if (op == NO_OP) return;
  if (op == REPLACE)
    memcpy(into, operand, b->size);
  else if (b->class == 'p')
    combine_pairs(b, op, into, operand);
  else if (b->class == 'f' || b->class == 'c')
    combine_floats(b, op, into, operand);
  else
    combine_integers(b->piece, op, into, operand);
}

static void nice_integer(const basic_t *b, op_name_t op, bool first, uint64_t r, unsigned char *to)
{
  int bits = 8 * b->size;
  long value = (long)r;
  bool is_signed = b->class == 'i' || b->class == 'a';
  bool narrow = bits < 32 && (is_signed || (b->class == 'u' && !allowed(ON_MORE, OVERFLOWS)));
  if (b->class == 'l') value = r & 1;
  if (is_signed && !narrow) value = (long)(r % (1ul << (bits - 13))) - (1l << (bits - 14));
  if (narrow) value = is_signed ? (long)(r % 21) - 10 : (long)(r % 16);
  if (narrow && bits == 8 && op == SUM && !first) /* the sum must fit */
    value = r % 16 ? 0 : is_signed && (r >> 8 & 1) ? -1 : 1;
  if (is_signed && op == PROD) value = first ? (long)(r % 99) + 1 : r & 1 ? 1 : -1;
  if ((op == LAND || op == LOR || op == LXOR) && mix(r) % 3 == 0) value = 0;
  if (b->class == 'u' && (op == MAX || op == MIN) && !narrow && !allowed(ON_MORE, HIGH))
    value = (long)(r >> 1 >> (64 - bits));
  if (b->class == 'a' && (op == MAX || op == MIN) && !allowed(ON_MORE, HIGH)) value = labs(value);
  memcpy(to, &value, b->size);
}

/* Any bits that the type has as a value. */
void any_value(const basic_t *b, uint64_t seed, unsigned char *packed)
{
  uint64_t r = mix(seed);
  if (strchr("iaubn", b->class))
    memcpy(packed, &r, b->size);
  else
    nice_value(b, REPLACE, true, seed, packed);
}

void nice_value(const basic_t *b, op_name_t op, bool first, uint64_t seed, unsigned char *packed)
{
  uint64_t r = mix(seed);
  const piece_t *p = b->piece;
  if (!strchr("fcp", b->class)) {
    nice_integer(b, op, first, r, packed);
    return;
  }
  long value = (long)(r % 17) - 8, second = (long)(mix(r) % 17) - 8;
  if (op == PROD) {
    value = first ? (value ? value : 3) : r & 1 ? 1 : -1;
    second = first ? (second ? second : 5) : 0;
  }
  store(p, packed, value);
  if (b->pieces == 2) store(&p[1], packed + p->length, b->class == 'p' ? (long)(r % 97) : second);
}

bool any_content(const basic_t *b, op_name_t op)
{
  if (op == REPLACE || op == NO_OP) return true;
  if (b->class == 'a' && (op == MAX || op == MIN)) return allowed(ON_MORE, HIGH);
  if (b->class == 'i' || b->class == 'a') return op != SUM && op != PROD;
  if (b->class == 'u' && (op == MAX || op == MIN)) return allowed(ON_MORE, HIGH);
  if (b->class == 'u' && op == SUM && b->size < 4) return allowed(ON_MORE, OVERFLOWS);
  return b->class == 'u' || b->class == 'b';
}
