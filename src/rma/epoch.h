/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs: MPI's functions of synchronisation. Functions return MPI codes; unless another thing is
 * said, the window's error handler has been called. */
#ifndef BERTH_RMA_EPOCH_H
#define BERTH_RMA_EPOCH_H

#include "rma/rma_window.h"

/* Waits until this rank may access a target in its current epoch. The error handler hasn't been
 * called. */
int epoch_open(rma_window_t *w, int target);

int epoch_fence(rma_window_t *w, int assertion);
int epoch_start(rma_window_t *w, MPI_Group group, int assertion);
int epoch_complete(rma_window_t *w);
int epoch_post(rma_window_t *w, MPI_Group group);
int epoch_wait(rma_window_t *w);
int epoch_test(rma_window_t *w, int *flag);
int epoch_lock(rma_window_t *w, int kind, int target, int assertion);
int epoch_unlock(rma_window_t *w, int target);
int epoch_lock_all(rma_window_t *w, int assertion);
int epoch_unlock_all(rma_window_t *w);
enum { EPOCH_ALL = -1000000 }; /* targets; no MPI uses this value */
/* `local`: the origin's buffers are free again. */
int epoch_flush(rma_window_t *w, int target, bool local);
int epoch_sync(rma_window_t *w);

/* All ranks of the window come, and what they have sent in this epoch has arrived. The error
 * handler hasn't been called. */
int epoch_barrier(rma_window_t *w);
/* Whether a window may be freed: no epoch is open but that of a fence. */
int epoch_all_closed(const rma_window_t *w);

#endif
