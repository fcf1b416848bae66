/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and operations, as far as berth moves and reduces data by itself. */
#ifndef BERTH_JOB_REDUCTION_H
#define BERTH_JOB_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/mpi_table.h"
#include "kernel/kernel.h"

typedef struct reduction {
  MPI_Datatype type;
  MPI_Op op;
  size_t extent; /* of an element; elements lie one behind the other */
  bool commutative;
  bool exact;    /* its result doesn't depend on the order of operands, not even in its last bit */
  size_t floats; /* a sum of floats or doubles: how many an element has; else 0 */
  kernel_t *kernel;          /* NULL: the MPI reduces */
  kernel_op_t kernel_op;     /* of the kernel, if there is one */
  kernel_type_t kernel_type; /* likewise */
} reduction_t;

/* From MPI_Init on. */
void reduction_setup(void);

enum { REDUCTION_TYPES = 64, REDUCTION_OPS = 16 }; /* more than there are */
/* Numbers of predefined types and operations, the same in all processes of an MPI; -1: it isn't
 * predefined, or not known. And back; the number has to be one of these. */
int reduction_number(MPI_Datatype type);
MPI_Datatype reduction_type(int number);
int reduction_op_number(MPI_Op op);
MPI_Op reduction_op(int number);

/* Whether berth serves this type and operation, with elements of up to `most` bytes. It doesn't if
 * the MPI may refuse them, or if derived types have gaps. All ranks find the same. Fills *r. */
bool reduction_of(MPI_Datatype type, MPI_Op op, size_t most, reduction_t *r);

/* How many bytes of data an element of a type has. *dense: elements lie in memory as they are sent.
 * False: the MPI refuses the type. */
bool reduction_layout(MPI_Datatype type, size_t *size, bool *dense);

/* into = from op into, n elements. Returns the MPI's code. */
int reduction_left(const reduction_t *r, const void *from, void *into, size_t n);
/* to = left op right; `to` may be `right`. */
int reduction_of_two(const reduction_t *r, const void *left, const void *right, void *to, size_t n);
/* into = into op from; `room` for n elements is needed only if the operation isn't commutative. */
int reduction_right(const reduction_t *r, void *into, const void *from, size_t n, void *room);

#endif
