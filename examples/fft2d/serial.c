/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows come first, because the network can only carry what has been transformed. What has come is
 * transposed when all rows are on their way, and columns are transformed when they are complete. */
#include "serial.h"

typedef struct {
  exchange_t *e;
  fftw_complex *scratch;
  transform_times_t *times;
  double since; /* when the last step ended */
} run_t;

/* What was done since the last step was this step. */
static void lap(run_t *run, int step)
{
  double now = transform_now();
  run->times->seconds[step] += now - run->since;
  run->since = now;
}

static void rows(run_t *run, int granule, void (*then)(run_t *))
{
  const transform_t *t = run->e->t;
  const transform_pieces_t *p = run->e->p;
  int end = transform_granule(t, p, granule + 1);
  for (int row = transform_granule(t, p, granule); row < end; row++) {
    transform_row(t, p, granule, row, run->scratch);
    then(run);
  }
  lap(run, TRANSFORM_FIRST);
}

static void transpose(run_t *run, int piece, void (*then)(run_t *))
{
  for (int peer = 0; peer < run->e->t->ranks; peer++) {
    transform_block(run->e->t, &run->e->p->piece[piece], peer);
    then(run);
  }
  lap(run, TRANSFORM_TRANSPOSE);
}

static void columns(run_t *run, int piece, void (*then)(run_t *))
{
  const transform_piece_t *at = &run->e->p->piece[piece];
  for (int c = 0; c < at->columns; c++) {
    transform_column(run->e->t, at->first_column + c, run->scratch);
    then(run);
  }
  lap(run, TRANSFORM_SECOND);
}

static void nothing(run_t *run) { (void)run; }

void serial_steps(exchange_t *e, fftw_complex *scratch, transform_times_t *times)
{
  run_t run = {.e = e, .scratch = scratch, .times = times, .since = transform_now()};
  const transform_pieces_t *p = e->p;
  for (int i = 0; i < p->n_pieces; i++) {
    if (i < p->granules) rows(&run, i, nothing);
    exchange_call(e);
    lap(&run, TRANSFORM_WAITING);
    transpose(&run, i, nothing);
  }
  for (int i = p->granules - 1; i < p->n_pieces; i++) columns(&run, i, nothing);
}

/* Between two rows. The time of the test isn't that of the row. */
static void look(run_t *run, int step)
{
  if (!exchange_busy(run->e)) return;
  lap(run, step);
  exchange_test(run->e);
  lap(run, TRANSFORM_WAITING);
}

static void look_first(run_t *run) { look(run, TRANSFORM_FIRST); }
static void look_transpose(run_t *run) { look(run, TRANSFORM_TRANSPOSE); }
static void look_second(run_t *run) { look(run, TRANSFORM_SECOND); }

/* Transposes what comes, until all columns are transformed. Columns are complete in the order of
 * the pieces of the last granule. */
static void finish(run_t *run)
{
  exchange_t *e = run->e;
  int transposed = 0, done = e->p->granules - 1;
  while (done < e->p->n_pieces)
    if (transposed < e->received) {
      transpose(run, transposed++, look_transpose);
    } else if (done < transposed) {
      columns(run, done++, look_second);
    } else {
      if (exchange_test(e) == 0) exchange_nap(e);
      lap(run, TRANSFORM_WAITING);
    }
}

void serial_overlapped(exchange_t *e, fftw_complex *scratch, transform_times_t *times)
{
  const transform_pieces_t *p = e->p;
  run_t run = {.e = e, .scratch = scratch, .times = times, .since = transform_now()};
  for (int g = 0; g < p->granules; g++) {
    rows(&run, g, look_first);
    exchange_start(e, g < p->granules - 1 ? g + 1 : p->n_pieces);
    lap(&run, TRANSFORM_WAITING);
  }
  finish(&run);
}
