/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating-point numbers as whole numbers of a unit, whose sum doesn't depend on the order of
 * operands. The unit follows from the largest of all ranks' numbers at the same place, so that the
 * sum of all needs at most 62 bits: of n ranks' numbers, 62 - log2(n) bits are kept, where a double
 * has 53. The idea is that of J. Demmel and H. D. Nguyen, "Fast reproducible floating-point
 * summation" (2013): round all operands to one unit first. */
#ifndef BERTH_COLL_FIXED_SUM_H
#define BERTH_COLL_FIXED_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"

/* The size of a number, or that it is infinite or none. fixed_merge has the code of several: that
 * of the largest, or that of their sum if one isn't finite. */
typedef uint16_t fixed_code_t;
kernel_t fixed_merge;

/* Codes of n floats or doubles of `size` bytes. */
void fixed_codes(const void *in, size_t size, size_t n, fixed_code_t *out);
/* The numbers in their units, of so many ranks. */
void fixed_from(const void *in, size_t size, size_t n, const fixed_code_t *all, int ranks,
                int64_t *out);
/* The numbers that sums are. */
void fixed_to(const int64_t *in, size_t size, size_t n, const fixed_code_t *all, int ranks,
              void *out);

#endif
