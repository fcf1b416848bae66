/* SPDX-License-Identifier: BSD-3-Clause */
/* The target's side of messages. What comes before its epoch is open, or while another rank has the
 * lock, is held; what follows from the same origin is behind it. */
#ifndef BERTH_RMA_ARRIVALS_H
#define BERTH_RMA_ARRIVALS_H

#include "rma/mail.h"
#include "rma/rma_window.h"

/* False: memory is out. */
bool arrivals_new(rma_window_t *w);
void arrivals_free(struct arrivals *a);

/* The lock of progress.h, if the window has messages: for what decides whether an epoch is open. */
void arrivals_lock(const rma_window_t *w);
void arrivals_unlock(const rma_window_t *w);
/* An epoch has been opened: does what was held for it. */
void arrivals_opened(rma_window_t *w);

/* Whether an origin reached by messages has completed so many access epochs. */
bool arrivals_completed(rma_window_t *w, int origin, uint32_t times);
/* So many more messages of fences' epochs come. */
void arrivals_expect(rma_window_t *w, uint32_t messages);
/* Whether they all came, and nothing of theirs is under way. */
bool arrivals_all_came(rma_window_t *w);

/* The reduce-scatter of hosts: `counts` of each rank, of the own host's ranks; these are their sums
 * over all hosts then. Returns the MPI's code. */
int arrivals_exchange(rma_window_t *w, uint32_t fence, uint32_t *counts);

/* Handles a message; the caller has the lock of rma_progress.h. */
void arrivals_handle(mail_message_t *m);
/* Tries again to get the locks that messages wait for. Whether some still wait. */
bool arrivals_retry(void);
/* Whether origins have locks, so that at least the messages that give them back are to come. */
bool arrivals_expect_more(void);

#endif
