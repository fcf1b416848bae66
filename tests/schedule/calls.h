/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of make_calls.c. */
#ifndef BERTH_TESTS_CALLS_H
#define BERTH_TESTS_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

enum { MOST_RANKS = 256 };

/* How an operation is called. */
typedef enum way { BLOCKING, NONBLOCKING, PERSISTENT } way_t;

typedef struct call {
  FILE *f; /* NULL unless the rank is 0 */
  MPI_Comm comm;
  int ranks, count, element, root, kind;
  MPI_Datatype type;
  MPI_Op op;
  way_t way;
  bool in_place;
  char *in, *out;
  /* Blocks that may differ: of each rank or pair; what this rank sends to each, or gets from each,
   * and where that begins, in elements and in bytes. */
  const int *counts;
  int self, sent[MOST_RANKS], got[MOST_RANKS], sent_at[MOST_RANKS], got_at[MOST_RANKS];
  int sent_byte[MOST_RANKS], got_byte[MOST_RANKS];
  MPI_Datatype types[MOST_RANKS];
} call_t;

typedef struct operation {
  const char *name;
  void (*run)(const call_t *c);
  bool has_count, has_root, has_op, has_blocks, has_counts, has_pairs;
} operation_t;

extern const operation_t operations[];
extern const int n_operations;

#endif
