/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations: what the program asks for, checked and as layouts. */
#ifndef BERTH_RMA_OPERATION_H
#define BERTH_RMA_OPERATION_H

#include "rma/rma_layout.h"
#include "rma/rma_window.h"

typedef enum operation_kind {
  OPERATION_PUT,
  OPERATION_GET,
  OPERATION_ACCUMULATE,
  OPERATION_GET_ACCUMULATE, /* MPI_Fetch_and_op, too */
  OPERATION_COMPARE
} operation_kind_t;

/* Data of this rank. */
typedef struct operation_side {
  char *base;
  layout_t *layout; /* NULL: there is no such side */
  int64_t count;
} operation_side_t;

typedef struct operation {
  operation_kind_t kind;
  int op;                /* reduction_op_number; -1: none */
  operation_side_t from; /* what goes to the target */
  operation_side_t to;   /* where what comes back goes */
  const char *compare;   /* one element */
  layout_t *layout;      /* of the target's data */
  int64_t count;
  int64_t offset; /* of its first element from the beginning of the window, bytes */
  int64_t bytes;  /* of data at the target */
} operation_t;

/* What the program gives. Types of sides that aren't there are null. */
typedef struct operation_call {
  operation_kind_t kind;
  const void *origin;
  int64_t origin_count;
  MPI_Datatype origin_type;
  void *result;
  int64_t result_count;
  MPI_Datatype result_type;
  const void *compare;
  int target;
  int64_t displacement, count;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request *request; /* NULL: none is asked for */
} operation_call_t;

/* Carries it out, or puts it where the end of the epoch finds it. Returns an MPI code, whose error
 * handler has been called. */
int operation_do(rma_window_t *w, const operation_call_t *c);

/* The name of MPI's function. */
const char *operation_name(operation_kind_t kind);

#endif
