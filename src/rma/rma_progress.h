/* SPDX-License-Identifier: BSD-3-Clause */
/* Who makes progress with messages: whoever waits for something, and a thread while nobody does. It
 * sleeps until another process rings, by a datagram, or until this process has begun something. */
#ifndef BERTH_RMA_RMA_PROGRESS_H
#define BERTH_RMA_RMA_PROGRESS_H

#include "rma/rma_window.h"

/* Opens the mail and starts the thread; all ranks that may get messages call it. False: memory is
 * out, or the system has no thread. */
bool progress_begin(void);
void progress_end(void);

/* The lock of all that messages change. */
void progress_lock(void);
void progress_unlock(void);

/* Handles what has come, unless another thread is at it. */
void progress_poll(void);
/* Handles what comes until it is so. `rank` of MPI_COMM_WORLD is waited for, or -1. */
void progress_until(bool (*is_so)(void *context), void *context, int rank);
/* A context: of one rank of a window. */
typedef struct progress_of {
  rma_window_t *w;
  int rank;
} progress_of_t;

/* Wakes the thread of a rank of MPI_COMM_WORLD, which has a message of this one. */
void progress_ring(int rank);

#endif
