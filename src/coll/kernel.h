/* SPDX-License-Identifier: BSD-3-Clause */
/* The most frequent reductions of elements: to = left op right, n elements each. `to` may be
 * `right`. The MPI's MPI_Reduce_local has two operands, of which one is lost, so that whoever needs
 * both copies one before. */
#ifndef BERTH_COLL_KERNEL_H
#define BERTH_COLL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/* A function with loops: compiled for AVX2, too, where the machine has it. */
#ifdef __x86_64__
#define KERNEL_CLONED __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define KERNEL_CLONED __attribute__((optimize("O3")))
#endif

typedef void kernel_t(const void *left, const void *right, void *to, size_t n);

typedef enum kernel_op {
  KERNEL_SUM,
  KERNEL_PROD,
  KERNEL_MAX,
  KERNEL_MIN,
  KERNEL_BAND,
  KERNEL_BOR,
  KERNEL_BXOR,
  KERNEL_OPS /* their number */
} kernel_op_t;

/* NULL: there is none for elements of that size. Whole numbers wrap around; those that have a sign
 * or none are the same then, so there is no MAX and MIN of them. */
kernel_t *kernel_find(kernel_op_t op, bool floating, size_t size);

#endif
