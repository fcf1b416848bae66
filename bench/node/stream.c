/* SPDX-License-Identifier: BSD-3-Clause */
/* The copy of McCalpin's STREAM benchmark, c[j] = a[j] over doubles, compiled as its users compile
 * it: -O3 -march=native. */
#include <stddef.h>

void stream_copy(double *restrict c, const double *restrict a, size_t n);
void stream_copy(double *restrict c, const double *restrict a, size_t n)
{
  for (size_t j = 0; j < n; j++) c[j] = a[j];
}
