/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows, blocks and columns of a transform. All variants use the same two FFTW plans, each of one
 * row, so their results have the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "transform.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double transform_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Memory that has been written: otherwise the first transform would wait for pages. */
static fftw_complex *room(size_t numbers)
{
  fftw_complex *memory = fftw_alloc_complex(numbers);
  if (memory) memset(memory, 0, numbers * sizeof *memory);
  return memory;
}

/* The fastest of some: others only slow it down. */
static double time_of_row(const transform_t *t)
{
  double fastest = 1;
  for (int i = 0; i < 20; i++) {
    double begin = transform_now();
    fftw_execute_dft(t->row_plan, t->in, t->out);
    double seconds = transform_now() - begin;
    if (i > 0 && seconds < fastest) fastest = seconds;
  }
  return fastest;
}

/* The other times that a row is computed. */
static void slow_down(const transform_t *t, fftw_complex *row, fftw_complex *scratch)
{
  double seconds = (t->slower - 1) * t->row_s;
  if (t->sleep && t->slower > 1)
    nanosleep(
        &(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))},
        NULL);
  for (int i = 1; !t->sleep && i < t->slower; i++) fftw_execute_dft(t->row_plan, row, scratch);
}

bool transform_make(transform_t *t)
{
  t->m = t->n / t->ranks;
  size_t size = (size_t)t->m * (size_t)t->n;
  t->in = room(size);
  t->send = room(size);
  t->receive = room(size);
  t->out = room(size);
  if (!t->in || !t->send || !t->receive || !t->out) return false;
  t->row_plan = fftw_plan_dft_1d(t->n, t->in, t->out, FFTW_FORWARD, FFTW_ESTIMATE);
  t->column_plan = fftw_plan_dft_1d(t->n, t->out, t->out, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!t->row_plan || !t->column_plan) return false;
  if (t->sleep) t->row_s = time_of_row(t);
  return true;
}

void transform_free(transform_t *t)
{
  fftw_destroy_plan(t->row_plan);
  fftw_destroy_plan(t->column_plan);
  fftw_free(t->in);
  fftw_free(t->send);
  fftw_free(t->receive);
  fftw_free(t->out);
}

/* Where part i of `parts` begins, if `all` is divided as evenly as possible. */
static int share(int all, int i, int parts) { return (int)((int64_t)all * i / parts); }

int transform_granule(const transform_t *t, const transform_pieces_t *p, int g)
{
  return share(t->m, g, p->granules);
}

bool transform_divide(const transform_t *t, int granules, int groups, transform_pieces_t *p)
{
  *p = (transform_pieces_t){.granules = granules, .groups = groups};
  p->n_pieces = granules - 1 + groups;
  p->piece = calloc((size_t)p->n_pieces, sizeof *p->piece);
  if (!p->piece) return false;
  size_t at = 0;
  for (int i = 0; i < p->n_pieces; i++) {
    int g = i < granules ? i : granules - 1, c = i - g, parts = i < granules - 1 ? 1 : groups;
    transform_piece_t *piece = &p->piece[i];
    piece->granule = g;
    piece->first_row = transform_granule(t, p, g);
    piece->rows = transform_granule(t, p, g + 1) - piece->first_row;
    piece->first_column = share(t->m, c, parts);
    piece->columns = share(t->m, c + 1, parts) - piece->first_column;
    piece->count = piece->rows * piece->columns;
    piece->at = at;
    at += (size_t)piece->count * (size_t)t->ranks;
  }
  return true;
}

void transform_row(const transform_t *t, const transform_pieces_t *p, int granule, int row,
                   fftw_complex *scratch)
{
  fftw_complex *in = t->in + (size_t)row * (size_t)t->n;
  fftw_execute_dft(t->row_plan, in, scratch);
  slow_down(t, in, scratch);
  int end = granule < p->granules - 1 ? granule + 1 : p->n_pieces;
  for (int i = granule; i < end; i++) {
    const transform_piece_t *piece = &p->piece[i];
    size_t length = (size_t)piece->columns;
    fftw_complex *to = t->send + piece->at + (size_t)(row - piece->first_row) * length;
    const fftw_complex *from = scratch + piece->first_column;
    for (int peer = 0; peer < t->ranks; peer++, from += t->m, to += piece->count)
      memcpy(to, from, length * sizeof *to);
  }
}

void transform_block(const transform_t *t, const transform_piece_t *piece, int peer)
{
  size_t n = (size_t)t->n, length = (size_t)piece->columns;
  const fftw_complex *from = t->receive + piece->at + (size_t)peer * (size_t)piece->count;
  fftw_complex *to = t->out + (size_t)piece->first_column * n + (size_t)peer * (size_t)t->m +
                     (size_t)piece->first_row;
  int side = t->block;
  for (int i = 0; i < piece->rows; i += side)
    for (int j = 0; j < piece->columns; j += side) {
      int rows = i + side < piece->rows ? i + side : piece->rows;
      int columns = j + side < piece->columns ? j + side : piece->columns;
      for (int c = j; c < columns; c++)
        for (int r = i; r < rows; r++)
          to[(size_t)c * n + (size_t)r] = from[(size_t)r * length + (size_t)c];
    }
}

void transform_column(const transform_t *t, int column, fftw_complex *scratch)
{
  fftw_complex *at = t->out + (size_t)column * (size_t)t->n;
  slow_down(t, at, scratch);
  fftw_execute_dft(t->column_plan, at, at);
}
