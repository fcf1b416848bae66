/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops without branches, so that they can be vectorised. */
#include "coll/fixed_sum.h"

#include <fenv.h>
#include <stdbool.h>
#include <string.h>

/* Codes of finite numbers are exponents as a double has them, at least 1. From SPECIAL on, bits say
 * which infinities there are; NaN is both. */
enum {
  SPECIAL = 4096,
  INFINITE = 1,
  NEGATIVE = INFINITE + 1,
  NEITHER = INFINITE | NEGATIVE,
  BIAS = 1023,
  BITS = 62
};

KERNEL_CLONED void fixed_merge(const void *left, const void *right, void *to, size_t n)
{
  const fixed_code_t *x = left, *y = right;
  fixed_code_t *z = to;
  for (size_t i = 0; i < n; i++) {
    fixed_code_t high = x[i] > y[i] ? x[i] : y[i], low = x[i] > y[i] ? y[i] : x[i];
    z[i] = low >= SPECIAL ? high | low : high;
  }
}

static inline uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* All bits of one if `yes`, else of the other. */
static inline uint64_t chosen(bool yes, uint64_t one, uint64_t other)
{
  uint64_t mask = -(uint64_t)yes;
  return (one & mask) | (other & ~mask);
}

static inline uint64_t code_of(double x)
{
  uint64_t bits = bits_of(x), exponent = bits >> 52 & 0x7ff;
  uint64_t special = chosen((bits << 12) != 0, NEITHER, INFINITE + (bits >> 63));
  return chosen(exponent == 0x7ff, SPECIAL | special, exponent + (exponent == 0));
}

/* x * 2^shift, where 2^shift may be no double. */
static inline double scaled(double x, int64_t shift)
{
  uint64_t below = (uint64_t)(shift + 4 * BIAS) / 2 - BIAS; /* half of it, with the bias */
  uint64_t above = (uint64_t)(shift + 2 * BIAS) - below;
  return x * double_of(below << 52) * double_of(above << 52);
}

/* A whole number below 2^51 is in the last bits of its sum with this one. */
#define MAGIC 0x1.8p52
static inline int64_t last_bits(double sum) { return (int64_t)(bits_of(sum) - bits_of(MAGIC)); }

/* The nearest whole number, of one below 2^62. AVX2 has no such conversion. */
static inline int64_t integer(double x)
{
  double high = x * 0x1p-31 + MAGIC, rest = x - (high - MAGIC) * 0x1p31;
  return (int64_t)((uint64_t)last_bits(high) << 31) + last_bits(rest + MAGIC);
}

/* The nearest double: only the last sum is rounded. */
static inline double number(int64_t x)
{
  double high = (double)(int32_t)((uint64_t)x >> 32);
  double low = double_of(((uint64_t)x & UINT32_MAX) | bits_of(0x1p52)) - 0x1p52;
  return high * 0x1p32 + low;
}

/* Infinities have no other bits than those of the exponent and the sign. */
static inline uint64_t special_bits(uint64_t code)
{
  uint64_t not_a_number = (code & NEITHER) == NEITHER, negative = (code & NEITHER) == NEGATIVE;
  return negative << 63 | (uint64_t)0x7ff << 52 | not_a_number << 51;
}

/* How many powers of two there are from a number to its unit, less its code: numbers are below
 * 2^(code - BIAS + 1). */
static int64_t shift_for(int ranks)
{
  int headroom = 0;
  while (headroom < 31 && 1u << headroom < (unsigned)ranks) headroom++;
  return BITS - headroom + BIAS - 1;
}

#define FUNCTIONS(type)                                                                            \
  KERNEL_CLONED static void codes_##type(const type *in, size_t n, fixed_code_t *out)              \
  {                                                                                                \
    for (size_t i = 0; i < n; i++) out[i] = (fixed_code_t)code_of((double)in[i]);                  \
  }                                                                                                \
  KERNEL_CLONED static void from_##type(const type *in, size_t n, const fixed_code_t *all,         \
                                        int64_t shift, int64_t *out)                               \
  {                                                                                                \
    for (size_t i = 0; i < n; i++) {                                                               \
      int64_t whole = integer(scaled((double)in[i], shift - all[i]));                              \
      out[i] = (int64_t)chosen(all[i] < SPECIAL, (uint64_t)whole, 0);                              \
    }                                                                                              \
  }                                                                                                \
  KERNEL_CLONED static void to_##type(const int64_t *in, size_t n, const fixed_code_t *all,        \
                                      int64_t shift, type *out)                                    \
  {                                                                                                \
    for (size_t i = 0; i < n; i++) {                                                               \
      uint64_t finite = bits_of(scaled(number(in[i]), all[i] - shift));                            \
      out[i] = (type)double_of(chosen(all[i] < SPECIAL, finite, special_bits(all[i])));            \
    }                                                                                              \
  }

FUNCTIONS(float)
FUNCTIONS(double)

/* The program may have asked for signals on what happens here on the way: each of these keeps its
 * environment. */
void fixed_codes(const void *in, size_t size, size_t n, fixed_code_t *out)
{
  fenv_t kept;
  feholdexcept(&kept);
  if (size == sizeof(float))
    codes_float(in, n, out);
  else
    codes_double(in, n, out);
  fesetenv(&kept);
}

void fixed_from(const void *in, size_t size, size_t n, const fixed_code_t *all, int ranks,
                int64_t *out)
{
  int64_t shift = shift_for(ranks);
  fenv_t kept;
  feholdexcept(&kept);
  if (size == sizeof(float))
    from_float(in, n, all, shift, out);
  else
    from_double(in, n, all, shift, out);
  fesetenv(&kept);
}

void fixed_to(const int64_t *in, size_t size, size_t n, const fixed_code_t *all, int ranks,
              void *out)
{
  int64_t shift = shift_for(ranks);
  fenv_t kept;
  feholdexcept(&kept);
  if (size == sizeof(float))
    to_float(in, n, all, shift, out);
  else
    to_double(in, n, all, shift, out);
  fesetenv(&kept);
}
