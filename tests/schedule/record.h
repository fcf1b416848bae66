/* SPDX-License-Identifier: BSD-3-Clause */
/* What collective and one-sided operations send, seen from within an MPI: record_openmpi.c and
 * record_mpich.c stand before functions of theirs. One of them is linked to a program such as
 * make_calls.c, with record.c. */
#ifndef BERTH_TESTS_RECORD_H
#define BERTH_TESTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct record_message {
  int destination; /* rank of MPI_COMM_WORLD; below 0: -1 - the rank that data was fetched from */
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

/* For the functions that stand before the MPI's. Messages count from record_start to record_stop.
 */
bool record_is_on(void);
void record_message(int destination, size_t bytes);
/* Names of algorithms, and all of them since record_start. */
void record_name(const char *algorithm);
const char *record_names(void);

#endif
