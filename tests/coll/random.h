/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of random.c share. All ranks of a part draw the same numbers. */
#ifndef TESTS_COLL_RANDOM_H
#define TESTS_COLL_RANDOM_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 3 << 20 }; /* bytes */

/* A communicator. */
typedef struct part {
  MPI_Comm comm;
  int rank, size, *world; /* its ranks in MPI_COMM_WORLD */
} part_t;

uint64_t mix(uint64_t x);
uint64_t draw(uint64_t below);
/* Small counts are as frequent as large ones. */
size_t draw_count(size_t largest);
/* What a rank has at a place in the current call. */
uint64_t value(int rank, size_t i);
void check(const part_t *p, const char *what, size_t i, int right);

/* MPI 4 has each function a second time, with large counts: half of the calls are of it. */
#if MPI_VERSION >= 4
#define CALL(name, ...) (draw(2) ? MPI_##name##_c(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#else
#define CALL(name, ...) MPI_##name(__VA_ARGS__)
#endif

/* A type that has n numbers, `count` of it, with or without gaps: a number's place is `stride`
 * times its index. Forms are 0 to 3; 0 is MPI_INT. */
void place_type(int form, size_t n, MPI_Datatype *type, int *count, size_t *stride);

void begin_reductions(void);
void try_reduce(const part_t *p, int all);
void try_reduce_block(const part_t *p);
void try_reduce_scatter(const part_t *p);
void try_scan(const part_t *p);

void try_gather(const part_t *p, int all);
void try_scatter(const part_t *p);
void try_alltoall(const part_t *p);
void try_gatherv(const part_t *p, int all);
void try_scatterv(const part_t *p);
void try_alltoallv(const part_t *p);

#endif
