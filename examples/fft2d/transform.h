/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a two-dimensional transform whose rows are divided among ranks, and the order of the
 * exchanged data.
 *
 * A rank has `m` rows of n complex numbers. Its rows are divided into granules. A granule is
 * exchanged as one piece; the last granule is exchanged as several pieces, each with some of the
 * columns. So the columns of a piece are complete while the next pieces are under way. A piece has
 * a block for each peer, in the order of ranks: `rows` rows of `columns` numbers. */
#ifndef FFT2D_TRANSFORM_H
#define FFT2D_TRANSFORM_H

#include <complex.h>
#include <fftw3.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int granule;
  int first_row, rows;       /* of the sender's rows */
  int first_column, columns; /* of the receiver's columns */
  size_t at;                 /* where it is in `send` and in `receive`, in numbers */
  int count;                 /* numbers of a block */
} transform_piece_t;

typedef struct {
  int n, ranks, rank, m;
  int block;                       /* side of the squares of a transposition */
  int slower;                      /* how often each transform of a row is computed */
  bool sleep;                      /* only once, and the thread sleeps for the other times */
  double row_s;                    /* of one transform of a row, without others on the core */
  fftw_complex *in, *out;          /* m rows of n; out has columns of the field as rows */
  fftw_complex *send, *receive;    /* m rows of n, in pieces */
  fftw_plan row_plan, column_plan; /* of one row, and of one row in place */
} transform_t;

/* How a variant divides the exchange. */
typedef struct {
  int granules, groups, n_pieces; /* groups of columns in the last granule */
  transform_piece_t *piece;       /* in the order in which they are exchanged */
} transform_pieces_t;

/* What a rank does, and how long it took. */
enum { TRANSFORM_FIRST, TRANSFORM_TRANSPOSE, TRANSFORM_SECOND, TRANSFORM_WAITING, TRANSFORM_STEPS };
typedef struct {
  double seconds[TRANSFORM_STEPS];
} transform_times_t;

/* The caller sets n, ranks, rank, block, slower and sleep; n is a multiple of ranks. False: not
 * enough memory. Free with transform_free in both cases. */
bool transform_make(transform_t *t);
void transform_free(transform_t *t);

/* Up to t->m granules and groups. False: not enough memory. The caller frees p->piece. */
bool transform_divide(const transform_t *t, int granules, int groups, transform_pieces_t *p);

/* The first row of granule g, for g = 0 to granules. */
int transform_granule(const transform_t *t, const transform_pieces_t *p, int g);

/* Transforms a row and packs it into the pieces of its granule. `scratch` has room for n numbers.
 */
void transform_row(const transform_t *t, const transform_pieces_t *p, int granule, int row,
                   fftw_complex *scratch);

/* Transposes the block of a piece that came from this peer. */
void transform_block(const transform_t *t, const transform_piece_t *piece, int peer);

/* Transforms a column, which has come as a whole. `scratch` as above. */
void transform_column(const transform_t *t, int column, fftw_complex *scratch);

/* Seconds since some moment. Any thread may call it. */
double transform_now(void);

#endif
