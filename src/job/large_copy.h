/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of memory. Large ones take the kernel that `berth calibrate node` found to be faster than
 * memcpy from some size on: BERTH_COPY=KERNEL:BYTES, which `berth run` sets. */
#ifndef BERTH_JOB_LARGE_COPY_H
#define BERTH_JOB_LARGE_COPY_H

#include <stdint.h>
#include <string.h>

#include "copy/copy.h"

typedef struct large_copy {
  size_t from; /* bytes; SIZE_MAX: never */
  copy_function_t *copy;
} large_copy_t;
extern large_copy_t large_copy;

/* Reads the variable. What can't be used is named in a line; copies then are memcpy's. Before that,
 * they are, too. */
void large_copy_begin(void);

/* As memmove. */
static inline void job_copy(void *to, const void *from, size_t n)
{
  uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
  if (n >= large_copy.from && (a >= b + n || b >= a + n))
    large_copy.copy(to, from, n);
  else
    memmove(to, from, n);
}

#endif
