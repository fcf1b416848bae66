/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of memory that a datatype is made of, in the order in which its data are sent (MPI
 * 4.0, section 5.1). */
#ifndef BERTH_RMA_LAYOUT_PIECES_H
#define BERTH_RMA_LAYOUT_PIECES_H

#include "rma/rma_layout.h"

enum { PIECES_NO_ELEMENT = -2, PIECES_MIXED = -1 };

/* A growing list of runs. Free `run` alone. */
typedef struct pieces {
  bool whole;  /* see layout_take */
  bool full;   /* memory is out, so runs are missing */
  int element; /* the predefined type, or one of the above */
  int64_t unit;
  layout_run_t *run;
  size_t n, cap;
} pieces_t;

/* Adds those of a type. False: the MPI doesn't say what it is made of. */
bool pieces_of(pieces_t *p, MPI_Datatype type);

#endif
