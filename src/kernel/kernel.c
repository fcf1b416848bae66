/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/kernel.h"

#include <stdint.h>

#define KERNEL(name, type, expression)                                                             \
  KERNEL_CLONED static void name##_##type(const void *left, const void *right, void *to, size_t n) \
  {                                                                                                \
    const type *x = left, *y = right;                                                              \
    type *z = to;                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                               \
      type a = x[i], b = y[i];                                                                     \
      z[i] = (type)(expression);                                                                   \
    }                                                                                              \
  }
#define WHOLE_NUMBERS(type)                                                                        \
  KERNEL(sum, type, (uint64_t)a + (uint64_t)b)                                                     \
  KERNEL(prod, type, (uint64_t)a *(uint64_t)b)                                                     \
  KERNEL(max, type, a > b ? a : b)                                                                 \
  KERNEL(min, type, a < b ? a : b)                                                                 \
  KERNEL(land, type, a &&b)                                                                        \
  KERNEL(lor, type, a || b)                                                                        \
  KERNEL(lxor, type, !a != !b)                                                                     \
  KERNEL(band, type, a &b)                                                                         \
  KERNEL(bor, type, a | b)                                                                         \
  KERNEL(bxor, type, a ^ b)
#define FLOATING(type)                                                                             \
  KERNEL(sum, type, a + b)                                                                         \
  KERNEL(prod, type, a *b)
/* Floating-point numbers in a total order, by their bits: -0 is below 0, and NaNs are outermost.
 * The MPIs' own results depend on the order of operands there. */
#define KEY(a, type, bits) ((a) ^ (type)((u##type)((a) >> ((bits)-1)) >> 1))
#define EXTREMES(type, bits)                                                                       \
  KERNEL(floating_max, type, KEY(a, type, bits) > KEY(b, type, bits) ? a : b)                      \
  KERNEL(floating_min, type, KEY(a, type, bits) < KEY(b, type, bits) ? a : b)

WHOLE_NUMBERS(int8_t)
WHOLE_NUMBERS(int16_t)
WHOLE_NUMBERS(int32_t)
WHOLE_NUMBERS(int64_t)
WHOLE_NUMBERS(uint8_t)
WHOLE_NUMBERS(uint16_t)
WHOLE_NUMBERS(uint32_t)
WHOLE_NUMBERS(uint64_t)
FLOATING(float)
FLOATING(double)
EXTREMES(int32_t, 32)
EXTREMES(int64_t, 64)

typedef struct complex_float {
  float re, im;
} complex_float_t;
typedef struct complex_double {
  double re, im;
} complex_double_t;
#define PLUS(type)  ((type){a.re + b.re, a.im + b.im})
#define TIMES(type) ((type){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re})
KERNEL(sum, complex_float_t, PLUS(complex_float_t))
KERNEL(prod, complex_float_t, TIMES(complex_float_t))
KERNEL(sum, complex_double_t, PLUS(complex_double_t))
KERNEL(prod, complex_double_t, TIMES(complex_double_t))

/* Of equal values the one with the lower index counts (MPI 4.0, section 6.9.4). */
#define PAIR(name, type_of_value, type_of_index)                                                   \
  typedef struct name {                                                                            \
    type_of_value value;                                                                           \
    type_of_index index;                                                                           \
  } name##_t;                                                                                      \
  KERNEL(maxloc, name##_t, a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b) \
  KERNEL(minloc, name##_t, a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b)
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(int_int, int, int)
PAIR(short_int, short, int)
PAIR(float_float, float, float)
PAIR(double_double, double, double)

#define ROW_OF_WHOLE(type)                                                                         \
  {                                                                                                \
    sizeof(type),                                                                                  \
    {                                                                                              \
      [KERNEL_SUM] = sum_##type, [KERNEL_PROD] = prod_##type, [KERNEL_MAX] = max_##type,           \
      [KERNEL_MIN] = min_##type, [KERNEL_LAND] = land_##type, [KERNEL_LOR] = lor_##type,           \
      [KERNEL_LXOR] = lxor_##type, [KERNEL_BAND] = band_##type, [KERNEL_BOR] = bor_##type,         \
      [KERNEL_BXOR] = bxor_##type                                                                  \
    }                                                                                              \
  }
#define ROW_OF_FLOATING(type, whole)                                                               \
  {                                                                                                \
    sizeof(type),                                                                                  \
    {                                                                                              \
      [KERNEL_SUM] = sum_##type, [KERNEL_PROD] = prod_##type, [KERNEL_MAX] = floating_max_##whole, \
      [KERNEL_MIN] = floating_min_##whole                                                          \
    }                                                                                              \
  }
#define ROW_OF_COMPLEX(type)                                                                       \
  {                                                                                                \
    sizeof(type), { [KERNEL_SUM] = sum_##type, [KERNEL_PROD] = prod_##type }                       \
  }
#define ROW_OF_PAIRS(name)                                                                         \
  {                                                                                                \
    sizeof(name##_t), { [KERNEL_MAXLOC] = maxloc_##name##_t, [KERNEL_MINLOC] = minloc_##name##_t } \
  }

static const struct row {
  size_t bytes;
  kernel_t *of[KERNEL_OPS];
} rows[KERNEL_TYPES] = {[KERNEL_I8] = ROW_OF_WHOLE(int8_t),
                        [KERNEL_I16] = ROW_OF_WHOLE(int16_t),
                        [KERNEL_I32] = ROW_OF_WHOLE(int32_t),
                        [KERNEL_I64] = ROW_OF_WHOLE(int64_t),
                        [KERNEL_U8] = ROW_OF_WHOLE(uint8_t),
                        [KERNEL_U16] = ROW_OF_WHOLE(uint16_t),
                        [KERNEL_U32] = ROW_OF_WHOLE(uint32_t),
                        [KERNEL_U64] = ROW_OF_WHOLE(uint64_t),
                        [KERNEL_F32] = ROW_OF_FLOATING(float, int32_t),
                        [KERNEL_F64] = ROW_OF_FLOATING(double, int64_t),
                        [KERNEL_C32] = ROW_OF_COMPLEX(complex_float_t),
                        [KERNEL_C64] = ROW_OF_COMPLEX(complex_double_t),
                        [KERNEL_F32_INT] = ROW_OF_PAIRS(float_int),
                        [KERNEL_F64_INT] = ROW_OF_PAIRS(double_int),
                        [KERNEL_LONG_INT] = ROW_OF_PAIRS(long_int),
                        [KERNEL_INT_INT] = ROW_OF_PAIRS(int_int),
                        [KERNEL_SHORT_INT] = ROW_OF_PAIRS(short_int),
                        [KERNEL_F32_F32] = ROW_OF_PAIRS(float_float),
                        [KERNEL_F64_F64] = ROW_OF_PAIRS(double_double)};

kernel_t *kernel_find(kernel_op_t op, kernel_type_t type)
{
  return op < KERNEL_OPS && type < KERNEL_TYPES ? rows[type].of[op] : NULL;
}

size_t kernel_bytes(kernel_type_t type) { return type < KERNEL_TYPES ? rows[type].bytes : 0; }
