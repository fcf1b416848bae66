/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that copy memory. */
#ifndef BERTH_COPY_H
#define BERTH_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Copies n bytes between areas that don't overlap, of any alignment. When it returns, other threads
 * that the caller then synchronises with see the bytes, as after memcpy. */
typedef void copy_function_t(void *restrict to, const void *restrict from, size_t n);

typedef struct copy_kernel {
  const char *name; /* as files have it */
  const char *what; /* for people */
  copy_function_t *copy;
  bool (*runs_here)(void); /* whether this processor has the instructions; NULL: all have */
} copy_kernel_t;

/* The kernels that run on this processor, memcpy first. Returns how many, at most COPY_KERNELS. */
enum { COPY_KERNELS = 16 };
size_t copy_kernels(const copy_kernel_t *out[COPY_KERNELS]);

/* The kernel of that name; NULL if there is none, or it doesn't run here. */
const copy_kernel_t *copy_find(const char *name);

/* Lists that end with an entry without a name: for copy_list.c. */
extern const copy_kernel_t copy_plain[], copy_of_processor[];

#endif
