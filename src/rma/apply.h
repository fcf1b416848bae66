/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions into memory of a window. */
#ifndef BERTH_RMA_APPLY_H
#define BERTH_RMA_APPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "interpose/mpi_table.h"

/* The operations that aren't reductions. */
typedef struct apply {
  int op, element; /* reduction_op_number, reduction_number */
  size_t unit;     /* bytes of an element */
} apply_t;

/* Whether MPI defines the operation on the elements. Any element may be replaced. */
bool apply_is_defined(int op, int element);
/* at = at op data, n elements; addresses needn't be aligned. `old`, if it isn't NULL, gets what was
 * at `at` before. `data` may be NULL for MPI_NO_OP. Returns the MPI's code. */
int apply_to(const apply_t *a, char *at, const char *data, char *old, size_t n);
/* Whether MPI_Compare_and_swap takes the type: predefined, but no floating-point number. */
bool apply_is_compared(MPI_Datatype type);
/* Whether the operation changes nothing: it is MPI_NO_OP. */
bool apply_only_reads(int op);
/* An element with which `compare` is swapped. */
void apply_swap(size_t unit, char *at, const char *compare, const char *data, char *old);

#endif
