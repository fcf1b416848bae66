/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the data of a datatype lie in memory: as runs of pieces, so that a target that hasn't the
 * type can be told, and memory of another process can be read and written without packing. */
#ifndef BERTH_RMA_RMA_LAYOUT_H
#define BERTH_RMA_RMA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/mpi_table.h"

/* `count` pieces of `length` bytes; the first one at `offset`, the next ones `stride` bytes on. */
typedef struct layout_run {
  int64_t offset, length, stride, count;
} layout_run_t;

typedef struct layout {
  _Atomic int users; /* it is freed with the last one */
  bool stays;        /* until layout_forget: of a predefined type */
  int64_t size;      /* bytes of data in an element: the sum of all pieces */
  int64_t extent;    /* from an element to the next one */
  int64_t low, high; /* of its data: the lowest byte, and the one behind the highest */
  int element;       /* the predefined type that all of it is made of (job/reduction.h), or -1 */
  int64_t unit;      /* bytes of one of these in memory */
  bool dense;        /* elements lie one behind the other: one piece, from 0 on */
  size_t n;
  layout_run_t run[];
} layout_t;

/* A datatype's layout. `whole`: of predefined pairs, as MPI_DOUBLE_INT, the bytes between their
 * parts count, too; so pieces are whole elements, as reductions need them. The caller releases it;
 * it outlives the type. NULL: *wrong is the error class, MPI_ERR_TYPE or MPI_ERR_NO_MEM. */
layout_t *layout_take(MPI_Datatype type, bool whole, int *wrong);
void layout_release(layout_t *l);
/* One more user. */
void layout_keep(layout_t *l);

/* Bytes of a predefined type's element in memory; 0: it isn't known. */
size_t layout_unit(int element);

/* A layout of n runs to be filled in. The caller releases it. NULL: memory is out. */
layout_t *layout_new(size_t n);

/* A walk through the pieces of `count` elements, the first one at `base`. */
typedef struct layout_walk {
  layout_t *l;
  char *base;
  int64_t left; /* elements, this one included */
  size_t run;
  int64_t piece, done; /* in the run; bytes of the piece */
} layout_walk_t;

layout_walk_t layout_walk(layout_t *l, char *base, int64_t count);
/* The next bytes that lie together, at most so many; 0: there are none left. */
size_t layout_next(layout_walk_t *w, size_t most, char **at);
/* Copies up to so many bytes from one to the other; returns how many there were. */
size_t layout_copy(layout_walk_t *to, layout_walk_t *from, size_t most);
/* Copies bytes that lie together to or from a walk. */
void layout_copy_in(layout_walk_t *to, const char *from, size_t bytes);
void layout_copy_out(char *to, layout_walk_t *from, size_t bytes);

/* Sets up what remembers layouts of the program's types, and forgets it. */
void layout_setup(void);
void layout_forget(void);

#endif
