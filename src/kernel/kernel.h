/* SPDX-License-Identifier: BSD-3-Clause */
/* The reductions of MPI's predefined operations: to = left op right, n elements each. `to` may be
 * `right`. The MPI's MPI_Reduce_local has two operands, of which one is lost, so that whoever needs
 * both copies one before; and who has no MPI, an agent, has no MPI_Reduce_local at all. */
#ifndef BERTH_KERNEL_H
#define BERTH_KERNEL_H

#include <stddef.h>

/* A function with loops: compiled for AVX2, too, where the machine has it. */
#if defined __x86_64__ && !defined __SANITIZE_THREAD__ /* which can't be called so early */
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
  KERNEL_LAND,
  KERNEL_LOR,
  KERNEL_LXOR,
  KERNEL_BAND,
  KERNEL_BOR,
  KERNEL_BXOR,
  KERNEL_MAXLOC,
  KERNEL_MINLOC,
  KERNEL_OPS /* their number */
} kernel_op_t;

/* Elements: whole numbers with and without a sign, floating-point and complex numbers, pairs of a
 * value and an index as C and Fortran have them. */
typedef enum kernel_type {
  KERNEL_I8,
  KERNEL_I16,
  KERNEL_I32,
  KERNEL_I64,
  KERNEL_U8,
  KERNEL_U16,
  KERNEL_U32,
  KERNEL_U64,
  KERNEL_F32,
  KERNEL_F64,
  KERNEL_C32, /* two floats */
  KERNEL_C64, /* two doubles */
  KERNEL_F32_INT,
  KERNEL_F64_INT,
  KERNEL_LONG_INT,
  KERNEL_INT_INT,
  KERNEL_SHORT_INT,
  KERNEL_F32_F32,
  KERNEL_F64_F64,
  KERNEL_TYPES /* their number; also: none of them */
} kernel_type_t;

/* NULL: the operation isn't defined for the type. Whole numbers wrap around. */
kernel_t *kernel_find(kernel_op_t op, kernel_type_t type);
/* Bytes of an element in memory. */
size_t kernel_bytes(kernel_type_t type);

#endif
