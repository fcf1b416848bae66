/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms by a communicator thread and by workers, in the order in which data comes: the
 * "threaded FFT dataflow" of R. Boyer and P. Chase, "Insomnia", section 8.2. */
#ifndef FFT2D_THREADS_H
#define FFT2D_THREADS_H

#include "exchange.h"

typedef enum { THREADS_DYNAMIC, THREADS_STATIC } threads_work_t;
typedef enum { THREADS_MUTEX, THREADS_SPIN, THREADS_ATOMIC } threads_locks_t;

/* What the main thread does while pieces are under way: it waits in MPI_Alltoall, it tests and
 * sleeps, or it tests and works. */
typedef enum { THREADS_CALLS, THREADS_TESTS, THREADS_WORKS } threads_communicator_t;

typedef struct {
  int workers; /* besides the main thread; 0 only with THREADS_WORKS */
  int group;   /* rows or columns that a worker takes at a time */
  threads_work_t work;
  threads_locks_t locks;
  threads_communicator_t communicator;
} threads_options_t;

/* The main thread calls it. `scratch` has a row for each worker and for the main thread. Adds the
 * mean of the threads that work to `times`. False: memory is out, or a thread can't be started:
 * other threads may wait for it, so the caller ends the job. */
bool threads_run(exchange_t *e, const threads_options_t *o, fftw_complex *scratch,
                 transform_times_t *times);

#endif
