/* SPDX-License-Identifier: BSD-3-Clause */
/* What earlier jobs have found out about epochs between hosts, and this one leaves to later ones
 * (docs/formats/tuning.md): for all windows of so many ranks on so many hosts. */
#ifndef BERTH_RMA_RMA_TUNING_H
#define BERTH_RMA_RMA_TUNING_H

#include "rma/threshold.h"

/* Rank 0 reads BERTH_TUNING; all ranks call it and learn the same. Returns whether the file knows
 * what a byte takes between hosts: *byte, in seconds. */
bool rma_tuning_read(double *byte);

/* How the first epoch of a window's target begins. */
void rma_tuning_begin(threshold_t *t, int ranks, int hosts);
/* A target of a window is over: how it was chosen for it. */
void rma_tuning_add(const threshold_t *t, int ranks, int hosts);

/* Before MPI_Finalize; all ranks call it. Rank 0 prints what was chosen, and by which numbers, if
 * that is asked for, and writes it into the file of BERTH_TUNE, if there is one. */
void rma_tuning_end(void);

#endif
