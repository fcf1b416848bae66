/* SPDX-License-Identifier: BSD-3-Clause */
/* What collective operations send, seen from within an MPI: record_openmpi.c and record_mpich.c
 * stand before functions of theirs, one of which is linked to make_calls.c. */
#ifndef BERTH_TESTS_RECORD_H
#define BERTH_TESTS_RECORD_H

#include <stddef.h>

typedef struct record_message {
  int destination; /* rank of MPI_COMM_WORLD */
  size_t bytes;
} record_message_t;

/* Every rank calls this once, behind MPI_Init. */
void record_prepare(void);

/* From here on, until record_stop, what this rank sends is recorded. */
void record_start(void);
/* Returns the messages, *n of them; they stay until record_start. */
const record_message_t *record_stop(size_t *n);

/* The algorithms that ran, "OPERATION:NAME …" as berth calls them; "?" if the MPI doesn't tell. */
const char *record_algorithms(void);

#endif
