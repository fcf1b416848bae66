/* SPDX-License-Identifier: BSD-3-Clause */
/* The origin's side of messages: operations for a target are collected in a message, which goes
 * when there are enough, or at the end of the epoch, as the strategy says (Zhao 2012, chapter 3).
 * The message that ends an epoch is the one with its last operations. */
#ifndef BERTH_RMA_STREAM_H
#define BERTH_RMA_STREAM_H

#include "rma/operation.h"

/* What the last message of what has been collected says. */
typedef enum stream_end {
  STREAM_NOW,         /* nothing */
  STREAM_ACKNOWLEDGE, /* a reply is to come when all operations are done */
  STREAM_LOCK,        /* the same, even if there are none: when the lock is taken */
  STREAM_COMPLETE,    /* the access epoch is over */
  STREAM_UNLOCK       /* the lock is given back, and a reply is to come */
} stream_end_t;

/* Functions return MPI codes, whose error handler hasn't been called. */

/* Puts an operation into the target's stream. */
int stream_operation(rma_window_t *w, rma_target_t *t, const operation_t *o, MPI_Request *request);
/* Puts bytes that lie together, if they follow those of the operation before. False: do it
 * otherwise. */
bool stream_put_on(rma_window_t *w, rma_target_t *t, const char *from, uint64_t place,
                   size_t bytes);
/* Sends what is there. */
int stream_end(rma_window_t *w, int target, stream_end_t end);
/* Waits for all replies and long data of a target that isn't reached otherwise. */
int stream_wait(rma_window_t *w, int target, bool local);
/* How many messages of fences' epochs there were since this was asked. */
uint32_t stream_sent(rma_target_t *t);
void stream_free(const rma_window_t *w, struct stream *s);

/* A reply has come from a target, which has the lock of rma_progress.h. */
struct mail_message;
void stream_answered(rma_window_t *w, struct mail_message *m);

/* Opens the mail. False: memory is out. */
bool stream_begin(void);

#endif
