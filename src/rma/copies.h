/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on the memory of another process of the host, by the system's copies. Puts and gets
 * wait until there are some, because each call of the system takes as long as thousands of bytes.
 */
#ifndef BERTH_RMA_COPIES_H
#define BERTH_RMA_COPIES_H

#include "rma/operation.h"

/* Return MPI codes, whose error handler hasn't been called. */
int copies_put(rma_window_t *w, rma_target_t *t, const operation_t *o);
int copies_get(rma_window_t *w, rma_target_t *t, const operation_t *o);
/* Puts or gets bytes that lie together on both sides; `offset`: in the target's window. */
int copies_plain(rma_window_t *w, rma_target_t *t, bool put, char *own, int64_t offset,
                 size_t bytes);
/* Accumulate, Get_accumulate and Compare_and_swap. Those that have results are done when this
 * returns. */
int copies_reduce(rma_window_t *w, rma_target_t *t, const operation_t *o);
/* Does what waits for a target. */
int copies_flush(rma_window_t *w, rma_target_t *t);
/* Does it when the target's part of the epoch is about to end: leaves some of it in the inbox of
 * the target that is for that. After a fence, copies_fetch has the results. */
int copies_end(rma_window_t *w, rma_target_t *t, int which);
void copies_fetch(rma_window_t *w, rma_target_t *t, int which);
void copies_free(struct copies *c);

#endif
