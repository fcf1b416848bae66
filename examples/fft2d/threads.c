/* SPDX-License-Identifier: BSD-3-Clause */
/* Work is divided into units of three kinds, each with numbers from 0 on:
 *
 *   rows     up to `group` rows of a granule; units are free from the beginning
 *   blocks   what has come from one peer in one piece; free when the piece has come
 *   columns  up to `group` columns of a piece of the last granule; free when all rows of these
 *            columns are transposed
 *
 * A thread takes the next unit of the first kind that has a free one. With dynamic work all
 * threads share one counter for each kind. With static work thread i of k takes units i, i + k and
 * so on. Counters of what is left tell when a granule can be sent and when columns are complete. */
#define _POSIX_C_SOURCE 200809L
#include "threads.h"
#include "bell.h"

#include <sched.h>
#include <stdalign.h>
#include <stdlib.h>

enum { ROWS, BLOCKS, COLUMNS, KINDS, SPINS = 100 };

typedef struct {
  alignas(64) atomic_int next[KINDS];
} cursor_t;

typedef struct {
  exchange_t *e;
  const threads_options_t *o;
  int takers;               /* threads that work */
  int per_granule;          /* units of rows of a granule */
  int per_piece;            /* units of columns of a piece */
  int units[KINDS];         /* in all */
  cursor_t *cursor;         /* one, or with static work one for each taker */
  atomic_int arrived;       /* pieces, in their order */
  atomic_int *rows_left;    /* of a granule: units that aren't done */
  atomic_int *blocks_left;  /* of a piece */
  atomic_int granules_left; /* granules before the last one that aren't transposed */
  pthread_mutex_t mutex;
  atomic_flag spin;
  bell_t work, ready; /* for workers, and for the main thread */
} engine_t;

typedef struct {
  engine_t *engine;
  int number; /* among the takers */
  bool main;
  fftw_complex *scratch;
  double since;
  transform_times_t times;
} taker_t;

static void lock(engine_t *w)
{
  if (w->o->locks == THREADS_MUTEX) pthread_mutex_lock(&w->mutex);
  if (w->o->locks != THREADS_SPIN) return;
  for (int i = 1; atomic_flag_test_and_set(&w->spin); i++)
    if (i % SPINS == 0) sched_yield(); /* who has the lock may need this core */
}

static void unlock(engine_t *w)
{
  if (w->o->locks == THREADS_MUTEX) pthread_mutex_unlock(&w->mutex);
  if (w->o->locks == THREADS_SPIN) atomic_flag_clear(&w->spin);
}

static void lap(taker_t *me, int step)
{
  double now = transform_now();
  me->times.seconds[step] += now - me->since;
  me->since = now;
}

/* ------------------------------------------------------------------------ who takes which unit */

static int column_piece(const engine_t *w, int unit)
{
  return w->e->p->granules - 1 + unit / w->per_piece;
}

static bool is_free(engine_t *w, int kind, int unit)
{
  if (unit >= w->units[kind]) return false;
  if (kind == ROWS) return true;
  if (kind == BLOCKS) return unit / w->e->t->ranks < atomic_load(&w->arrived);
  return atomic_load(&w->granules_left) == 0 &&
         atomic_load(&w->blocks_left[column_piece(w, unit)]) == 0;
}

static cursor_t *cursor_of(const taker_t *me)
{
  return &me->engine->cursor[me->engine->o->work == THREADS_STATIC ? me->number : 0];
}

/* The number of a unit, or -1 if none of this kind is free now. */
static int take(const taker_t *me, int kind)
{
  engine_t *w = me->engine;
  atomic_int *next = &cursor_of(me)->next[kind];
  int step = w->o->work == THREADS_STATIC ? w->takers : 1, unit = atomic_load(next);
  if (w->o->locks == THREADS_ATOMIC) {
    while (is_free(w, kind, unit))
      if (atomic_compare_exchange_weak(next, &unit, unit + step)) return unit;
    return -1;
  }
  lock(w);
  unit = atomic_load(next);
  bool found = is_free(w, kind, unit);
  if (found) atomic_store(next, unit + step);
  unlock(w);
  return found ? unit : -1;
}

static bool is_exhausted(const taker_t *me)
{
  for (int kind = 0; kind < KINDS; kind++)
    if (atomic_load(&cursor_of(me)->next[kind]) < me->engine->units[kind]) return false;
  return true;
}

/* Whether this was the last one. */
static bool count_down(engine_t *w, atomic_int *left)
{
  lock(w);
  bool last = atomic_fetch_sub(left, 1) == 1;
  unlock(w);
  return last;
}

/* ------------------------------------------------------------------------------ the exchange */

static void tell(engine_t *w)
{
  atomic_store(&w->arrived, w->e->received);
  bell_ring(&w->work);
}

/* Starts what is complete, and tells the workers what has come. Returns how much has. */
static int progress(engine_t *w)
{
  exchange_t *e = w->e;
  int ready = e->ready;
  while (ready < e->p->n_pieces && atomic_load(&w->rows_left[e->p->piece[ready].granule]) == 0)
    ready++;
  if (ready > e->ready) exchange_start(e, ready);
  int n = exchange_test(e);
  if (n > 0) tell(w);
  return n;
}

/* Between two rows: only the main thread calls MPI. */
static void look(taker_t *me, int step)
{
  if (!me->main || me->engine->e->received == me->engine->e->p->n_pieces) return;
  lap(me, step);
  progress(me->engine);
  lap(me, TRANSFORM_WAITING);
}

/* ------------------------------------------------------------------------------- the work */

static void do_rows(taker_t *me, int unit)
{
  engine_t *w = me->engine;
  const transform_pieces_t *p = w->e->p;
  int granule = unit / w->per_granule, end = transform_granule(w->e->t, p, granule + 1);
  int row = transform_granule(w->e->t, p, granule) + unit % w->per_granule * w->o->group;
  if (row + w->o->group < end) end = row + w->o->group;
  for (; row < end; row++) {
    transform_row(w->e->t, p, granule, row, me->scratch);
    look(me, TRANSFORM_FIRST);
  }
  if (count_down(w, &w->rows_left[granule])) bell_ring(&w->ready);
  lap(me, TRANSFORM_FIRST);
}

static void do_block(taker_t *me, int unit)
{
  engine_t *w = me->engine;
  int piece = unit / w->e->t->ranks;
  transform_block(w->e->t, &w->e->p->piece[piece], unit % w->e->t->ranks);
  if (count_down(w, &w->blocks_left[piece])) {
    if (piece < w->e->p->granules - 1) count_down(w, &w->granules_left);
    bell_ring(&w->work);
  }
  lap(me, TRANSFORM_TRANSPOSE);
  look(me, TRANSFORM_TRANSPOSE);
}

static void do_columns(taker_t *me, int unit)
{
  engine_t *w = me->engine;
  const transform_piece_t *piece = &w->e->p->piece[column_piece(w, unit)];
  int c = unit % w->per_piece * w->o->group, end = c + w->o->group;
  if (end > piece->columns) end = piece->columns;
  for (; c < end; c++) {
    transform_column(w->e->t, piece->first_column + c, me->scratch);
    look(me, TRANSFORM_SECOND);
  }
  lap(me, TRANSFORM_SECOND);
}

static bool work(taker_t *me)
{
  static void (*const act[KINDS])(taker_t *, int) = {do_rows, do_block, do_columns};
  for (int kind = 0; kind < KINDS; kind++) {
    int unit = take(me, kind);
    if (unit < 0) continue;
    act[kind](me, unit);
    return true;
  }
  return false;
}

static void *work_on(void *argument)
{
  taker_t *me = argument;
  me->since = transform_now();
  while (!is_exhausted(me)) {
    unsigned seen = bell_look(&me->engine->work);
    if (work(me)) continue;
    if (is_exhausted(me)) break;
    bell_wait(&me->engine->work, seen);
    lap(me, TRANSFORM_WAITING);
  }
  return NULL;
}

/* ------------------------------------------------------------------------- the main thread */

static void communicate_by_calls(engine_t *w)
{
  const transform_pieces_t *p = w->e->p;
  for (int i = 0; i < p->n_pieces; i++) {
    atomic_int *left = &w->rows_left[p->piece[i].granule];
    unsigned seen = bell_look(&w->ready);
    while (atomic_load(left) > 0) {
      bell_wait(&w->ready, seen);
      seen = bell_look(&w->ready);
    }
    exchange_call(w->e);
    tell(w);
  }
}

static void communicate(taker_t *me)
{
  engine_t *w = me->engine;
  me->since = transform_now();
  while (w->e->received < w->e->p->n_pieces) {
    unsigned seen = bell_look(&w->ready);
    int n = progress(w);
    if (n > 0 || (w->o->communicator == THREADS_WORKS && work(me))) continue;
    if (exchange_busy(w->e))
      exchange_nap(w->e);
    else if (w->e->received < w->e->p->n_pieces)
      bell_wait(&w->ready, seen);
    lap(me, TRANSFORM_WAITING);
  }
}

static void run_main(taker_t *me)
{
  if (me->engine->o->communicator == THREADS_CALLS)
    communicate_by_calls(me->engine);
  else
    communicate(me);
  if (me->engine->o->communicator == THREADS_WORKS) work_on(me);
}

/* ------------------------------------------------------------------------------ beginning, end */

static void *zeros(bool *ok, int n, size_t size)
{
  size_t bytes = ((size_t)n * size + 63) / 64 * 64;
  unsigned char *memory = aligned_alloc(64, bytes ? bytes : 64);
  for (size_t i = 0; memory && i < bytes; i++) memory[i] = 0;
  if (!memory) *ok = false;
  return memory;
}

static int ceiling(int a, int b) { return (a + b - 1) / b; }

static bool make(engine_t *w, exchange_t *e, const threads_options_t *o)
{
  const transform_pieces_t *p = e->p;
  bool ok = true;
  *w = (engine_t){.e = e, .o = o, .spin = ATOMIC_FLAG_INIT};
  w->takers = o->workers + (o->communicator == THREADS_WORKS);
  w->per_granule = ceiling(ceiling(e->t->m, p->granules), o->group);
  w->per_piece = ceiling(ceiling(e->t->m, p->groups), o->group);
  w->units[ROWS] = p->granules * w->per_granule;
  w->units[BLOCKS] = p->n_pieces * e->t->ranks;
  w->units[COLUMNS] = p->groups * w->per_piece;
  int cursors = o->work == THREADS_STATIC ? w->takers : 1;
  w->cursor = zeros(&ok, cursors, sizeof *w->cursor);
  w->rows_left = zeros(&ok, p->granules, sizeof *w->rows_left);
  w->blocks_left = zeros(&ok, p->n_pieces, sizeof *w->blocks_left);
  pthread_mutex_init(&w->mutex, NULL);
  bell_make(&w->work);
  bell_make(&w->ready);
  if (!ok) return false;
  for (int i = 0; i < cursors; i++)
    for (int kind = 0; kind < KINDS; kind++) atomic_init(&w->cursor[i].next[kind], i);
  for (int i = 0; i < p->granules; i++) atomic_init(&w->rows_left[i], w->per_granule);
  for (int i = 0; i < p->n_pieces; i++) atomic_init(&w->blocks_left[i], e->t->ranks);
  atomic_init(&w->arrived, 0);
  atomic_init(&w->granules_left, p->granules - 1);
  return true;
}

static void discard(engine_t *w)
{
  free(w->cursor);
  free(w->rows_left);
  free(w->blocks_left);
  pthread_mutex_destroy(&w->mutex);
  bell_free(&w->work);
  bell_free(&w->ready);
}

bool threads_run(exchange_t *e, const threads_options_t *o, fftw_complex *scratch,
                 transform_times_t *times)
{
  engine_t w;
  taker_t takers[o->workers + 1];
  pthread_t thread[o->workers + 1];
  if (!make(&w, e, o)) return discard(&w), false;
  for (int i = 0; i <= o->workers; i++)
    takers[i] = (taker_t){.engine = &w,
                          .number = i,
                          .main = i == o->workers,
                          .scratch = scratch + (size_t)i * (size_t)e->t->n};
  int begun = 0;
  while (begun < o->workers && pthread_create(&thread[begun], NULL, work_on, &takers[begun]) == 0)
    begun++;
  if (begun < o->workers) return false; /* the others wait for ever: the caller ends the job */
  run_main(&takers[o->workers]);
  for (int i = 0; i < o->workers; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < w.takers; i++)
    for (int step = 0; step < TRANSFORM_STEPS; step++)
      times->seconds[step] += takers[i].times.seconds[step] / w.takers;
  discard(&w);
  return true;
}
