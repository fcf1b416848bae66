/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/fixed_sum.h"

#include <math.h>
#include <string.h>

/* Codes of finite numbers are exponents as a double has them, at least 1. From SPECIAL on, bits say
 * which infinities there are; NaN is both. */
enum { SPECIAL = 4096, INFINITE = 1, NEGATIVE = 2, NEITHER = 3, BIAS = 1023, BITS = 62 };

void fixed_merge(const void *left, const void *right, void *to, size_t n)
{
  const fixed_code_t *x = left, *y = right;
  fixed_code_t *z = to;
  for (size_t i = 0; i < n; i++) {
    fixed_code_t high = x[i] > y[i] ? x[i] : y[i], low = x[i] > y[i] ? y[i] : x[i];
    z[i] = low >= SPECIAL ? high | low : high;
  }
}

static fixed_code_t code_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  fixed_code_t exponent = bits >> 52 & 0x7ff;
  if (exponent < 0x7ff) return exponent ? exponent : 1;
  if (bits << 12) return SPECIAL | NEITHER;
  return SPECIAL | (bits >> 63 ? NEGATIVE : INFINITE);
}

/* Each function has a loop for floats and one for doubles. */
#define FOR_EACH(statement)                                                                        \
  if (size == sizeof(float)) {                                                                     \
    typedef float number;                                                                          \
    for (size_t i = 0; i < n; i++) statement;                                                      \
  } else {                                                                                         \
    typedef double number;                                                                         \
    for (size_t i = 0; i < n; i++) statement;                                                      \
  }

void fixed_codes(const void *in, size_t size, size_t n, fixed_code_t *out)
{
  FOR_EACH(out[i] = code_of(((const number *)in)[i]))
}

static int headroom(int ranks)
{
  int bits = 0;
  while (bits < 31 && 1u << bits < (unsigned)ranks) bits++;
  return bits;
}

static double power(int exponent)
{
  uint64_t bits = (uint64_t)(exponent + BIAS) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* x * 2^shift, where 2^shift may be no double. */
static double scaled(double x, int shift)
{
  int half = shift / 2;
  return x * power(half) * power(shift - half);
}

/* How many powers of two there are from a number to its unit: numbers are below 2^(code - BIAS +
 * 1). */
static int shift_of(fixed_code_t code, int ranks)
{
  return BITS - headroom(ranks) - (code - BIAS + 1);
}

void fixed_from(const void *in, size_t size, size_t n, const fixed_code_t *all, int ranks,
                int64_t *out)
{
  FOR_EACH(out[i] = all[i] >= SPECIAL
                        ? 0
                        : llrint(scaled((double)((const number *)in)[i], shift_of(all[i], ranks))))
}

static double special(fixed_code_t code)
{
  if ((code & NEITHER) == NEITHER) return NAN;
  return code & NEGATIVE ? -INFINITY : INFINITY;
}

void fixed_to(const int64_t *in, size_t size, size_t n, const fixed_code_t *all, int ranks,
              void *out)
{
  FOR_EACH(((number *)out)[i] =
               (number)(all[i] >= SPECIAL ? special(all[i])
                                          : scaled((double)in[i], -shift_of(all[i], ranks))))
}
