/* SPDX-License-Identifier: BSD-3-Clause */
/* The same copy where the compiler may not make a call of memcpy of the loop. */
#include <stddef.h>

void stream_copy_loop(double *restrict c, const double *restrict a, size_t n);
void stream_copy_loop(double *restrict c, const double *restrict a, size_t n)
{
  for (size_t j = 0; j < n; j++) c[j] = a[j];
}
