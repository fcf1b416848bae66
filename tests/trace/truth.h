/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the program truth share (truth.c). */
#include <mpi.h>
#include <stdio.h>

enum { ROOM = 1 << 16, TAG = 5 };

extern int rank, ranks, next, before; /* world ranks; neighbours on a ring */
extern char out[ROOM], in[ROOM];
extern int barriers; /* of blocking and cancelled sends, on MPI_COMM_WORLD */
extern FILE *expected;

/* Writes an expected message of this rank. */
void expect(int dst, long size, long count);

/* truth_collectives.c. The calls of the first are counted, of intercommunicators at last. */
void collectives(void);
void neighbourhoods(void);
void persistent_collectives(void);
void intercommunicator_collectives(void);

/* truth_one_sided.c */
void one_sided(void);
