/* SPDX-License-Identifier: BSD-3-Clause */
/* The reduce-scatter of hosts at a fence: how many messages come for each rank. Its rounds are
 * those of a circulant graph with halving distances (Träff 2023, "Optimal, Non-pipelined
 * Reduce-scatter and Allreduce Algorithms"), so that any number of hosts takes ceil(log2 hosts) of
 * them. */
#ifndef BERTH_RMA_ARRIVALS_COUNTS_H
#define BERTH_RMA_ARRIVALS_COUNTS_H

#include "rma/mail.h"
#include "rma/rma_window.h"

struct counts;
/* NULL: memory is out. */
struct counts *counts_new(const rma_window_t *w);
void counts_free(struct counts *c);
/* A part of a round's numbers has come. The caller has the lock of rma_progress.h. */
void counts_came(struct counts *c, const mail_message_t *m);
/* See arrivals_exchange. */
int counts_exchange(struct counts *c, rma_window_t *w, uint32_t fence, uint32_t *counts);

#endif
