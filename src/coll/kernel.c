/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/kernel.h"

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
  KERNEL(sum, type, a + b)                                                                         \
  KERNEL(prod, type, (uint64_t)a *b)                                                               \
  KERNEL(band, type, a &b) KERNEL(bor, type, a | b) KERNEL(bxor, type, a ^ b)
#define FLOATING(type)                                                                             \
  KERNEL(sum, type, a + b)                                                                         \
  KERNEL(prod, type, a *b)
/* Floating-point numbers in a total order, by their bits: -0 is below 0, and NaNs are outermost.
 * The MPIs' own results depend on the order of operands there. */
#define KEY(a, type, bits) ((a) ^ (type)((u##type)((a) >> ((bits)-1)) >> 1))
#define EXTREMES(type, bits)                                                                       \
  KERNEL(max, type, KEY(a, type, bits) > KEY(b, type, bits) ? a : b)                               \
  KERNEL(min, type, KEY(a, type, bits) < KEY(b, type, bits) ? a : b)

WHOLE_NUMBERS(uint8_t)
WHOLE_NUMBERS(uint16_t)
WHOLE_NUMBERS(uint32_t)
WHOLE_NUMBERS(uint64_t)
FLOATING(float)
FLOATING(double)
EXTREMES(int32_t, 32)
EXTREMES(int64_t, 64)

#define WHOLE_ROW(type)                                                                            \
  {                                                                                                \
    [KERNEL_SUM] = sum_##type, [KERNEL_PROD] = prod_##type, [KERNEL_BAND] = band_##type,           \
    [KERNEL_BOR] = bor_##type, [KERNEL_BXOR] = bxor_##type                                         \
  }
#define FLOATING_ROW(type, whole)                                                                  \
  {                                                                                                \
    [KERNEL_SUM] = sum_##type, [KERNEL_PROD] = prod_##type, [KERNEL_MAX] = max_##whole,            \
    [KERNEL_MIN] = min_##whole                                                                     \
  }

kernel_t *kernel_find(kernel_op_t op, bool floating, size_t size)
{
  static kernel_t *const of_whole[4][KERNEL_OPS] = {WHOLE_ROW(uint8_t), WHOLE_ROW(uint16_t),
                                                    WHOLE_ROW(uint32_t), WHOLE_ROW(uint64_t)};
  static kernel_t *const of_floating[4][KERNEL_OPS] = {
      [2] = FLOATING_ROW(float, int32_t), [3] = FLOATING_ROW(double, int64_t)};
  for (size_t row = 0; row < 4; row++)
    if (size == (size_t)1 << row) return (floating ? of_floating : of_whole)[row][op];
  return NULL;
}
